"""A small sample of `python -m mc_place_env.conformance` against the embedded server, and its parts."""

import json
from dataclasses import replace
from importlib.util import find_spec

import pytest

if find_spec("javascript") is None:  # importing it would start Node
    pytest.skip("needs the extra [minecraft]", allow_module_level=True)

from mc_place_env.backends import latency
from mc_place_env.config import LatencyModel
from mc_place_env.conformance import __main__ as command
from mc_place_env.conformance.pair import Comparison, Pair, Told
from mc_place_env.conformance.report import Report, html_page, not_modelled
from mc_place_env.conformance.shrink import shrunk, without_a_part
from mc_place_env.conformance.trials import KINDS, Request, Trial, family, packs, representatives, scripted
from mc_place_env.rules import palette
from mc_place_env.rules.blocks import BlockTable
from mc_place_env.rules.support import Need

TABLE = BlockTable.load()
ITEMS = ("torch", "oak_door", "white_bed", "stone_slab", "oak_stairs", "sand")


@pytest.mark.live
def test_a_sample_agrees(tmp_path, monkeypatch, record_testsuite_property):
    """Every fifth scripted case of a few families, and random placements of the same items."""
    monkeypatch.setattr(command, "representatives", lambda table: list(ITEMS))
    monkeypatch.setattr(command, "random_items", lambda draw, table: list(ITEMS))
    paths = {"json": tmp_path / "found.json", "html": tmp_path / "found.html"}
    options = [f"--{kind}={path}" for kind, path in paths.items()]
    assert command.main(["--scripted", "0.2", "--random", "160", "--bots", "8", *options]) == 0
    found = json.loads(paths["json"].read_text())
    assert found["unexplained"] == 0
    assert found["disagreements"] == []
    total = found["families"][-1]
    assert total["compared"] == total["agreed"] >= 150
    assert total["placed"] >= 30
    assert "</html>" in paths["html"].read_text()
    record_testsuite_property("conformance_compared", total["compared"])


@pytest.fixture(scope="module")
def pair():
    pair = Pair(("stone", "torch"), 4, "embedded")
    yield pair
    pair.close()


@pytest.mark.live
def test_disagreements_are_found_and_shrunk(monkeypatch):
    """The package's copy of a rule is broken on purpose: torches stand on anything."""
    monkeypatch.setattr(palette, "need", lambda *state: Need())
    clutter = {(x, 64, z): "stone" for x in (-3, 3) for z in range(-3, 4)}
    trial = Trial("broken", [Request("torch", (0, 63, 2), "up")], clutter | {(0, 63, 2): "oak_leaves[persistent=true]"})
    broken = Pair(("torch",), 4, "embedded")
    try:
        (comparison,) = broken.compare([trial])
        smallest = shrunk(broken, comparison)
    finally:
        broken.close()
    assert (comparison.simulator.outcome, comparison.server.outcome) == ("placed", "failed")
    assert not smallest.agrees
    assert set(smallest.trial.blocks) == {(0, 63, 0), (0, 63, 2)}
    report = Report(TABLE, "embedded")
    report.add(comparison)
    report.add_disagreement(smallest)
    assert report.unexplained == 1
    assert "torch on up of (0, 63, 2)" in report.text()
    assert "torch on up of (0, 63, 2)" in html_page(report)


@pytest.mark.live
def test_requests_build_on_one_another(pair):
    trial = Trial("x", [Request("stone", (0, 63, 2), "up"), Request("torch", (0, 64, 2), "up")])
    first, second = pair.compare([trial])
    assert first.agrees
    assert first.judged
    assert second.simulator.changed == (((0, 65, 2), "torch"),)
    assert second.trial.blocks[0, 64, 2] == "stone"
    assert not first.simulator.agrees(replace(first.server, held=0))


def test_the_scripted_cases_cover_everything():
    items = representatives(TABLE)
    assert {family(TABLE, item) for item in TABLE.items} == {family(TABLE, item) for item in items}
    assert sorted(item for group in packs(TABLE, items) for item in group) == sorted(items)
    trials = list(scripted(TABLE, "torch"))
    assert {trial.kind for trial in trials} == set(KINDS)
    assert {trial.yaw for trial in trials if trial.kind == "free"} == {0.0, 90.0, 180.0, 270.0}
    assert len({trial.requests[0].face for trial in trials if trial.kind == "free"}) == 10


def test_parts_are_removed_but_the_ground_stays():
    blocks = {(0, 63, 0): "stone", (1, 64, 0): "dirt", (2, 64, 0): "dirt", (3, 64, 0): "dirt"}
    tried = without_a_part(blocks, 3, (0, 63, 0))
    assert [len(rest) for rest in tried] == [3, 3, 3]
    assert all((0, 63, 0) in rest for rest in tried)


def test_gaps_are_listed_and_do_not_count(pair_of_comparisons):
    report = Report(TABLE, "embedded")
    for comparison in pair_of_comparisons:
        report.add(comparison)
    assert report.counted.compared == 1
    assert "not enforced by this server: light" in report.text()
    assert {"mushroom", "click on jukebox"} <= set(not_modelled())
    other = Report(TABLE, "localhost:25565")
    for comparison in pair_of_comparisons:
        other.add(comparison)
    assert other.counted.compared == 2


@pytest.fixture
def pair_of_comparisons():
    """A request for a mushroom and one for stone, both agreed on."""
    told = Told("placed", "", (0, 64, 2), (((0, 64, 2), "stone"),), 3, ())
    requests = [Request(item, (0, 63, 2), "up") for item in ("brown_mushroom", "stone")]
    return [Comparison(request, Trial("x", [request]), told, told, True) for request in requests]


@pytest.mark.live
def test_the_latency_of_a_server_becomes_the_simulators(tmp_path, capsys):
    file = tmp_path / "ticks.txt"
    assert latency.main([str(file), "--requests", "12"]) == 0
    assert "12 placements" in capsys.readouterr().out
    ticks = sorted(map(int, file.read_text().split()))
    assert LatencyModel.parse({"empirical": str(file)}).entry == tuple(ticks)
    assert len(ticks) == 12


def test_a_server_that_is_not_there(tmp_path, capsys):
    assert latency.main([str(tmp_path / "ticks.txt"), "--server", "nowhere"]) == 3
    assert "server='nowhere'" in capsys.readouterr().err
    assert command.main(["--server", "nowhere", "--random", "0", "--scripted", "0.01"]) == 3
