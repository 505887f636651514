"""Evaluation runs in a folder: repeated, resumed, compared, reported; and every bad input one clear error."""

import csv
import io
import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from helpers import sandbox

from mc_place_env.command_line import exit_status
from mc_place_env.errors import ConfigError
from mc_place_env.evaluation.__main__ import main
from mc_place_env.evaluation.aggregate import compare, summary
from mc_place_env.evaluation.episodes import FIGURES, HEADER, Series, from_row, read_episodes, to_line
from mc_place_env.evaluation.overlap import Overlap
from mc_place_env.evaluation.policies import as_policy
from mc_place_env.evaluation.progress import Progress
from mc_place_env.evaluation.report import compare_page, run_page
from mc_place_env.evaluation.run import Plan, begin, load_policies, load_run, play

WALL, SINGLE, SANDBOX = "McPlace/Wall-v0", "McPlace/Single-v0", "McPlace/Sandbox-v0"


def make_run(folder, policies=("random", "scripted"), ids=(WALL,), **plan):
    """Plays a plan in a folder -> the run."""
    given = {"episodes": 10, "num_envs": 4} | plan
    plan = Plan(list(policies), list(ids), **given)
    loaded = load_policies(plan)
    run = begin(plan, loaded, folder)
    play(run, loaded, folder)
    return run


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A finished run -> (its folder, the bytes of its episodes)."""
    folder = tmp_path_factory.mktemp("evaluation") / "run"
    make_run(folder)
    return folder, (folder / "episodes.csv").read_bytes()


def copy_run(folder, to, episodes=None, **changes):
    """A run's folder with other episodes, or with changes to its record."""
    to.mkdir()
    record = json.loads((folder / "run.json").read_text()) | changes
    (to / "run.json").write_text(json.dumps(record))
    (to / "episodes.csv").write_bytes((folder / "episodes.csv").read_bytes() if episodes is None else episodes)
    return to


# -- goal overlap -----------------------------------------------------------------------------------------------------


def test_goal_overlap_counts_what_was_asked_for_and_what_was_changed():
    goal = [[0, 64, 1, "cobblestone"], [1, 64, 1, "cobblestone"], [2, 64, 1, "cobblestone"]]
    env, actions = sandbox([2, 64, 1, "cobblestone"], goal=goal)  # one of three is there
    overlap = Overlap(env.unwrapped.view)
    assert overlap.measure() == 0.0
    env.step(actions.place("cobblestone", 0, -1, 1, "up"))
    assert overlap.measure() == 1 / 2
    env.step(actions.place("cobblestone", 0, -1, 2, "up"))  # not asked for
    assert overlap.measure() == 1 / 3
    env.step(actions.place("cobblestone", -1, -1, 1, "up"))
    assert overlap.measure() == 2 / 3


def test_no_goal_no_overlap():
    env, actions = sandbox()
    overlap = Overlap(env.unwrapped.view)
    env.step(actions.place("cobblestone", 0, -1, 1, "up"))
    assert overlap.measure() is None


# -- rows -------------------------------------------------------------------------------------------------------------


def test_rows_come_back_as_they_were(played):
    folder, text = played
    episodes = read_episodes(folder / "episodes.csv")
    lines = [to_line(series, episode) for series, by_key in episodes.items() for episode in by_key.values()]
    assert HEADER + "".join(lines) == text.decode()
    assert list(episodes) == [Series(name, "simulator", WALL, "test") for name in ("random", "scripted")]
    assert all(len(by_key) == 10 for by_key in episodes.values())


def test_what_was_not_measured_is_an_empty_cell():
    series = Series("a, b", "simulator", WALL, "test")
    episode = dict.fromkeys(FIGURES, 0) | {"checkpoint": "", "success": True, "return": 0.1, "goal_overlap": None}
    episode |= {"exact": None, "ticks_to_verdict": None, "failed_by_reason": {"no_item": 2}}
    line = to_line(series, episode)
    assert from_row(next(csv.DictReader([HEADER, line]))) == (series, episode)
    assert ",true,0.1,0,0,,," in line


# -- repeated and resumed ---------------------------------------------------------------------------------------------


def test_a_run_repeats_to_the_byte(played, tmp_path, capsys):
    folder, text = played
    assert main(["repeat", str(folder), "--out", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again" / "episodes.csv").read_bytes() == text
    assert capsys.readouterr().err == ""


def test_rows_at_once_change_nothing(played, tmp_path):
    make_run(tmp_path / "run", num_envs=1)
    assert (tmp_path / "run" / "episodes.csv").read_bytes() == played[1]


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.55, 0.99])
def test_a_cut_file_is_resumed_as_if_it_had_not_been_cut(played, tmp_path, share):
    folder, text = played
    cut = copy_run(folder, tmp_path / "cut", text[: int(share * len(text))])
    make_run(cut)
    assert (cut / "episodes.csv").read_bytes() == text


def test_what_was_finished_before_a_keyboard_interrupt_is_kept(tmp_path, monkeypatch, capsys):
    """The same command plays only the rest, with the result of an uninterrupted run."""
    (tmp_path / "tiring.py").write_text(
        "import numpy as np\nleft = 70\n"
        "def act(observations):\n"
        "    global left\n    left -= 1\n"
        "    if left == 0: raise KeyboardInterrupt\n"
        "    return np.zeros((len(observations['voxels']), 6), np.int64)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    command = ["--policy", "tiring:act", "--episodes", "10", "--num-envs", "4", "action_view=multi_discrete"]
    assert main([*command, "--out", str(tmp_path / "run")]) == 130
    told = capsys.readouterr()
    assert "2 episodes are missing" in told.err
    assert told.out.splitlines()[2].split()[:2] == ["act", "8"]
    assert len(load_run(tmp_path / "run").evaluations()[0].episodes) == 8  # two rounds of 32 steps
    assert main([*command, "--out", str(tmp_path / "run")]) == 0
    assert main([*command, "--out", str(tmp_path / "whole")]) == 0
    for name in ("run.json", "episodes.csv", "summary.json"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_a_finished_run_is_not_played_again(played, monkeypatch):
    monkeypatch.setattr("mc_place_env.evaluation.run.evaluate", None)
    assert make_run(played[0]).missing == 0


class Terminal(io.StringIO):
    """What a terminal would show."""

    def isatty(self):
        return True


def test_progress_on_a_terminal(monkeypatch):
    pytest.importorskip("tqdm")
    monkeypatch.setattr("sys.stderr", Terminal())
    with Progress(10, before=4) as progress:
        progress.add("scripted", [{"success": True}, {"success": False}])
        progress.bar.refresh()
        shown = sys.stderr.getvalue().split("\r")[-1]
    assert shown.startswith("scripted:")
    assert "6/10" in shown
    assert re.search(r"<\d\d:\d\d", shown)  # time left
    assert "success 50.0%" in shown


def test_progress_is_silent_in_a_log(tmp_path, capsys):
    assert main(["--policy", "scripted", "--episodes", "3", "--out", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().err == ""


# -- compared ---------------------------------------------------------------------------------------------------------


def test_runs_are_paired_by_start(played, tmp_path):
    make_run(tmp_path / "slow", options={"latency": 9})
    told = compare([load_run(played[0]), load_run(tmp_path / "slow")])
    assert told["changed"] == [("plan.options.latency", [None, 9])]
    assert told["warnings"] == []
    assert [each["pairs"] for each in told["comparisons"]] == [10, 10]
    random, scripted = told["comparisons"]
    assert (scripted["policy"], scripted["baseline"]) == (f"scripted, {tmp_path / 'slow'}", f"scripted, {played[0]}")
    assert scripted["success_gain"] == {"value": 0.0, "interval": None}
    assert scripted["improvement_in_goal_overlap"]["value"] == 0.5
    assert random["policy"].startswith("random")


def test_only_common_starts_are_compared(played, tmp_path):
    make_run(tmp_path / "later", seed=6)
    told = compare([load_run(played[0]), load_run(tmp_path / "later")])
    assert [each["pairs"] for each in told["comparisons"]] == [4, 4]


def test_a_policy_is_compared_to_the_first(played):
    (told,) = summary(load_run(played[0]))["comparisons"]
    assert (told["policy"], told["baseline"]) == ("scripted", "random")
    assert told["success_gain"]["value"] == 1.0
    assert told["improvement_in_success"]["value"] == 1.0


def test_a_task_without_goal_has_no_success_and_no_overlap(tmp_path):
    run = make_run(tmp_path / "run", ids=(SANDBOX,), policies=("random",), episodes=2, options={"episode_steps": 20})
    (told,) = summary(run)["policies"]
    assert told["success"] is told["goal_overlap_iqm"] is told["profile"] is None
    (series,) = summary(run)["series"]
    assert series["success"] is series["success_interval"] is series["goal_overlap"] is None
    assert "NaN" not in json.dumps(summary(run))
    page = run_page(run, summary(run), [])
    assert "Performance profile" not in page
    assert re.search("nan|None", re.sub(r"(?s)<pre>.*?</pre>|<style>.*?</style>", "", page)) is None


def test_mixed_versions_and_unfinished_runs_are_named(played, tmp_path, capsys):
    folder, text = played
    versions = json.loads((folder / "run.json").read_text())["versions"] | {"numpy": "1.0.0"}
    other = copy_run(folder, tmp_path / "other", text[:-1], versions=versions)
    assert main(["compare", str(folder), str(other)]) == 0
    told = capsys.readouterr()
    assert f"warning: mixed versions: versions.numpy: {np.__version__}, 1.0.0" in told.err
    assert "1 episodes are missing" in told.err
    assert re.search(r"versions.numpy\s+\S+\s+1\.0\.0", told.out)


# -- training runs ----------------------------------------------------------------------------------------------------


def test_several_training_runs_are_the_units(played):
    run = load_run(played[0])
    series = next(iter(run.episodes))
    run.episodes[series] = {
        (name, seed): episode | {"checkpoint": name, "success": seed < solved, "goal_overlap": solved / 10}
        for name, solved in (("a", 2), ("b", 4), ("c", 9))
        for (_, seed), episode in run.episodes[series].items()
    }
    told = summary(run)
    first = told["policies"][0]
    assert (first["training_runs"], first["episodes"]) == (3, 30)
    assert first["success"]["value"] == pytest.approx(0.5)
    assert first["goal_overlap_iqm"]["value"] == pytest.approx(0.5)  # three scores: nothing to trim
    assert first["success"]["interval"] == pytest.approx((0.2, 0.9), abs=0.1)
    assert told["series"][0]["success_interval"] == pytest.approx(first["success"]["interval"])
    assert told["comparisons"][0]["pairs"] == 10
    assert told["comparisons"][0]["improvement_in_success"]["value"] == pytest.approx(0.75)


# -- pages ------------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Collects links and checks that every element is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.links, self.tags = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("href", "src")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_report_stands_alone_and_links_only_to_its_replays(tmp_path, capsys):
    out = tmp_path / "run"
    command = ["--policy", "random", "--policy", "scripted", "--id", SINGLE, "--id", WALL, "--episodes", "6"]
    assert main([*command, "--out", str(out)]) == 0
    page = Page((out / "report.html").read_text())
    assert page.tags.count("svg") == 2  # profile and reasons; no checkpoint, no learning curve
    assert len(page.links) == 4  # of each task a success (scripted) and a failure (random)
    assert all((out / link).is_file() for link in page.links)
    assert not {"script", "link", "img"} & set(page.tags)


def test_names_are_text_and_not_markup(played):
    run = load_run(played[0])
    run.record["policies"][0]["name"] = "<b>&"
    first = next(iter(run.episodes))
    run.episodes[first._replace(policy="<b>&")] = run.episodes.pop(first)
    page = Page(run_page(run, summary(run), []))
    assert "b" not in page.tags


def test_the_page_of_a_comparison(played, tmp_path):
    make_run(tmp_path / "slow", options={"latency": 9})
    runs = [load_run(played[0]), load_run(tmp_path / "slow")]
    text = compare_page(runs, compare(runs))
    assert Page(text).links == []
    assert "plan.options.latency" in text


# -- bad input --------------------------------------------------------------------------------------------------------


def error_of(capsys, *arguments):
    """The one line a failing command prints."""
    assert main([*map(str, arguments)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    return line


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (["--episodes", "11"], "plan.episodes: 10 there, 11 here"),
        (["--policy", "scripted"], "plan.policies"),
        (["latency=3"], "plan.options.latency: None there, 3 here"),
    ],
)
def test_a_folder_of_another_evaluation(played, capsys, change, expected):
    command = ["--policy", "random", "--policy", "scripted", "--episodes", "10", "--num-envs", "4"]
    command = change + command[4:] if change[0] == "--policy" else command + change
    line = error_of(capsys, *command, "--out", played[0])
    assert "holds another evaluation" in line
    assert expected in line
    assert (played[0] / "episodes.csv").read_bytes() == played[1]


def test_a_folder_of_something_else(tmp_path, capsys):
    (tmp_path / "run.json").write_text('{"config": {}, "items": []}')  # of a training run
    for arguments in (["--policy", "random", "--out", tmp_path], ["compare", tmp_path, tmp_path]):
        assert "not the folder of an evaluation" in error_of(capsys, *arguments)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


def test_a_run_begun_with_other_sources_is_not_resumed(played, tmp_path):
    finished = copy_run(played[0], tmp_path / "finished", sources="0")
    assert make_run(finished).missing == 0  # nothing would be mixed
    cut = copy_run(played[0], tmp_path / "cut", played[1][:-1], sources="0")
    with pytest.raises(ConfigError, match=r"sources: 0 there, \w+ here"):
        make_run(cut)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--policy", "scripted", "--id", WALL, "--id", SANDBOX], "Sandbox has no expert"),
        (["--policy", "random", "--policy", "random"], "policies=['random', 'random']"),
        (["--policy", "runs/none-*/model.zip"], "no file matches"),
        (["--policy", "random", "--episodes", "0"], "episodes=0"),
        (["--policy", "random", "latencyy=3"], "latency"),
        (["--policy", "random", "split=train"], "as --split"),
        (["--policy", "random", "--backend", "simulator", "--backend", "minecraft", "latency=3"], "latency=3"),
    ],
)
def test_bad_input_leaves_no_folder(arguments, expected, tmp_path, capsys):
    assert expected in error_of(capsys, *arguments, "--out", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_comparisons_that_cannot_be(played, tmp_path, capsys):
    folder, text = played
    empty = copy_run(folder, tmp_path / "empty", HEADER.encode())
    assert "empty run" in error_of(capsys, "compare", folder, empty)
    assert "two or more different runs" in error_of(capsys, "compare", folder)
    make_run(tmp_path / "far", seed=1000)
    line = error_of(capsys, "compare", folder, tmp_path / "far")
    assert "nothing to pair" in line
    assert f"{WALL} test seeds 1000 to 1009" in line
    damaged = copy_run(folder, tmp_path / "damaged", text.replace(b",false,", b",maybe,"))
    assert "line 2 is damaged" in error_of(capsys, "compare", folder, damaged)
    columns = copy_run(folder, tmp_path / "columns", text.replace(b"goal_overlap", b"iou"))
    assert "other columns" in error_of(capsys, "compare", folder, columns)
    moved = copy_run(folder, tmp_path / "moved", re.sub(rb"(?m)(,,\d+),\d+,", rb"\1,7777,", text))
    assert "seed 0 is not the same instance" in error_of(capsys, "compare", folder, moved)
    old = copy_run(folder, tmp_path / "old", plan={"policies": ["random"], "tasks": []})
    assert "plan: of another version" in error_of(capsys, "compare", folder, old)
    assert "exists already" in error_of(capsys, "compare", folder, folder, "--out", folder / "run.json")


def test_a_repeat_needs_its_policies_and_another_folder(played, tmp_path, capsys):
    assert "choose another folder" in error_of(capsys, "repeat", played[0], "--out", played[0])
    policies = [{"name": "random", "kind": "Other"}, {"name": "scripted", "kind": "ScriptedPolicy"}]
    changed = copy_run(played[0], tmp_path / "changed", policies=policies)
    line = error_of(capsys, "repeat", changed, "--out", tmp_path / "out")
    assert "policies[0].kind was Other and is RandomPolicy" in line


def test_what_cannot_be_written_is_one_line(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["--policy", "random", "--episodes", "1", "--out", str(tmp_path / "file" / "run")]) == 2
    assert re.fullmatch(r"error: .*file/run'\n", capsys.readouterr().err)


def test_how_commands_end(capsys):
    def fail(error):
        raise error

    assert exit_status(lambda: None) == 0
    assert exit_status(lambda: fail(ConfigError("two\n  lines"))) == 2
    assert exit_status(lambda: fail(KeyboardInterrupt()), "stopped") == 130
    assert capsys.readouterr().err == "error: two lines\nstopped\n"
    with pytest.raises(ValueError, match="a fault of ours"):
        exit_status(lambda: fail(ValueError("a fault of ours")))


def test_a_compiled_function_is_a_policy():
    assert as_policy("numpy:zeros").identity()["sha256"] is None
