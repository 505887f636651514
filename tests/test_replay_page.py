"""Episode records, and the replay page in a browser: it draws, the slider moves, requests are clicked, all offline."""

import json
import os
import shutil
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from helpers import make, make_vec, scenario
from trace_scripts import TRACES

import mc_place_env
from mc_place_env.errors import ConfigError
from mc_place_env.evaluation import as_policy
from mc_place_env.rendering import replay
from mc_place_env.rendering.env import goal_in
from mc_place_env.rendering.playing import play, replayed
from mc_place_env.rendering.record import Recorder, record_episode
from mc_place_env.rendering.replay import write_replay
from mc_place_env.rendering.scene import goal_state

WALL = {"difficulty": 1.0, "latency": 9}


@pytest.fixture(scope="module")
def wall():
    """The expert's episode on a wall with four gaps."""
    return play("McPlace/Wall-v0", "scripted", [3], **WALL)[0]


def played(script, options, start=None, seed=0):
    """A single environment's episode -> (record, infos without the reset's, the environment)."""
    env = make(**options)
    env.reset(seed=seed, options={"scenario": start})
    recorder, infos = Recorder(env.unwrapped.batch), []
    for action in script(mc_place_env.Actions(env)):
        infos.append(env.step(action)[-1])
        recorder.add()
    return recorder.episode(env_id=None, policy="script", seed=seed), infos, env


def final_world(episode):
    """{cell: block name} after all changes."""
    cells = {tuple(cell): state for *cell, state in episode["blocks"]}
    cells |= {tuple(cell): state for _, *cell, state in episode["changed"]}
    return {cell: episode["names"][state] for cell, state in cells.items() if episode["names"][state] != "air"}


# ---------------------------------------------------------------- records


def test_a_record_is_plain_json(wall):
    assert json.loads(json.dumps(wall)) == wall


def test_a_record_tells_the_whole_episode(wall):
    assert wall["success"] and wall["terminated"] and not wall["truncated"]
    assert [request["outcome"] for request in wall["requests"]] == ["placed"] * 4
    assert all(request["resolved_tick"] - request["submitted_tick"] == 9 for request in wall["requests"])
    world = final_world(wall)
    assert all(world[tuple(cell)] == item for *cell, item in wall["goal"])
    assert [step["action"] for step in wall["steps"][:3]] == ["reset", "place dirt on (1, 2, 3) down", "wait"]
    assert sum(wall["steps"][-1]["reward_terms"].values()) > 0.5


def test_blocks_appear_at_the_tick_of_their_verdict_though_a_step_has_four(wall):
    placed = [[request["resolved_tick"], *request["cell"]] for request in wall["requests"]]
    assert [change[:4] for change in wall["changed"]] == placed
    assert {tick % 4 for tick, *_ in placed} != {0}


def test_recording_from_single_and_vector_environments_is_the_same():
    env = make("McPlace/Wall-v0", **WALL)
    env.reset(seed=5)
    recorder, expert, done = Recorder(env.unwrapped.batch), mc_place_env.tasks.TASKS["Wall"].expert, False
    while not done:
        done = env.step(expert(env.unwrapped.view))[2]
        recorder.add()
    single = recorder.episode(env_id="McPlace/Wall-v0", policy="scripted", seed=5)
    assert single == play("McPlace/Wall-v0", "scripted", [5], **WALL)[0]


def test_falls_failures_and_rejections():
    def script(actions):
        yield actions.place("sand", 0, 1, 3, "back")
        yield actions.place("sand", 0, -1, 0, "up")
        yield actions.place("sand", 0, -1, 1, "up")
        yield from [actions.wait()] * 8

    start = scenario([0, 65, 3, "stone"], inventory={"sand": 4})
    episode, infos, env = played(script, {"items": ("sand",), "latency": 12, "max_pending": 2}, start)
    first, second = episode["requests"]
    assert (first["outcome"], second["reason"]) == ("placed", "placement_overlaps_agent")
    assert [step["reason"] for step in episode["steps"] if step["status"] == "rejected"] == ["queue_full"]
    fall = first["changes"][0]
    assert (fall["kind"], fall["to"]) == ("fall", [0, 64, 2])
    assert [fall["tick"], 0, 64, 2, episode["names"].index("sand")] in episode["changed"]
    world = final_world(episode)
    assert all(env.unwrapped.block_at(*cell) == name for cell, name in world.items())
    assert (0, 65, 2) not in world
    assert episode["steps"][-1]["tick"] == infos[-1]["tick"]


def test_a_block_is_seen_before_its_verdict_is_heard():
    latency = {"entry": 3, "response": 6}
    episode, *_ = played(
        lambda actions: [actions.place("stone", 0, -1, 1, "up"), *[actions.wait()] * 3],
        {"items": ("stone",), "latency": latency},
        scenario(inventory={"stone": 1}),
    )
    request = episode["requests"][0]
    assert episode["changed"][0][:4] == [request["resolved_tick"], 0, 64, 1]
    assert request["reported_tick"] - request["resolved_tick"] == 6


def test_a_goal_is_met_by_the_block_its_item_becomes():
    goal = {"goal": [[0, 65, 2, "torch"]], "inventory": {"torch": 1}}
    env = make(items=("torch",), latency=0, render_mode="rgb_array")
    env.reset(seed=0, options={"scenario": scenario([0, 65, 3, "stone"], **goal)})
    recorder = Recorder(env.unwrapped.batch)
    *_, info = env.step(mc_place_env.Actions(env).place("torch", 0, 1, 3, "back"))
    recorder.add()
    episode = recorder.episode(env_id=None, policy="script", seed=0)
    placed = episode["changed"][0][-1]
    assert info["is_success"] and episode["names"][placed].startswith("wall_torch")
    assert episode["placed_by"][placed] == "torch" == episode["goal"][0][-1]
    assert goal_state(goal_in(env.unwrapped.view)[0][3], episode["names"][placed]) == "satisfied"


def test_a_recording_that_stops_early_keeps_what_is_in_flight():
    episode, *_ = played(
        lambda actions: [actions.place("stone", 0, -1, 1, "up")],
        {"items": ("stone",), "latency": 50},
        scenario(inventory={"stone": 1}),
    )
    assert [request["outcome"] for request in episode["requests"]] == ["pending"]
    assert not (episode["terminated"] or episode["truncated"])


def test_same_step_autoreset_is_refused():
    env = make_vec("McPlace/Wall-v0", 1, autoreset_mode="SameStep")
    with pytest.raises(ConfigError, match="SAME_STEP"):
        record_episode(env, as_policy("scripted"), 0)


@pytest.mark.parametrize("name", ["wall", "sandbox"])
def test_a_recorded_live_run_is_shown_by_its_file_alone(name):
    told = json.loads((TRACES / f"{name}.told.json").read_text())
    outcomes = [(o["outcome"], o["cell"], o["resolved_tick"]) for info in told for o in info["outcomes"]]
    shown = [request for episode in replayed(TRACES / f"{name}.jsonl") for request in episode["requests"]]
    assert sorted(map(str, outcomes)) == sorted(str((r["outcome"], r["cell"], r["resolved_tick"])) for r in shown)


def test_every_bot_of_a_recorded_run_is_shown(tmp_path):
    head, *lines = map(json.loads, (TRACES / "sandbox.jsonl").read_text().splitlines())
    both = [line | {"row": row} for line in lines for row in (0, 1)]
    path = tmp_path / "two.jsonl"
    path.write_text("\n".join(map(json.dumps, [head | {"plots": head["plots"] * 2}, *both])))
    first, second = replayed(path)
    assert (first["policy"], second["policy"]) == ("recorded, bot 0, episode 0", "recorded, bot 1, episode 0")
    assert first["requests"] == second["requests"] != []


# ---------------------------------------------------------------- the file


def test_nothing_is_written_for_what_is_no_record(tmp_path, wall):
    for episodes in ([], [{}], [wall, wall | {"format": 99}]):
        with pytest.raises(ConfigError, match="write_replay"):
            write_replay(tmp_path / "page.html", episodes)
    assert not list(tmp_path.iterdir())


def test_data_cannot_end_its_script(tmp_path, wall):
    write_replay(tmp_path / "page.html", [wall | {"policy": "</script><b>"}])
    assert "</script><b>" not in (tmp_path / "page.html").read_text()


def test_command(tmp_path, capsys):
    out = tmp_path / "page.html"
    assert replay.main(["--policy", "random", "--seed", "1", "--seed", "2", "--out", str(out), "episode_steps=3"]) == 0
    assert "seed 1: no success in 12 ticks, seed 2: no success in 12 ticks" in capsys.readouterr().out
    assert "<script src" not in out.read_text()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--policy", "none.zip"], "none.zip"),
        (["--id", "McPlace/Wal-v0"], "Wal"),
        (["--trace", "nothing.jsonl"], "no such file"),
        (["latencyy=1"], "latencyy"),
    ],
)
def test_bad_arguments_are_one_line(arguments, expected, tmp_path, capsys):
    assert replay.main([*arguments, "--out", str(tmp_path / "page.html")]) == 2
    told = capsys.readouterr().err
    assert expected in told and len(told.splitlines()) == 1
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------- in a browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SOFTWARE_GL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]  # machines without a GPU


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="needs the extra [test]")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("needs Chromium: install the system's package, or set CHROMIUM to its path")
    with api.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=found, args=["--no-sandbox", *SOFTWARE_GL])
        yield running
        running.close()


@pytest.fixture(scope="module")
def opened(browser, wall, tmp_path_factory):
    """The page of two episodes; it asks for nothing but itself and complains about nothing."""
    path = tmp_path_factory.mktemp("replay") / "page.html"
    write_replay(path, [wall, *replayed(TRACES / "sandbox.jsonl")])
    page, asked, errors = browser.new_page(viewport={"width": 800, "height": 560}), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(path.as_uri())
    yield page
    assert asked == [path.as_uri()]
    assert errors == []


@pytest.fixture
def page(opened):
    """The page as it was when opened."""
    opened.evaluate("() => choose(episodes[0])")
    drawn(opened)
    return opened


def drawn(page):
    """What the canvas holds, uint8 (height, width, 3) as int, once what was asked for has been drawn."""
    from PIL import Image

    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    told = page.evaluate("() => document.getElementById('scene').toDataURL().split(',')[1]")
    return np.array(Image.open(BytesIO(b64decode(told))).convert("RGB")).astype(int)


def go_to(page, tick):
    page.locator("#slider").fill(str(tick))
    return drawn(page)


def near(picture, colour, distance=24):
    """How many pixels are near a colour."""
    return int((np.abs(picture - np.array(colour)).max(axis=-1) <= distance).sum())


def test_the_page_draws_the_world(page):
    picture = drawn(page)
    assert near(picture, (38, 92, 224), 60) > 300  # the agent
    assert near(picture, (148, 151, 157), 30) > 15_000  # stone
    assert "scripted" in page.locator("h1").inner_text()


def test_a_block_appears_as_the_slider_moves(page, wall):
    tick = wall["requests"][0]["resolved_tick"]
    before, blocks = go_to(page, tick - 1), page.locator("#scene").get_attribute("data-blocks")
    after = go_to(page, tick)
    assert int(page.locator("#scene").get_attribute("data-blocks")) == int(blocks) + 1
    assert (before != after).any(axis=-1).sum() > 300
    assert page.locator("#requests .chip").first.inner_text() == "placed"
    assert (go_to(page, tick - 1) != before).any(axis=-1).sum() == 0


def test_a_click_on_a_request_shows_where_it_goes(page, wall):
    gold = near(drawn(page), (255, 196, 0))
    page.locator("#requests button").nth(2).click()
    assert near(drawn(page), (255, 196, 0)) > gold + 300
    assert page.locator("#slider").input_value() == str(wall["requests"][2]["submitted_tick"])
    assert page.locator("#requests button.selected .chip").inner_text() == "in flight"


def test_a_click_on_a_ghost_selects_its_request(page):
    x, y = page.evaluate(
        """() => { for (let y = 20; y < 320; y += 8) for (let x = 20; x < 460; x += 8)
                   if (scene.pick(x, y) === 0) return [x, y]; }"""
    )
    page.locator("#scene").click(position={"x": x + 4, "y": y + 4})
    assert page.locator("#requests button.selected .name").inner_text() == "#1 dirt"


def test_dragging_orbits_and_does_not_select(page):
    before = drawn(page)
    page.mouse.move(200, 250)
    page.mouse.down()
    page.mouse.move(320, 280, steps=2)
    page.mouse.up()
    assert (drawn(page) != before).any(axis=-1).mean() > 0.2
    assert page.locator("#requests button.selected").count() == 0


def test_playing_moves_on_and_pauses(page):
    page.locator("#speed").select_option("20")
    page.locator("#play").click()
    page.wait_for_function("() => document.getElementById('slider').value > 2")
    page.keyboard.press("Space")  # on the button
    assert page.locator("#play").inner_text() == "Play"


def test_another_episode_shows_a_failure_in_red(page):
    page.locator("#episodes").select_option("1")
    assert near(go_to(page, 10), (240, 60, 60), 60) > 300
    assert "placement overlaps agent" in page.locator("#requests").inner_text()
