"""Replay pages of a success and of a failure of each task, for the report to link to."""

from pathlib import Path
from typing import Any

from mc_place_env.evaluation.policies import Policy
from mc_place_env.evaluation.run import Run
from mc_place_env.evaluation.runner import Evaluation

FOLDER = "replays"
ENDINGS = {"success": True, "failure": False}
Links = list[tuple[str, dict[str, str]]]  # (task, {ending: address of the page})


def write_replays(run: Run, policies: list[Policy], folder: Path) -> Links:
    """For each task a page with every policy's first success, and one with every policy's first failure.

    The episodes are played again, so on the simulator only: a live episode cannot be had again.
    """
    tasks: dict[tuple[str, str], list[Evaluation]] = {}
    for evaluation in run.evaluations():
        if evaluation.backend == "simulator":
            tasks.setdefault((evaluation.env_id, evaluation.split), []).append(evaluation)
    return [(f"{env_id}, {split}", task_pages(e, policies, folder)) for (env_id, split), e in tasks.items()]


def task_pages(evaluations: list[Evaluation], policies: list[Policy], folder: Path) -> dict[str, str]:
    """The pages of one task, as far as there were such episodes."""
    from mc_place_env.rendering.replay import write_replay

    pages = {}
    name = f"{evaluations[0].env_id.rpartition('/')[2]}-{evaluations[0].split}"
    for ending, success in ENDINGS.items():
        episodes = [episode for e in evaluations for episode in first_again(e, policies, success)]
        if episodes:
            (folder / FOLDER).mkdir(exist_ok=True)
            pages[ending] = f"{FOLDER}/{name}-{ending}.html"
            write_replay(folder / pages[ending], episodes)
    return pages


def first_again(evaluation: Evaluation, policies: list[Policy], success: bool) -> list[dict[str, Any]]:
    """The record of the first episode that ended so, played again; none if there was none, or if it ends otherwise.

    Beside other rows a network may answer differently in the last bit.
    """
    from mc_place_env.rendering.playing import play

    episode = next((e for e in evaluation.episodes if e["success"] is success), None)
    if episode is None:
        return []
    name = (evaluation.policy, episode["checkpoint"])
    policy = next(policy for policy in policies if (policy.name, policy.checkpoint) == name)
    again = play(evaluation.env_id, policy, [episode["seed"]], split=evaluation.split, **evaluation.options)
    return [record for record in again if record["success"] is success]
