"""Trains a placing policy with PPO, or MaskablePPO, of stable-baselines3.

    python train/ppo.py configs/wall.yaml [key=value ...] [--out runs/wall]

A config holds what differs from DEFAULTS below; `ppo.learning_rate=1e-3` on the command line overrides it. The folder
--out receives model.zip, run.json (config, versions, git state, learning curve) and the log for TensorBoard.
"""

import argparse
import inspect
import json
import sys
import time
from pathlib import Path
from typing import Any

from common import combine, git_state, machine, merge, overrides, versions

from mc_place_env.config import check_choice, read_yaml, refuse_unknown
from mc_place_env.errors import ConfigError, McPlaceError

DEFAULTS: dict[str, Any] = {
    "id": "McPlace/Wall-v0",
    "env": {},  # options of `make`; gamma is the learner's
    "n_envs": 256,
    "threads": 1,  # of the environments
    "torch_threads": None,  # of the learner; None: torch's own choice
    "algorithm": "ppo",  # or maskable_ppo
    "action_view": "multi_discrete",  # or discrete
    "ppo": {},  # parameters of the algorithm beyond PPO below
    "features": 128,
    "layers": [64],
    "hide": [],  # number parts of the observation that the policy does not see, e.g. [pending]
    "seed": 0,
    "steps": 3_000_000,  # budget
    "seconds": None,  # budget
    "target": None,  # stop when the success rate of the last `window` episodes reaches it
    "window": 2000,
}
PPO = {"n_steps": 32, "batch_size": 2048, "n_epochs": 3, "learning_rate": 1e-3}
PPO |= {"gamma": 0.95, "gae_lambda": 0.9, "ent_coef": 0.006, "vf_coef": 1.0, "clip_range": 0.4}


def main() -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path, help="YAML file")
    parser.add_argument("overrides", nargs="*", metavar="key=value")
    parser.add_argument("--out", type=Path, help="folder of the run; default: runs/ and the config's name")
    arguments = parser.parse_intermixed_args()
    try:
        config = load_config(arguments.config, arguments.overrides)
        train(config, arguments.out or Path("runs") / arguments.config.stem)
    except McPlaceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted before anything was learned", file=sys.stderr)
        return 130
    return 0


def load_config(path: Path, given: list[str]) -> dict[str, Any]:
    """DEFAULTS, overridden by the file, overridden by the command line; ConfigError names an unknown key."""
    config = merge(DEFAULTS, combine(read_yaml(path), overrides(given)), str(path))
    check_choice("algorithm", config["algorithm"], ("ppo", "maskable_ppo"))
    known = set(inspect.signature(algorithm(config)).parameters) - {"self", "policy", "env"}
    refuse_unknown(config["ppo"], known, f"{path}: ppo")
    if "gamma" in config["env"]:
        raise ConfigError(f"{path}: env.gamma: set ppo.gamma, which is the environment's too")
    for part in config["hide"]:
        check_choice("hide", part, ("inventory", "pose", "pending", "last_outcome"))
    return config | {"ppo": PPO | config["ppo"]}


def algorithm(config: dict[str, Any]) -> type:
    """The class that learns."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import PPO

    return MaskablePPO if config["algorithm"] == "maskable_ppo" else PPO


def train(config: dict[str, Any], out: Path) -> None:
    """Trains, and writes model.zip and run.json into `out`."""
    import torch

    from mc_place_env.integrations.sb3 import make_vec_env

    began = time.perf_counter()
    if config["torch_threads"]:
        torch.set_num_threads(config["torch_threads"])
    options = {key: config[key] for key in ("seed", "action_view", "threads")} | config["env"]
    venv = make_vec_env(config["id"], config["n_envs"], gamma=config["ppo"]["gamma"], **options)
    model = make_model(config, venv, out)
    progress = make_progress(config, began)
    try:
        model.learn(config["steps"], callback=progress)
    except KeyboardInterrupt:
        if not progress.curve:
            raise
        progress.interrupted = True
        print("interrupted: keeping what was learned so far", file=sys.stderr)
    out.mkdir(parents=True, exist_ok=True)
    model.save(out / "model.zip")
    (out / "run.json").write_text(json.dumps(record(config, venv, progress), indent=1) + "\n")
    venv.close()
    print(f"{progress.summary()}; model and record in {out}")


def make_model(config: dict[str, Any], venv: Any, out: Path) -> Any:
    """The learner, with its log for TensorBoard in `out`."""
    from stable_baselines3.common.logger import configure

    from mc_place_env.integrations.sb3 import VoxelExtractor

    policy = {
        "features_extractor_class": VoxelExtractor,
        "features_extractor_kwargs": {"hidden": config["features"], "hide": config["hide"]},
        "net_arch": config["layers"],
    }
    more = {"policy_kwargs": policy, "seed": config["seed"], "stats_window_size": config["window"], "device": "cpu"}
    model = algorithm(config)("MultiInputPolicy", venv, **{**more, **config["ppo"]})
    model.set_logger(configure(str(out), ["tensorboard"]))
    return model


def make_progress(config: dict[str, Any], began: float) -> Any:
    """The callback that shows progress, keeps the learning curve, and ends the run at its target or time limit."""
    from stable_baselines3.common.callbacks import BaseCallback
    from tqdm import tqdm

    class Progress(BaseCallback):
        """`curve`: one [steps, seconds, success rate or None] a rollout."""

        def __init__(self) -> None:
            super().__init__()
            self.curve: list[tuple[int, float, float | None]] = []
            self.interrupted = False

        def _on_training_start(self) -> None:
            self.bar = tqdm(total=config["steps"], unit="step", unit_scale=True, disable=None)

        def _on_step(self) -> bool:
            return not self.done()

        def _on_rollout_end(self) -> None:
            recent = self.model.ep_success_buffer
            success = sum(recent) / len(recent) if recent else None
            self.curve.append((self.num_timesteps, round(time.perf_counter() - began, 2), success))
            self.bar.set_postfix_str("" if success is None else f"success {success:.1%}", refresh=False)
            self.bar.update(self.num_timesteps - self.bar.n)

        def _on_training_end(self) -> None:
            self.bar.close()

        def done(self) -> bool:
            """Whether the target is reached or the time is up."""
            if not self.curve:
                return False
            _, seconds, success = self.curve[-1]
            full = len(self.model.ep_success_buffer) >= config["window"]
            return (config["target"] is not None and full and success >= config["target"]) or (
                config["seconds"] is not None and seconds >= config["seconds"]
            )

        def summary(self) -> str:
            """One line: steps, minutes, success."""
            steps, seconds, success = self.curve[-1]
            rate = "-" if success is None else f"{success:.1%}"
            return f"{steps} steps in {seconds / 60:.1f} minutes, success {rate}"

    return Progress()


def record(config: dict[str, Any], venv: Any, progress: Any) -> dict[str, Any]:
    """What the run was made with, and how it went."""
    steps, seconds, success = progress.curve[-1]
    return {
        "config": config,
        "items": list(venv.env.items),
        "versions": versions(),
        "git": git_state(),
        "steps": steps,
        "minutes": round(seconds / 60, 3),
        "cpu_minutes": round(time.process_time() / 60, 3),  # of the whole process, all threads
        "interrupted": progress.interrupted,
        "machine": machine(),
        "success": success,
        "curve": {"columns": ["steps", "seconds", "success"], "rows": progress.curve},
    }


if __name__ == "__main__":
    sys.exit(main())
