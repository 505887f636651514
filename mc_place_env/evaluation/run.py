"""A run: every policy of a plan on every task, kept in a folder as it goes, so that it can be resumed and repeated.

The folder holds `run.json` (plan, policies with hashes, versions, sources, git state), `episodes.csv` (a row is written
as its episode ends), and, once all are played, `summary.json` and `report.html`. On the simulator the same run.json
gives the same bytes of episodes.csv.
"""

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from mc_place_env.config import LIVE_ONLY, PlaceEnvConfig, check_choice, check_int
from mc_place_env.envs.vector_env import PlaceVectorEnv
from mc_place_env.errors import ConfigError
from mc_place_env.evaluation.episodes import HEADER, Episodes, Series, file_text, key_of, read_episodes, to_line
from mc_place_env.evaluation.policies import Policy, as_policies
from mc_place_env.evaluation.record import git_state, sources, versions
from mc_place_env.evaluation.runner import ROWS, Evaluation, evaluate
from mc_place_env.integrations import make_vector_env

KIND = "mc_place_env evaluation"
MUST_AGREE = ("plan", "policies")
IF_GONE_ON_WITH = ("versions", "sources")  # a finished run needs only its report, which another version may write
PART = ".part"  # of a file being written
Told = Callable[[Series, list[dict[str, Any]]], None]  # called with the episodes of a series just finished


@dataclass(frozen=True)
class Plan:
    """What is played: every policy on every id, split and backend, always from the same seeds.

    `policies` as `as_policies` takes them; seeds are seed, seed + 1, ... for `episodes` (on minecraft, if given,
    `live_episodes`) episodes; `num_envs` rows (live: bots) at once, by default 64 and 8; `options` are those of `make`.
    """

    policies: list[str]
    ids: list[str]
    splits: list[str] = field(default_factory=lambda: ["test"])
    backends: list[str] = field(default_factory=lambda: ["simulator"])
    episodes: int = 200
    live_episodes: int | None = None
    seed: int = 0
    num_envs: int | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, choices in (("splits", ("train", "test")), ("backends", tuple(ROWS))):
            for value in getattr(self, name):
                check_choice(name.rstrip("s"), value, choices)
        check_int("seed", self.seed, 0, 2**63)
        for name in ("policies", "ids", "splits", "backends"):
            given = getattr(self, name)
            if len(set(given)) < max(1, len(given)):
                raise ConfigError(f"{name}={given!r}: expected one or more, all different")
        for name in ("episodes", "live_episodes", "num_envs"):
            if getattr(self, name) is not None:
                check_int(name, getattr(self, name), 1, 10_000_000)

    def count(self, backend: str) -> int:
        """Episodes of each series and checkpoint."""
        return self.live_episodes if backend == "minecraft" and self.live_episodes else self.episodes

    def options_of(self, backend: str) -> dict[str, Any]:
        """The options of `make` on a backend: where both are played, the simulator does without the server's."""
        both = len(self.backends) > 1 and backend == "simulator"
        return {key: value for key, value in self.options.items() if not (both and key in LIVE_ONLY)}


@dataclass
class Run:
    """A plan's record and the episodes finished so far."""

    name: str  # of the folder
    record: dict[str, Any]
    episodes: Episodes

    @property
    def plan(self) -> Plan:
        """What was to be played."""
        return Plan(**self.record["plan"])

    @property
    def order(self) -> list[Series]:
        """All series of the plan."""
        plan, names = self.plan, dict.fromkeys(identity["name"] for identity in self.record["policies"])
        parts = [(b, i, s) for b in plan.backends for i in plan.ids for s in plan.splits]
        return [Series(name, *part) for part in parts for name in names]

    @property
    def missing(self) -> int:
        """Episodes not played yet."""
        checkpoints = len(self.record["policies"])
        parts = len(self.plan.ids) * len(self.plan.splits) * checkpoints
        planned = sum(parts * self.plan.count(backend) for backend in self.plan.backends)
        return planned - sum(map(len, self.episodes.values()))

    def evaluations(self) -> list[Evaluation]:
        """The series of which anything was played, episodes in order."""
        played = [(series, self.episodes.get(series, {})) for series in self.order]
        return [
            Evaluation(*series, self.plan.options_of(series.backend), [by[key] for key in sorted(by)])
            for series, by in played
            if by
        ]


def load_policies(plan: Plan) -> list[Policy]:
    """The plan's policies, each tried on each id; ConfigError, before anything is played, for what does not fit."""
    policies = [policy for given in plan.policies for policy in as_policies(given)]
    names = [(policy.name, policy.checkpoint) for policy in policies]
    for name in {name for name in names if names.count(name) > 1}:
        raise ConfigError(f"policies: two are named {name[0]!r}; rename the folder of one")
    for key in ("split", "backend"):
        if key in plan.options:
            raise ConfigError(f"options: {key}={plan.options[key]!r}: is given for the whole evaluation, as --{key}")
    for backend in plan.backends:
        PlaceEnvConfig.parse(plan.options_of(backend) | {"backend": backend})
    asked = {key: value for key, value in plan.options.items() if key not in LIVE_ONLY}
    envs: dict[str, PlaceVectorEnv] = {}
    for policy, env_id in product(policies, plan.ids):
        options = policy.merged(asked)
        key = f"{env_id} {sorted(options.items())}"
        envs[key] = envs.get(key) or make_vector_env(env_id, 1, **options)
        policy.check(envs[key], env_id)
    return policies


def begin(plan: Plan, policies: list[Policy], folder: Path | None) -> Run:
    """A new run, or the one that the folder holds; ConfigError if that is another one, or something else."""
    record = new_record(plan, policies)
    if folder is None:
        return Run("", record, {})
    if folder.exists() and (not folder.is_dir() or any(file.suffix != PART for file in folder.iterdir())):
        run = load_run(folder)
        refuse_other(run, record)
        return run
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "run.json", as_json(record))
    write_whole(folder / "episodes.csv", HEADER)
    return Run(str(folder), record, {})


def new_record(plan: Plan, policies: list[Policy]) -> dict[str, Any]:
    """What run.json holds of a run made now, as it will be read again."""
    known = {"kind": KIND, "plan": asdict(plan), "policies": [policy.identity() for policy in policies]}
    made_with = {"versions": versions(), "sources": sources(), "git": git_state()}
    try:
        return json.loads(json.dumps(known | made_with))
    except TypeError as error:
        raise ConfigError(f"options={plan.options!r}: expected plain data, to be written down ({error})") from None


def load_run(folder: Path) -> Run:
    """The run a folder holds, finished or not; ConfigError where it holds none."""
    try:
        record = json.loads((folder / "run.json").read_text())
    except (OSError, ValueError):
        record = None
    if not isinstance(record, dict) or record.get("kind") != KIND:
        raise ConfigError(f"{folder}: not the folder of an evaluation (no run.json of one)")
    try:
        Plan(**record["plan"])
    except (KeyError, TypeError) as error:
        raise ConfigError(f"{folder}/run.json: plan: of another version, or damaged ({error})") from None
    path = folder / "episodes.csv"
    return Run(str(folder), record, read_episodes(path) if path.is_file() else {})


def refuse_other(run: Run, wanted: dict[str, Any]) -> None:
    """ConfigError that names what differs between the run in a folder and the record of what is to be played there."""
    parts = MUST_AGREE + (IF_GONE_ON_WITH if run.missing else ())
    differ = [d for part in parts for d in differences(part, [run.record[part], wanted[part]])]
    if differ:
        told = "; ".join(f"{key}: {there} there, {here} here" for key, (there, here) in differ[:4])
        raise ConfigError(f"{run.name}: holds another evaluation ({told}); choose another folder or delete it")


def differences(name: str, values: list[Any]) -> list[tuple[str, list[Any]]]:
    """(key, one value each) for every leaf that is not equal in all of some nested mappings and lists."""
    if all(value == values[0] for value in values):
        return []
    if all(isinstance(value, dict) for value in values):
        keys = dict.fromkeys(key for value in values for key in value)
        return [d for key in keys for d in differences(f"{name}.{key}", [value.get(key) for value in values])]
    if all(isinstance(value, list) and len(value) == len(values[0]) for value in values):
        return [d for k, parts in enumerate(zip(*values)) for d in differences(f"{name}[{k}]", list(parts))]
    return [(name, values)]


def play(run: Run, policies: list[Policy], folder: Path | None, on_progress: Told | None = None) -> None:
    """Plays what is missing; every episode is in `run`, and in the folder, as soon as it has ended."""
    if folder is not None:
        write_whole(folder / "episodes.csv", file_text(run.episodes, run.order))  # without a torn last line
    for series in run.order:
        for policy in policies:
            if policy.name == series.policy:
                play_series(run, series, policy, folder, on_progress)
    if folder is not None:
        write_whole(folder / "episodes.csv", file_text(run.episodes, run.order))


def play_series(run: Run, series: Series, policy: Policy, folder: Path | None, on_progress: Told | None) -> None:
    """One policy (or one training run of it) on one task."""
    plan, found = run.plan, run.episodes.setdefault(series, {})
    seeds = range(plan.seed, plan.seed + plan.count(series.backend))
    done = {seed for checkpoint, seed in found if checkpoint == policy.checkpoint}
    if done.issuperset(seeds):
        return

    def keep(finished: list[dict[str, Any]]) -> None:
        if folder is not None:
            with (folder / "episodes.csv").open("a") as file:
                file.writelines(to_line(series, episode) for episode in finished)
        found.update({key_of(episode): episode for episode in finished})
        if on_progress is not None:
            on_progress(series, finished)

    evaluate(
        policy,
        series.id,
        episodes=len(seeds),
        seed=plan.seed,
        split=series.split,
        backend=series.backend,
        num_envs=plan.num_envs,
        on_progress=keep,
        done=done,
        **plan.options_of(series.backend),
    )


def write_whole(path: Path, text: str) -> None:
    """Writes a file so that a kill leaves either the old or the new one."""
    part = path.with_name(path.name + PART)
    part.write_text(text)
    os.replace(part, path)


def as_json(value: Any) -> str:
    """Readable JSON."""
    return json.dumps(value, indent=1) + "\n"
