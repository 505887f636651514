"""Trains a placing policy stage by stage; everything else is as in ppo.py.

    python train/curriculum.py configs/curriculum_bridge.yaml [key=value ...] [--out runs/x] [--resume runs/x/model.zip]

The config's `curriculum` is described in mc_place_env/curricula.py. The run ends when the last stage is mastered (with
the learning-progress sampler: all stages), or at the budget of `steps` or `seconds`. A checkpoint holds the state of
the curriculum: a resumed run goes on in the same stage.
"""

import sys
from pathlib import Path
from typing import Any

import ppo
from common import command

from mc_place_env.curricula import read_curriculum

DEFAULTS = {key: value for key, value in ppo.DEFAULTS.items() if key != "target"} | {"curriculum": {}}


def main() -> int:
    """The command; returns the exit status."""
    return command(__doc__, load_config, train)


def load_config(path: Path, given: list[str]) -> dict[str, Any]:
    """As in ppo.py, with a `curriculum`, whose last stage is the target."""
    config = ppo.load_config(path, given, DEFAULTS)
    read_curriculum(config["curriculum"], f"{path}: curriculum")
    return config


def train(config: dict[str, Any], out: Path, resume: Path | None) -> None:
    """Trains on the stages, and writes what ppo.py writes."""
    ppo.train(config, out, resume, read_curriculum(config["curriculum"]))


if __name__ == "__main__":
    sys.exit(main())
