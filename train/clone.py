"""Clones a policy from a Minari dataset (behaviour cloning), as a checkpoint that evaluate.py and PPO go on with.

    python -m mc_place_env.integrations.minari --policy scripted --episodes 2000 --dataset mcplace/wall/scripted-v0
    python train/clone.py mcplace/wall/scripted-v0 --out runs/clone
    python train/evaluate.py --policy runs/clone/model.zip --policy scripted

The policy is the one of train/ppo.py; its action probabilities are fitted to the dataset's actions.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from common import git_state, versions
from ppo import DEFAULTS, PPO, make_model

from mc_place_env.command_line import exit_status
from mc_place_env.config import check_int
from mc_place_env.errors import ConfigError
from mc_place_env.types import ACTION


def main() -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", help="its Minari id")
    parser.add_argument("--out", type=Path, default=Path("runs/clone"), help="folder for model.zip and run.json")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, default=3e-3, help="highest; it rises and falls")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    return exit_status(lambda: clone(arguments), "interrupted: nothing was written")


def clone(arguments: argparse.Namespace) -> None:
    """Fits a policy, and writes model.zip and run.json."""
    from mc_place_env.integrations.sb3 import make_vec_env

    for name in ("epochs", "batch_size"):
        check_int(name, getattr(arguments, name), 1, 1_000_000)
    dataset = load(arguments.dataset)
    spec = dataset.spec.env_spec
    options = {key: value for key, value in spec.kwargs.items() if key != "task"}
    config = DEFAULTS | {"id": spec.id, "env": options, "ppo": PPO, "seed": arguments.seed}
    venv = make_vec_env(config["id"], 64, action_view=config["action_view"], seed=config["seed"], **options)
    model = make_model(config, venv)
    observations, actions = samples(dataset, venv.env)
    loss = fit(model.policy, observations, actions, arguments)
    arguments.out.mkdir(parents=True, exist_ok=True)
    model.save(arguments.out / "model.zip")
    run = {"config": config, "items": list(venv.env.items), "dataset": arguments.dataset, "loss": loss}
    (arguments.out / "run.json").write_text(json.dumps(run | {"versions": versions(), "git": git_state()}, indent=1))
    venv.close()
    print(f"{len(actions)} actions of {len(dataset)} episodes, loss {loss:.3f}; model and record in {arguments.out}")


def load(dataset_id: str) -> Any:
    """The dataset; ConfigError if there is none of that name."""
    import minari

    try:
        return minari.load_dataset(dataset_id)
    except (ValueError, FileNotFoundError) as error:
        raise ConfigError(f"dataset={dataset_id!r}: {error}") from None


def samples(dataset: Any, env: Any) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """What was seen before each step, and what was done, in the environment's view."""
    episodes = list(dataset.iterate_episodes())
    observations = {key: np.concatenate([e.observations[key][:-1] for e in episodes]) for key in env.observation_space}
    packed = np.zeros(len(observations["voxels"]), ACTION)
    for key in ACTION.names or ():
        packed[key] = np.concatenate([episode.actions[key] for episode in episodes])
    return observations, env.encode_actions(packed)


def fit(policy: Any, observations: dict[str, np.ndarray], actions: np.ndarray, arguments: argparse.Namespace) -> float:
    """Minimises the negative log-likelihood of the actions; returns its mean over the last epoch."""
    import torch
    from tqdm import trange

    seen = {key: torch.as_tensor(part) for key, part in observations.items()}
    done = torch.as_tensor(actions)
    optimizer = torch.optim.Adam(policy.parameters())
    updates = arguments.epochs * -(-len(done) // arguments.batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, arguments.learning_rate, total_steps=updates)
    policy.set_training_mode(True)
    for _ in trange(arguments.epochs, unit="epoch", disable=None):
        losses = []
        for batch in torch.randperm(len(done)).split(arguments.batch_size):
            _, log_likelihood, _ = policy.evaluate_actions(
                {key: part[batch] for key, part in seen.items()}, done[batch]
            )
            loss = -log_likelihood.mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
    policy.set_training_mode(False)
    return float(np.mean(losses))


if __name__ == "__main__":
    sys.exit(main())
