"""Trains a placing policy with PPO, or MaskablePPO, of stable-baselines3.

    python train/ppo.py configs/wall.yaml [key=value ...] [--out runs/wall] [--resume runs/wall/model.zip]

A config holds what differs from DEFAULTS below; `ppo.learning_rate=1e-3` on the command line overrides it. The folder
--out receives model.zip, run.json (config, versions, git state, learning curve) and the log for TensorBoard. A resumed
run goes on with the weights, the optimiser and the step count of a checkpoint.
"""

import inspect
import json
import sys
import time
from pathlib import Path
from typing import Any

from common import combine, command, git_state, machine, merge, versions

from mc_place_env.command_line import overrides
from mc_place_env.config import check_choice, check_int, check_number, read_yaml, refuse_unknown
from mc_place_env.errors import ConfigError

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
COUNTS = ("n_envs", "threads", "torch_threads", "features", "steps", "window")


def main() -> int:
    """The command; returns the exit status."""
    return command(__doc__, load_config, train)


def load_config(path: Path, given: list[str], defaults: dict[str, Any] = DEFAULTS) -> dict[str, Any]:
    """The defaults, overridden by the file, overridden by the command line; ConfigError names an unknown key."""
    config = merge(defaults, combine(read_yaml(path), overrides(given)), str(path))
    check_choice("algorithm", config["algorithm"], ("ppo", "maskable_ppo"))
    check_numbers(config)
    known = set(inspect.signature(algorithm(config)).parameters) - {"self", "policy", "env"}
    refuse_unknown(config["ppo"], known, f"{path}: ppo")
    if "gamma" in config["env"]:
        raise ConfigError(f"{path}: env.gamma: set ppo.gamma, which is the environment's too")
    for part in config["hide"]:
        check_choice("hide", part, ("inventory", "pose", "pending", "last_outcome"))
    return config | {"ppo": PPO | config["ppo"]}


def check_numbers(config: dict[str, Any]) -> None:
    """ConfigError for a number out of range; None, where a default is, is none."""
    for name in COUNTS:
        if config.get(name, 1) is not None or DEFAULTS[name] is not None:
            check_int(name, config.get(name, 1), 1, 10**12)
    for name in ("n_steps", "batch_size", "n_epochs"):
        check_int(f"ppo.{name}", (PPO | config["ppo"])[name], 1, 10**9)
    for name, high in (("seconds", 1e9), ("target", 1.0)):
        if config.get(name) is not None:
            check_number(name, config[name], 0, high)


def algorithm(config: dict[str, Any]) -> type:
    """The class that learns."""
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import PPO

    return MaskablePPO if config["algorithm"] == "maskable_ppo" else PPO


def train(config: dict[str, Any], out: Path, resume: Path | None = None, curriculum: Any = None) -> None:
    """Trains, on the stages of a curriculum if given, and writes model.zip and run.json into `out`."""
    import torch

    from mc_place_env.integrations.sb3 import CurriculumCallback, make_vec_env

    began = time.perf_counter()
    if config["torch_threads"]:
        torch.set_num_threads(config["torch_threads"])
    options = {key: config[key] for key in ("seed", "action_view", "threads")} | config["env"]
    venv = make_vec_env(config["id"], config["n_envs"], gamma=config["ppo"]["gamma"], **options)
    model = make_model(config, venv)
    if resume is not None:
        go_on(model, resume, venv, config)
    log_into(model, out)
    progress = make_progress(config, began, curriculum)
    staged = [] if curriculum is None else [CurriculumCallback(curriculum, config["seed"])]
    try:
        model.learn(config["steps"] - model.num_timesteps, callback=[*staged, progress], reset_num_timesteps=False)
    except KeyboardInterrupt:
        if not progress.curve:
            raise
        progress.interrupted = True
        print("interrupted: keeping what was learned so far", file=sys.stderr)
    out.mkdir(parents=True, exist_ok=True)
    model.save(out / "model.zip")
    (out / "run.json").write_text(json.dumps(record(config, venv, progress, curriculum), indent=1) + "\n")
    venv.close()
    print(f"{progress.summary()}; model and record in {out}")


def make_model(config: dict[str, Any], venv: Any) -> Any:
    """The learner."""
    from mc_place_env.integrations.sb3 import VoxelExtractor

    policy = {
        "features_extractor_class": VoxelExtractor,
        "features_extractor_kwargs": {"hidden": config["features"], "hide": config["hide"]},
        "net_arch": config["layers"],
    }
    more = {"policy_kwargs": policy, "seed": config["seed"], "stats_window_size": config["window"], "device": "cpu"}
    return algorithm(config)("MultiInputPolicy", venv, **{**more, **config["ppo"]})


def log_into(model: Any, out: Path) -> None:
    """Writes a log for TensorBoard into `out`."""
    from stable_baselines3.common.logger import configure

    model.set_logger(configure(str(out), ["tensorboard"]))


def go_on(model: Any, checkpoint: Path, venv: Any, config: dict[str, Any]) -> None:
    """Takes what was learned from a checkpoint; ConfigError if it was trained for another view, item list, observation.

    The task may be another: what was learned on one is a start for the next.
    """
    from mc_place_env.evaluation.policies import CheckpointPolicy

    saved = CheckpointPolicy(checkpoint)
    saved.check_interface(venv.env)
    model.set_parameters(saved.model.get_parameters())
    model.num_timesteps = saved.model.num_timesteps
    if model.num_timesteps >= config["steps"]:
        raise ConfigError(f"steps={config['steps']}: {checkpoint} has learned {model.num_timesteps} steps already")
    model.curriculum_state = getattr(saved.model, "curriculum_state", None)


def make_progress(config: dict[str, Any], began: float, curriculum: Any = None) -> Any:
    """The callback that shows progress, keeps the learning curve, and ends the run at its target or time limit.

    With a curriculum, success is that in its present stage, and its end is the target.
    """
    from stable_baselines3.common.callbacks import BaseCallback
    from tqdm import tqdm

    class Progress(BaseCallback):
        """`curve`: one [steps, seconds, success rate or None] a rollout."""

        def __init__(self) -> None:
            super().__init__()
            self.curve: list[tuple[int, float, float | None]] = []
            self.interrupted = False

        def _on_training_start(self) -> None:
            shown = {"unit": "step", "unit_scale": True, "disable": None}
            self.bar = tqdm(total=config["steps"], initial=self.num_timesteps, **shown)

        def _on_step(self) -> bool:
            return not self.done()

        def _on_rollout_end(self) -> None:
            self.curve.append((self.num_timesteps, round(time.perf_counter() - began, 2), self.success()))
            self.bar.set_postfix_str(self.status(), refresh=False)
            self.bar.update(self.num_timesteps - self.bar.n)

        def _on_training_end(self) -> None:
            self.bar.close()

        def success(self) -> float | None:
            """Of the last `window` episodes, or of the curriculum's present stage."""
            if curriculum is not None:
                return curriculum.success(curriculum.stage)
            recent = self.model.ep_success_buffer
            return sum(recent) / len(recent) if recent else None

        def done(self) -> bool:
            """Whether the target is reached or the time is up."""
            late = config["seconds"] is not None and self.curve and self.curve[-1][1] >= config["seconds"]
            return bool(late or (curriculum.finished if curriculum is not None else self.target_reached()))

        def target_reached(self) -> bool:
            """Whether enough of the last `window` episodes succeeded."""
            full = len(self.model.ep_success_buffer) >= config["window"]
            return config["target"] is not None and full and self.curve and self.curve[-1][2] >= config["target"]

        def status(self) -> str:
            """Success so far, with a curriculum in every stage."""
            success = self.success()
            if curriculum is not None:
                return curriculum.summary()
            return "success -" if success is None else f"success {success:.1%}"

        def summary(self) -> str:
            """One line: steps, minutes, success."""
            steps, seconds, _ = self.curve[-1]
            return f"{steps} steps in {seconds / 60:.1f} minutes, {self.status()}"

    return Progress()


def record(config: dict[str, Any], venv: Any, progress: Any, curriculum: Any) -> dict[str, Any]:
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
        "promotions": [] if curriculum is None else curriculum.state["promotions"],
        "curve": {"columns": ["steps", "seconds", "success"], "rows": progress.curve},
    }


if __name__ == "__main__":
    sys.exit(main())
