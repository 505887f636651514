"""Trains a placing policy with PPO of Ray RLlib: the same configs as ppo.py, on one machine or a cluster.

    python train/rllib.py configs/wall.yaml [runners=2] [address=auto] [key=value ...] [--out runs/rllib]

`n_envs` are divided among `runners` processes, each stepping its share in one kernel call. A runner that dies is
replaced and training goes on. `address` is that of a running Ray cluster (`auto`: the one this machine belongs to);
without it Ray starts here and ends with the script. The folder --out receives checkpoint/ and run.json; evaluate.py
takes the checkpoint folder as a policy.
"""

import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import ppo
from common import command, git_state, versions

from mc_place_env.config import check_int, refuse_unknown
from mc_place_env.errors import ConfigError

DEFAULTS = {key: value for key, value in ppo.DEFAULTS.items() if key not in ("threads", "torch_threads")}
DEFAULTS |= {"runners": 2, "address": None}
NAMES = {  # of SB3's parameters in RLlib
    "learning_rate": "lr",
    "n_epochs": "num_epochs",
    "batch_size": "minibatch_size",
    "gamma": "gamma",
    "gae_lambda": "lambda_",
    "ent_coef": "entropy_coeff",
    "vf_coef": "vf_loss_coeff",
    "clip_range": "clip_param",
    "max_grad_norm": "grad_clip",
}

Point = tuple[int, float, float | None]  # of the learning curve: steps, seconds, success rate


def main() -> int:
    """The command; returns the exit status."""
    return command(__doc__, load_config, train)


def load_config(path: Path, given: list[str]) -> dict[str, Any]:
    """As in ppo.py; masks reach the network in the observation."""
    config = ppo.load_config(path, given, DEFAULTS)
    refuse_unknown(config["ppo"], ("n_steps", *NAMES), f"{path}: ppo")
    check_int("runners", config["runners"], 1, 10_000)
    check_int("n_envs", config["n_envs"], config["runners"], 1_000_000)
    if config["algorithm"] == "maskable_ppo":
        config["env"] = config["env"] | {"observe": ["action_mask"]}
    return config | {"algorithm": "rllib"}


def train(config: dict[str, Any], out: Path, resume: Path | None = None) -> None:
    """Trains, and writes checkpoint/ and run.json into `out`."""
    import ray

    items = check_environment(config, resume)
    join_cluster(config["address"], config["runners"])
    try:
        curve = train_on_cluster(config, out / "checkpoint", resume)
    finally:
        ray.shutdown()
    made = {"config": config, "items": items, "versions": versions(), "git": git_state()}
    rows = {"curve": {"columns": ["steps", "seconds", "success"], "rows": curve}}
    (out / "run.json").write_text(json.dumps(made | rows, indent=1) + "\n")
    print(f"{curve[-1][0]} steps in {curve[-1][1] / 60:.1f} minutes; checkpoint and record in {out}")


def train_on_cluster(config: dict[str, Any], checkpoint: Path, resume: Path | None) -> list[Point]:
    """Trains, also if interrupted writes the checkpoint, and returns the learning curve."""
    algorithm = make_config(config).build_algo()
    if resume is not None:
        algorithm.restore_from_path(str(resume.resolve()))
    curve: list[Point] = []
    try:
        learn(algorithm, config, curve)
    except KeyboardInterrupt:
        if not curve:
            raise
        print("interrupted: keeping what was learned so far", file=sys.stderr)
    algorithm.save_to_path(str(checkpoint.resolve()))
    algorithm.stop()
    return curve


def join_cluster(address: str | None, runners: int) -> None:
    """Starts Ray here, or connects to the cluster at `address`; ConfigError if there is none."""
    import ray

    if address is None:
        ray.init(address="local", num_cpus=runners + 1, include_dashboard=False, log_to_driver=False)
        return
    try:
        ray.init(address=address, log_to_driver=False)
    except (ConnectionError, ValueError) as error:
        raise ConfigError(f"address={address!r}: no Ray cluster there ({error})") from None


def check_environment(config: dict[str, Any], resume: Path | None) -> list[str]:
    """Items of the environment; ConfigError, before Ray starts, for one that cannot be made or goes not with resume."""
    from mc_place_env.evaluation.policies import CheckpointPolicy
    from mc_place_env.integrations import make_vector_env

    env = make_vector_env(config["id"], 1, **env_options(config))
    if resume is not None:
        CheckpointPolicy(resume).check_interface(env)
    env.close()
    return list(env.items)


def env_options(config: dict[str, Any]) -> dict[str, Any]:
    """Options of `make`."""
    return {"action_view": config["action_view"], "gamma": config["ppo"]["gamma"]} | config["env"]


def make_config(config: dict[str, Any]) -> Any:
    """RLlib's configuration of PPO."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.tune.registry import register_env

    from mc_place_env.integrations.rllib import PlacingModule, log_success, make_env

    register_env("mc_place_env", make_env)
    runners, batch = config["runners"], config["ppo"]["n_steps"] * config["n_envs"]
    network = {key: config[key] for key in ("features", "hide", "layers")}
    settings = {NAMES[key]: value for key, value in config["ppo"].items() if key != "n_steps"}
    settings["minibatch_size"] = min(settings["minibatch_size"], batch)
    return (
        PPOConfig()
        .environment("mc_place_env", env_config={"id": config["id"]} | env_options(config))
        .env_runners(
            num_env_runners=runners,
            num_envs_per_env_runner=config["n_envs"] // runners,
            gym_env_vectorize_mode="vector_entry_point",
        )
        .fault_tolerance(restart_failed_env_runners=True)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=PlacingModule, model_config=network))
        .training(train_batch_size_per_learner=batch, use_kl_loss=False, **settings)
        .callbacks(on_episode_end=partial(log_success, window=config["window"]))
        .debugging(seed=config["seed"], log_level="ERROR")
    )


def learn(algorithm: Any, config: dict[str, Any], curve: list[Point]) -> None:
    """Iterations, each appended to `curve`, until the target or a budget is reached."""
    from tqdm import tqdm

    began, ended = time.perf_counter(), False
    with tqdm(total=config["steps"], unit="step", unit_scale=True, disable=None) as bar:
        while not ended:
            sampled = algorithm.train()["env_runners"]
            steps, success = int(sampled["num_env_steps_sampled_lifetime"]), sampled.get("success")
            curve.append((steps, round(time.perf_counter() - began, 2), success))
            bar.set_postfix_str("success -" if success is None else f"success {success:.1%}")
            bar.update(steps - bar.n)
            ended = budget_spent(curve[-1], config) or target_reached(sampled, config)


def budget_spent(last: Point, config: dict[str, Any]) -> bool:
    """Whether the steps or the time are up."""
    steps, seconds, _ = last
    return steps >= config["steps"] or (config["seconds"] is not None and seconds >= config["seconds"])


def target_reached(sampled: dict[str, Any], config: dict[str, Any]) -> bool:
    """Whether enough of the last `window` episodes succeeded."""
    full = sampled.get("num_episodes_lifetime", 0) >= config["window"]
    return config["target"] is not None and full and sampled["success"] >= config["target"]


if __name__ == "__main__":
    sys.exit(main())
