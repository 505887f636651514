"""The runner of the results page: what is recorded is kept, what is broken is repeated, the page tells only what is."""

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib")
pytest.importorskip("matplotlib")

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "train"))

from results_page import write_page  # noqa: E402

import results  # noqa: E402
from mc_place_env.errors import ConfigError  # noqa: E402
from mc_place_env.evaluation import evaluate  # noqa: E402
from results import Entry, do, missing, read_entries  # noqa: E402

TINY = ["n_envs=8", "ppo.n_steps=16", "ppo.batch_size=64", "ppo.n_epochs=1", "steps=256", "target=null"]
PLAIN = Entry("wall", 0, set=TINY, live=False)
HIDDEN = Entry("wall", 0, "latency 4, queue hidden", [*TINY, "env.latency=4", "hide=[pending]"], live=False)
LIVE = Entry("single", 1, set=TINY)


@pytest.fixture(autouse=True)
def few_episodes(monkeypatch):
    """Of each evaluation."""
    monkeypatch.setattr(results, "EPISODES", {"simulator": 12, "prompt": 12, "minecraft": 2})


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """A folder in which two of three runs are recorded."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "EPISODES", {"simulator": 12, "prompt": 12, "minecraft": 2})
        for entry in (PLAIN, HIDDEN):
            do(entry, folder / entry.name)
    return folder


def test_a_recorded_run_is_not_repeated(out):
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    assert missing(PLAIN, out / PLAIN.name) == []
    assert results.work_off([PLAIN, HIDDEN], out, 1) == []
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.mark.parametrize(
    ("broken", "text", "lacking"),
    [
        ("simulator.json", '{"episodes": 5}', ["simulator"]),
        ("simulator.json", '{"epis', ["simulator"]),
        ("run.json", "", ["training", "simulator"]),
        ("run.json", '{"interrupted": true}', ["training", "simulator"]),
    ],
)
def test_what_is_broken_is_missing(out, tmp_path, broken, text, lacking):
    for file in ("run.json", "simulator.json"):
        (tmp_path / file).write_bytes((out / PLAIN.name / file).read_bytes())
    assert missing(PLAIN, tmp_path) == []
    (tmp_path / broken).write_text(text)
    assert missing(PLAIN, tmp_path) == lacking


def test_other_settings_are_another_run(out):
    assert missing(Entry("wall", 0, set=[*TINY, "ppo.gamma=0.9"], live=False), out / PLAIN.name)[0] == "training"


def test_the_small_model_plays_as_recorded(out):
    """Also with the queue hidden: what the policy does not see is part of the model."""
    model = out / HIDDEN.name / "model.zip"
    played = evaluate(model, "McPlace/Wall-v0", episodes=12, latency=4).summary
    recorded = json.loads((model.parent / "simulator.json").read_text())
    assert played["success"] == recorded["success"]
    assert played["return"] == pytest.approx(recorded["return"])
    assert model.stat().st_size < 250_000


def test_a_hidden_queue_changes_nothing_the_policy_says(out):
    from mc_place_env.evaluation.policies import load_model
    from mc_place_env.integrations.sb3 import make_vec_env

    venv = make_vec_env("McPlace/Wall-v0", 4, seed=0, actions=["wait", "place"], view_radius=3)
    observations = venv.reset()
    queued = {**observations, "pending": observations["pending"].copy()}
    queued["pending"][:, :, 0] = 1.0  # a request into every policy's own cell
    for entry, same in ((HIDDEN, True), (PLAIN, False)):
        policy = load_model(out / entry.name / "model.zip", "maskable_ppo").policy
        values = [policy.predict_values(policy.obs_to_tensor(seen)[0]).tolist() for seen in (observations, queued)]
        assert (values[0] == values[1]) is same


def test_the_page_tells_only_what_is_recorded(out, tmp_path):
    page = tmp_path / "results.md"
    write_page([PLAIN, HIDDEN, LIVE], out, page)
    lines = {line.split("|")[1].strip(): line for line in page.read_text().splitlines() if line.startswith("|")}
    assert lines["single-1"] == "| single-1 | - | - | - | - | - | - | - |"
    assert "| 1 of 1 |" in lines["Wall"]
    assert "| 0 of 1 | - | - | - | - | - | - |" in lines["Single"]
    success = json.loads((out / PLAIN.name / "simulator.json").read_text())["success"]
    assert f"| {100 * success:.1f} % [" in lines["wall-0"]
    assert lines["4"].startswith("| 4 | hidden | 1 | ")
    assert "Single: not measured" in page.read_text()
    assert (tmp_path / "results-curves.png").stat().st_size > 1000
    assert (tmp_path / "results-delay.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- {config: wall, seed: 0, sed: 1}", "unknown key 'sed'"),
        ("- {config: wall}", "expected config and seed"),
        ("- {config: wal, seed: 0}", "wal.yaml: no such file"),
        ("- {config: wall, seed: 0, set: [stepps=1]}", "unknown key 'stepps'"),
        ("- {config: wall, seed: 0, set: ['hide=[pendin]']}", "hide='pendin'"),
        ("- {config: wall, seed: 0}\n- {config: wall, seed: 0}", "wall-0 is listed twice"),
        ("runs: 3", "expected a list of runs"),
    ],
)
def test_a_bad_list_is_one_error(text, expected, tmp_path):
    (tmp_path / "runs.yaml").write_text(text)
    with pytest.raises(ConfigError) as error:
        read_entries(tmp_path / "runs.yaml")
    assert expected in str(error.value)


def test_the_list_in_the_repository_is_accepted():
    assert read_entries(ROOT / "results" / "runs.yaml")
