"""The training and evaluation scripts, from the command line."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib")

from mc_place_env.command_line import overrides
from mc_place_env.errors import ConfigError
from mc_place_env.evaluation import evaluate
from mc_place_env.evaluation.__main__ import main
from mc_place_env.evaluation.policies import CheckpointPolicy, as_policies
from mc_place_env.evaluation.run import load_run

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "train"))

import curriculum  # noqa: E402
import ppo  # noqa: E402
from common import combine, merge  # noqa: E402
from ppo import load_config  # noqa: E402

TINY = ("n_envs=8", "ppo.n_steps=16", "ppo.batch_size=64", "ppo.n_epochs=1", "steps=256", "env.offset_range=2")


def run(script, *arguments):
    """A script of train/ -> the finished process."""
    command = [sys.executable, str(ROOT / "train" / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A tiny run -> its folder."""
    out = tmp_path_factory.mktemp("runs") / "tiny"
    done = run("ppo.py", ROOT / "configs" / "wall.yaml", *TINY, "seed=3", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "256 steps" in done.stdout
    assert done.stderr == ""  # no progress bar in a log
    return out


def test_a_run_leaves_model_record_and_log(trained):
    record = json.loads((trained / "run.json").read_text())
    assert (trained / "model.zip").is_file()
    assert list(trained.glob("events.out.tfevents.*"))
    assert record["config"]["seed"] == 3
    assert record["config"]["ppo"]["gamma"] == 0.95
    assert record["items"] == ["cobblestone", "dirt", "oak_planks"]
    assert record["versions"]["torch"]
    assert record["versions"]["mc_place_env"]
    assert record["steps"] == 256
    assert record["curve"]["rows"][-1][0] == 256


def test_evaluate_prints_one_table(trained, tmp_path):
    out = tmp_path / "results" / "table"
    policies = ("--policy", trained, "--policy", "random", "--policy", "scripted")  # the folder, for its model.zip
    done = run("evaluate.py", *policies, "--episodes", 6, "--num-envs", 3, "--out", out, "latency=2")
    assert done.returncode == 0, done.stderr
    header, _, *lines, page = done.stdout.splitlines()
    assert header.startswith("policy")
    assert page == str(out / "report.html")
    assert [line.split()[0] for line in lines] == ["tiny", "random", "scripted"]
    assert lines[2].split()[2] == "100.0%"
    assert lines[2].split()[-1] == "2.0"
    results = load_run(out).evaluations()
    assert [[played["seed"] for played in result.episodes] for result in results] == [list(range(6))] * 3
    identity = json.loads((out / "run.json").read_text())["policies"][0]
    assert identity["sha256"] == hashlib.sha256((trained / "model.zip").read_bytes()).hexdigest()
    assert identity["trained"]["config"]["seed"] == 3
    assert "Learning curves" in (out / "report.html").read_text()


def test_training_runs_of_one_policy(trained, tmp_path):
    for name in ("a", "b"):
        shutil.copytree(trained, tmp_path / name)
    pattern = str(tmp_path / "*" / "model.zip")
    policies = as_policies(pattern)
    assert [(policy.name, policy.checkpoint) for policy in policies] == [
        (pattern, str(tmp_path / name / "model.zip")) for name in ("a", "b")
    ]


def test_a_run_is_not_resumed_or_repeated_with_another_checkpoint(trained, tmp_path, capsys):
    model = shutil.copytree(trained, tmp_path / "tiny") / "model.zip"
    command = ["--policy", str(model), "--episodes", "2", "--out", str(tmp_path / "run")]
    assert main(command) == 0
    assert main([*command[:2], "--id", "McPlace/Single-v0", "--out", str(tmp_path / "single")]) == 2
    assert "trained for id McPlace/Wall-v0" in capsys.readouterr().err
    assert not (tmp_path / "single").exists()
    other = CheckpointPolicy(model).model
    next(other.policy.parameters()).data += 1.0
    other.save(model)
    for again in (command, ["repeat", str(tmp_path / "run"), "--out", str(tmp_path / "again")]):
        assert main(again) == 2
        assert "policies[0].sha256" in capsys.readouterr().err


def test_missing_model_is_one_error_that_names_it():
    done = run("evaluate.py", "--policy", "runs/none/model.zip", "--policy", "random", "--episodes", 2)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "runs/none/model.zip" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["stepps=10"], "unknown key 'stepps' (did you mean 'steps'?)"),
        (["ppo.learning_rat=1"], "unknown key 'learning_rat' (did you mean 'learning_rate'?)"),
        (["env.latencyy=1"], "unknown key 'latencyy' (did you mean 'latency'?)"),
        (["env.gamma=0.9"], "set ppo.gamma"),
        (["algorithm=pp"], "algorithm='pp'"),
        (["id=McPlace/Wal-v0"], "Wal"),
        (["n_envs=0"], "n_envs=0: expected an integer"),
        (["steps"], "'steps': expected key=value"),
    ],
)
def test_a_bad_key_or_value_is_named(arguments, expected, tmp_path):
    done = run("ppo.py", ROOT / "configs" / "wall.yaml", *arguments, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert expected in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_missing_config():
    done = run("ppo.py", "configs/none.yaml")
    assert done.returncode == 2
    assert "none.yaml: no such file" in done.stderr


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_config_is_accepted(path):
    from mc_place_env.integrations.sb3 import make_vec_env

    config = (curriculum.load_config if path.stem.startswith("curriculum") else load_config)(path, [])
    make_vec_env(config["id"], 1, action_view=config["action_view"], gamma=config["ppo"]["gamma"], **config["env"])


def test_overrides():
    given = overrides(["ppo.learning_rate=1e-3", "env.latency=[0, 4]", "target=0.9", "seconds=null", "id=a=b"])
    assert given == {
        "ppo": {"learning_rate": 0.001},
        "env": {"latency": [0, 4]},
        "target": 0.9,
        "seconds": None,
        "id": "a=b",
    }
    assert combine({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}) == {"a": {"b": 1, "c": 3}}
    assert merge({"a": 1, "b": {}}, {"b": {"any": 2}}, "here") == {"a": 1, "b": {"any": 2}}
    with pytest.raises(ConfigError, match="b=3: expected a mapping"):
        merge({"a": 1, "b": {}}, {"b": 3}, "here")


@pytest.mark.parametrize(
    ("env_id", "options", "match"),
    [
        ("McPlace/Single-v0", {}, "trained for id McPlace/Wall-v0"),
        ("McPlace/Wall-v0", {"action_view": "discrete"}, "action_view"),
        ("McPlace/Wall-v0", {"items": ("dirt", "cobblestone", "oak_planks")}, "trained for items"),
        ("McPlace/Wall-v0", {"view_radius": 4}, "trained with view_radius=3"),
        ("McPlace/Wall-v0", {"offset_range": 3}, "offset_range=3"),
    ],
)
def test_a_checkpoint_is_refused_where_it_does_not_fit(trained, env_id, options, match):
    with pytest.raises(ConfigError, match=match):
        evaluate(trained / "model.zip", env_id, episodes=1, **options)


def test_a_file_that_is_no_model(trained, tmp_path):
    (tmp_path / "model.zip").write_text("no zip")
    with pytest.raises(ConfigError, match=r"no run\.json beside it"):
        evaluate(tmp_path / "model.zip", "McPlace/Wall-v0")
    (tmp_path / "run.json").write_text((trained / "run.json").read_text())
    with pytest.raises(ConfigError, match="cannot be loaded as a model"):
        evaluate(tmp_path / "model.zip", "McPlace/Wall-v0")


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ("steps=0", "steps=0: expected an integer"),
        ("n_envs=many", "n_envs='many': expected an integer"),
        ("window=null", "window=None: expected an integer"),
        ("ppo.n_steps=0", r"ppo\.n_steps=0: expected an integer"),
        ("target=95", "target=95: expected a number"),
        ("seconds=-1", "seconds=-1: expected a number"),
    ],
)
def test_numbers_of_a_run_are_checked(given, match):
    with pytest.raises(ConfigError, match=match):
        load_config(ROOT / "configs" / "wall.yaml", [given])


def test_a_run_that_is_refused_leaves_nothing(trained, tmp_path):
    config = load_config(ROOT / "configs" / "wall.yaml", [*TINY, "env.view_radius=2"])
    with pytest.raises(ConfigError, match="trained for observation space"):
        ppo.train(config, tmp_path / "run", trained / "model.zip")
    assert not (tmp_path / "run").exists()


def test_a_record_without_settings_is_no_record(trained, tmp_path):
    shutil.copy(trained / "model.zip", tmp_path)
    (tmp_path / "run.json").write_text('{"config": {}, "items": []}')
    with pytest.raises(ConfigError, match="not the record of a training run"):
        CheckpointPolicy(tmp_path / "model.zip")


# -- curricula and resuming --------------------------------------------------------------------------------------------

SHORT = (*TINY, "env.episode_steps=4", "curriculum.window=12", "curriculum.success=0.0", "curriculum.share=0.0")


@pytest.fixture(scope="module")
def staged(tmp_path_factory):
    """A tiny run on a curriculum, ended in its second stage -> its folder."""
    out = tmp_path_factory.mktemp("runs") / "staged"
    done = run("curriculum.py", ROOT / "configs" / "curriculum_wall.yaml", *SHORT, "steps=64", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "stage 2/4, success" in done.stdout
    assert done.stderr == ""
    return out


def test_a_run_on_a_curriculum_is_resumed_in_its_stage(staged, tmp_path):
    first = json.loads((staged / "run.json").read_text())
    out, config = tmp_path / "resumed", ROOT / "configs" / "curriculum_wall.yaml"
    curriculum.train(curriculum.load_config(config, [*SHORT, "steps=256"]), out, staged / "model.zip")
    second = json.loads((out / "run.json").read_text())
    assert [promotion["stage"] for promotion in second["promotions"]] == [1, 2]
    assert second["promotions"][:1] == first["promotions"]
    assert second["curve"]["rows"][0][0] > first["steps"]
    assert list(out.glob("events.out.tfevents.*"))


def test_a_checkpoint_of_a_curriculum_is_evaluated(staged):
    assert len(evaluate(staged / "model.zip", "McPlace/Wall-v0", episodes=2, difficulty=1.0).episodes) == 2


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["action_view=discrete"], "trained for action_view multi_discrete, the environment has discrete"),
        (["env.items=[dirt]"], "trained for items ['cobblestone', 'dirt', 'oak_planks'], the environment has ['dirt']"),
        (["env.view_radius=4"], "trained for observation space"),
        (["env.offset_range=3"], "trained for action space"),
        (["steps=256"], "steps=256: "),
    ],
)
def test_a_checkpoint_is_not_resumed_where_it_does_not_fit(trained, arguments, expected, tmp_path):
    config = load_config(ROOT / "configs" / "wall.yaml", [*TINY, *arguments])
    with pytest.raises(ConfigError) as error:
        ppo.train(config, tmp_path / "out", trained / "model.zip")
    assert expected in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["curriculum.stages=[{task: Wal}]"], "curriculum: stages[0]: task='Wal'"),
        (["curriculum.sucess=1"], "curriculum: unknown key 'sucess' (did you mean 'success'?)"),
        (["target=0.9"], "unknown key 'target'"),
    ],
)
def test_a_bad_curriculum_is_named(arguments, expected):
    with pytest.raises(ConfigError) as error:
        curriculum.load_config(ROOT / "configs" / "curriculum_wall.yaml", arguments)
    assert expected in str(error.value)
