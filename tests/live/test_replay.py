"""A live run recorded and replayed: the same verdicts, observations and changes, without Minecraft."""

import json
from importlib.util import find_spec

import pytest
from helpers import as_bytes, make, scenario

if find_spec("javascript") is None:  # importing it would start Node
    pytest.skip("needs the extra [minecraft]", allow_module_level=True)

import mc_place_env
from mc_place_env.backends import latency
from mc_place_env.backends.replay import Replay
from mc_place_env.backends.trace import TraceError, record
from mc_place_env.errors import ConfigError

START = {"scenario": scenario([0, 65, 3, "stone"], [0, 64, 2, "short_grass"], inventory={"sand": 4, "torch": 2})}
OPTIONS = {"items": ("sand", "torch"), "ticks_per_step": 2, "episode_steps": 100}


def played(env):
    """Everything a short episode tells: sand that falls, two torches, a step forward."""
    actions = mc_place_env.Actions(env)
    told = [env.reset(seed=0, options=START)]
    script = [actions.place("sand", 0, 1, 3, "back"), actions.wait(), actions.place("torch", 0, -1, 1, "up")]
    script += [actions.place("torch", 0, 1, 3, "down"), actions.move_forward(), *[actions.wait()] * 12]
    return [*told, *(env.step(action) for action in script)]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    file = tmp_path_factory.mktemp("trace") / "run.jsonl"
    env = make(backend="minecraft", **OPTIONS)
    env.reset(seed=0, options=START)
    record(env, file)
    told = played(env)
    env.close()
    return file, told


@pytest.mark.live
def test_a_replay_tells_the_same(recorded):
    file, told = recorded
    replayed = played(make(backend=Replay(file), **OPTIONS))
    assert as_bytes(replayed) == as_bytes(told)
    outcomes = [outcome["outcome"] for _, *_, info in replayed for outcome in info["outcomes"]]
    assert outcomes == ["placed"] * 3
    assert sum(len(step[-1]["changes"]) for step in replayed) == 1


@pytest.mark.live
def test_latencies_are_fitted_from_a_trace(recorded, tmp_path):
    file = tmp_path / "ticks"
    assert latency.main([str(file), "--trace", str(recorded[0])]) == 0
    told = [outcome for *_, info in recorded[1] for outcome in info["outcomes"]]
    assert len(file.read_text().split()) == len(told)
    assert latency.main([str(file), "--trace", str(tmp_path / "nothing")]) == 3


@pytest.mark.live
def test_another_script_is_refused(recorded):
    env = make(backend=Replay(recorded[0]), **OPTIONS)
    env.reset(seed=0, options=START)
    with pytest.raises(TraceError, match="was recorded for"):
        env.step(mc_place_env.Actions(env).jump())


@pytest.mark.live
def test_another_version_is_refused(recorded, tmp_path):
    head, *lines = recorded[0].read_text().splitlines()
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join([json.dumps(json.loads(head) | {"version": "1.8"}), *lines]))
    with pytest.raises(TraceError, match=r"version 1\.8"):
        make(backend=Replay(other), **OPTIONS).reset(seed=0, options=START)


def test_what_is_no_trace(tmp_path):
    with pytest.raises(ConfigError, match="no such file"):
        Replay(tmp_path / "nothing")
    file = tmp_path / "other"
    for text in ("", "{}", '{"trace": 1, "version": "1.20.4", "plots": []}', "no json"):
        file.write_text(text)
        with pytest.raises(ConfigError, match="trace"):
            Replay(file)


def test_only_a_live_environment_is_recorded(tmp_path):
    with pytest.raises(ConfigError, match="backend='minecraft'"):
        record(make(), tmp_path / "x")
