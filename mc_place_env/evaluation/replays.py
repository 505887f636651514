"""A replay page of a success and of a failure of each task, for the report to link to."""

from pathlib import Path

from mc_place_env.evaluation.policies import Policy
from mc_place_env.evaluation.run import Run, Series
from mc_place_env.evaluation.runner import Evaluation

FOLDER = "replays"


def write_replays(run: Run, policies: list[Policy], folder: Path) -> list[tuple[Series, dict[str, str]]]:
    """Plays the first success and the first failure of each series again; (series, {ending: address of the page}).

    On the simulator only: a live episode cannot be had again.
    """
    found: list[tuple[Series, dict[str, str]]] = []
    for evaluation in run.evaluations():
        if evaluation.backend == "simulator":
            series = Series(evaluation.policy, evaluation.backend, evaluation.env_id, evaluation.split)
            found.append((series, write_both(evaluation, policies, folder, len(found))))
    return found


def write_both(evaluation: Evaluation, policies: list[Policy], folder: Path, number: int) -> dict[str, str]:
    """The pages of one series, as far as there was such an episode."""
    from mc_place_env.rendering.replay import play, write_replay

    (folder / FOLDER).mkdir(exist_ok=True)
    pages = {}
    for ending, wanted in (("success", True), ("failure", False)):
        episode = next((e for e in evaluation.episodes if e["success"] is wanted), None)
        if episode is None:
            continue
        name = (evaluation.policy, episode["checkpoint"])
        policy = next(policy for policy in policies if (policy.name, policy.checkpoint) == name)
        seeds, where = [episode["seed"]], {"split": evaluation.split}
        pages[ending] = f"{FOLDER}/{number}-{ending}.html"
        write_replay(folder / pages[ending], play(evaluation.env_id, policy, seeds, **where, **evaluation.options))
    return pages
