"""Pictures of hand-made scenes: right size, same bytes, and everything that matters can be seen."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from mc_place_env.rendering import Scene, corner_behind, draw_frame, draw_text
from mc_place_env.rendering.colours import FULL, boxes_of, colour_of, look_of
from mc_place_env.rendering.frames import FAILED, FLASH_TICKS, SATISFIED, WRONG
from mc_place_env.rendering.scene import CORNERS, goal_state, turn_box, turn_cell, turn_scene, window_of

pytest.importorskip("PIL")

FLOOR = tuple((x, 63, z, "grass_block") for x in range(-4, 5) for z in range(-4, 5))
WALL = tuple((x, y, 2, "oak_planks") for x in range(-2, 3) for y in range(64, 67))
HOLE = (0, 65, 2)
WINDOW = (-4, 63, -4, 4, 67, 4)
FLAT = Scene(blocks=FLOOR, agent=(0.5, 64.0, 0.5), window=WINDOW, caption=("tick 4", "accepted", "none"))
ONE_MISSING = replace(FLAT, blocks=FLOOR + tuple(cell for cell in WALL if cell[:3] != HOLE), goal=WALL)
ENCLOSED = replace(
    FLAT,
    blocks=FLOOR
    + tuple((x, y, z, "stone") for x in range(-1, 2) for y in range(64, 67) for z in range(-1, 2) if y == 66 or x or z),
)


def request(state, age=0, cell=HOLE, item="oak_planks"):
    return {"state": state, "cell": cell, "item": item, "age": age}


def count_near(frame, colour, distance=40):
    """How many pixels are within `distance` of a colour in every channel."""
    return int((np.abs(frame.astype(int) - np.array(colour)).max(axis=-1) <= distance).sum())


def count_blue(frame):
    """How many pixels are clearly blue, as only the agent is in these scenes; the sky is too pale to count."""
    red, green, blue = frame.astype(int).transpose(2, 0, 1)
    return int(((blue > red + 60) & (blue > green + 30)).sum())


def count_yellow(frame):
    """How many pixels are as warm as the arrow, be it under a film; planks are not."""
    red, green, blue = frame.astype(int).transpose(2, 0, 1)
    return int(((red > blue + 120) & (green > blue + 60)).sum())


def same_picture(first, second):
    return np.array_equal(draw_frame(first), draw_frame(second))


# ---------------------------------------------------------------- frames


@pytest.mark.parametrize("size", [128, 512, 640])
def test_shape_and_dtype(size):
    frame = draw_frame(ONE_MISSING, size)
    assert frame.shape == (size, size, 3) and frame.dtype == np.uint8 and frame.flags.writeable


def test_same_scene_same_bytes():
    scene = replace(ONE_MISSING, requests=(request("pending", 3), request("failed", 0, (1, 67, 2))))
    assert draw_frame(scene).tobytes() == draw_frame(scene).tobytes()
    shuffled = replace(scene, blocks=scene.blocks[::-1], goal=scene.goal[::-1])
    assert same_picture(scene, shuffled)


def test_same_bytes_in_another_process():
    code = "from test_rendering import *; print(crc32(draw_frame(replace(ONE_MISSING, corner='north_west'))))"
    path = ":".join([str(Path(__file__).parent), *filter(None, sys.path)])
    outputs = set()
    for seed in ("1", "2"):
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": path}
        outputs.add(subprocess.run([sys.executable, "-c", code], env=env, check=True, stdout=subprocess.PIPE).stdout)
    assert outputs == {f"{crc32(draw_frame(replace(ONE_MISSING, corner='north_west')))}\n".encode()}


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("yaw", [0, 90, 180, 270])
def test_agent_and_arrow_are_visible(yaw, corner):
    for scene in (FLAT, ONE_MISSING):
        frame = draw_frame(replace(scene, yaw=yaw, corner=corner))
        assert count_blue(frame) > 400
        assert count_yellow(frame) > 100


def test_yaw_turns_the_picture():
    frames = {draw_frame(replace(FLAT, yaw=yaw)).tobytes() for yaw in (0, 90, 180, 270)}
    assert len(frames) == 4
    assert same_picture(FLAT, replace(FLAT, yaw=360))


def test_agent_is_visible_inside_a_closed_box():
    assert count_blue(draw_frame(ENCLOSED)) > 250


def test_agent_is_visible_when_it_leaves_the_window():
    away = replace(FLAT, blocks=tuple((x + 20, y, z, name) for x, y, z, name in FLOOR), agent=(20.5, 64.0, 0.5))
    assert count_blue(draw_frame(away)) > 400


def test_block_under_the_feet_is_not_faded():
    slab = replace(FLAT, blocks=(*FLOOR, (0, 64, 0, "red_carpet")), agent=(0.5, 64 + 1 / 16, 0.5))
    assert count_near(draw_frame(slab), colour_of("red_carpet"), 8) > 100


def test_sneaking_changes_the_figure():
    assert not same_picture(FLAT, replace(FLAT, sneaking=True))


def test_missing_goal_cell_is_outlined_in_its_colour():
    empty = replace(FLAT, goal=((-3, 65, -3, "gold_block"),))
    assert count_near(draw_frame(FLAT), colour_of("gold_block")) < count_near(
        draw_frame(empty), colour_of("gold_block")
    )


def test_satisfied_and_wrong_goal_cells():
    block, goal = (-3, 64, -3, "stone"), ((-3, 64, -3, "stone"),)
    plain = draw_frame(replace(FLAT, blocks=(*FLOOR, block)))
    good = draw_frame(replace(FLAT, blocks=(*FLOOR, block), goal=goal))
    bad = draw_frame(replace(FLAT, blocks=(*FLOOR, block), goal=((-3, 64, -3, "dirt"),)))
    assert count_near(good, SATISFIED) > 50 + count_near(plain, SATISFIED)
    assert count_near(bad, WRONG) > 50 + count_near(plain, WRONG)


def test_pending_request_is_a_ghost():
    cell = (-3, 64, -3)
    ghost = draw_frame(replace(FLAT, requests=(request("pending", 2, cell, "gold_block"),)))
    solid = draw_frame(replace(FLAT, blocks=(*FLOOR, (*cell, "gold_block"))))
    gold = colour_of("gold_block")
    assert count_near(draw_frame(FLAT), gold, 60) < count_near(ghost, gold, 60)
    assert count_near(ghost, gold, 5) < count_near(solid, gold, 5)


def test_failed_request_flashes_red_and_goes():
    frames = [draw_frame(replace(FLAT, requests=(request("failed", age),))) for age in (0, 4, 8, FLASH_TICKS)]
    reds = [count_near(frame, FAILED, 60) for frame in frames]
    assert reds[0] > 300 and reds[0] == reds[2] > reds[1] > reds[3] == 0
    assert np.array_equal(frames[3], draw_frame(FLAT))


def test_placed_request_has_a_bright_edge_that_fades():
    scene = replace(FLAT, blocks=(*FLOOR, (*HOLE, "stone")))
    bright = [draw_frame(replace(scene, requests=(request("placed", age),))).sum() for age in (0, 8, FLASH_TICKS)]
    assert bright[0] > bright[1] > bright[2] == draw_frame(scene).sum()


def test_failed_request_at_the_agent_does_not_hide_it():
    frame = draw_frame(replace(FLAT, requests=(request("failed", 0, (0, 64, 0)),)))
    assert count_blue(frame) > 300


def test_water_is_translucent():
    bed = tuple((x, 62, z, "gold_block") for x, _, z, _ in FLOOR)
    pool = tuple((x, 63, z, "water") for x, _, z, _ in FLOOR)
    under = replace(FLAT, blocks=bed + pool, window=(-4, 62, -4, 4, 67, 4))
    assert not same_picture(under, replace(under, blocks=pool))


def test_caption_changes_only_the_strip():
    first, second = draw_frame(FLAT), draw_frame(replace(FLAT, caption=("tick 8", "x" * 300, "none")))
    rows = np.flatnonzero((first != second).any(axis=(1, 2)))
    assert rows.size and rows.min() >= 512 - 60


def test_blocks_outside_the_window_are_not_drawn():
    assert same_picture(FLAT, replace(FLAT, blocks=(*FLOOR, (9, 64, 9, "stone"))))


def test_empty_scene_is_drawn():
    assert count_blue(draw_frame(Scene())) > 400


def test_without_pillow_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="pip install pillow"):
        draw_frame(FLAT)
    assert "tick 4" in draw_text(FLAT)


# ---------------------------------------------------------------- geometry and looks


def test_window_slides_only_as_far_as_needed():
    assert window_of(FLAT) == WINDOW
    assert window_of(replace(FLAT, agent=(6.5, 64.0, 0.5))) == (-2, 63, -4, 6, 67, 4)
    assert window_of(replace(FLAT, agent=(0.5, 67.0, 0.5))) == (-4, 64, -4, 4, 68, 4)


def test_four_quarter_turns_change_nothing():
    assert turn_cell((3, 1, -2), 4) == (3, 1, -2)
    assert turn_box((0, 0, 0.25, 1, 0.5, 1), 4) == (0, 0, 0.25, 1, 0.5, 1)
    assert turn_box(WINDOW, 1, last_included=True) == (-5, 63, -4, 3, 67, 4)


@pytest.mark.parametrize("yaw", [0, 90, 180, 270])
def test_corner_behind_makes_the_agent_look_away(yaw):
    turned = turn_scene(replace(FLAT, yaw=yaw, corner=corner_behind(yaw)))
    assert turned.yaw % 360 == 180  # towards -z: up and right in the picture


@pytest.mark.parametrize(
    "wanted, found, state",
    [
        ("stone", None, "missing"),
        ("stone", "minecraft:stone", "satisfied"),
        ("stone", "dirt", "wrong"),
        ("oak_slab", "oak_slab[type=top]", "satisfied"),
        ("oak_slab[type=bottom]", "oak_slab[type=top,waterlogged=false]", "wrong"),
        ("oak_slab[type=top]", "oak_slab[waterlogged=false,type=top]", "satisfied"),
        ("air", None, "satisfied"),
        ("air", "stone", "wrong"),
    ],
)
def test_goal_state(wanted, found, state):
    assert goal_state(wanted, found) == state


@pytest.mark.parametrize(
    "name, height",
    [("stone", 1), ("stone_slab", 0.5), ("red_carpet", 1 / 16), ("snow[layers=3]", 3 / 8), ("torch", 0.65), ("x", 1)],
)
def test_heights_by_name(name, height):
    assert max(part.box[4] for part in look_of(name).parts) == height


def test_full_cubes_and_colours():
    assert boxes_of("stone", {}) == (FULL,) and look_of("grass_block").full
    assert not look_of("glass").full and not look_of("oak_slab").full
    assert colour_of("oak_stairs[facing=east]") == colour_of("oak_planks")
    assert colour_of("some_mod_block") == colour_of("some_mod_block") != colour_of("other_mod_block")


# ---------------------------------------------------------------- text


def test_text_shows_the_two_layers():
    lines = draw_text(replace(ONE_MISSING, requests=(request("failed", 0, (2, 64, 3)),)), colour=False).split("\n")
    assert lines[0].split() == ["y=64", "y=63"]
    assert len(lines) == 1 + 9 + 2
    assert lines[5].startswith(". . . . v . . . .")  # z = 0, the agent in the middle
    assert lines[7].startswith(". . o+o+o+o+o+. .")  # z = 2, the wall
    assert lines[8].startswith(". . . . . . ox. .")
    assert lines[-2:] == ["g grass_block  o oak_planks", "tick 4 | accepted | none"]


def test_text_marks_missing_and_pending_at_any_height():
    text = draw_text(ONE_MISSING, layers=(1,), colour=False)
    assert "o+o+o?o+o+" in text
    assert "o+o+o*o+o+" in draw_text(replace(ONE_MISSING, requests=(request("pending"),)), layers=(1,), colour=False)


@pytest.mark.parametrize("yaw, arrow", [(0, "v"), (90, "<"), (180, "^"), (270, ">"), (-90, ">")])
def test_text_arrow(yaw, arrow):
    assert f". . {arrow} . ." in draw_text(replace(FLAT, yaw=yaw), colour=False)


def test_text_colours_are_only_added():
    plain, painted = draw_text(ONE_MISSING, colour=False), draw_text(ONE_MISSING)
    assert "\x1b[48;2;" in painted and "\x1b[" not in plain
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", painted)
    assert [line.rstrip() for line in stripped.split("\n")] == plain.split("\n")
