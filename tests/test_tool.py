"""McPlaceTool: the published page's JSON calls, its examples, and its refusals."""

import json

import pytest
from helpers import make, sandbox, scenario

import mc_place_env
from mc_place_env import McPlaceTool

# The page's own examples.
PILLAR = '{"type":"mc-place","value":"cobblestone","dx":0,"dy":-1,"dz":1,"face":"up","out":"$pillar_step"}'
BRIDGE = '{"type":"mc-place","value":"cobblestone","dx":0,"dy":-1,"dz":1,"face":"up","out":"$bridge"}'
STEP_UP = '{"type":"mc-place","value":"dirt","dx":0,"dy":-1,"dz":0,"face":"up","out":"$step"}'
LATERAL = '{"type":"mc-place","value":"stone","dx":1,"dy":0,"dz":0,"face":"left","out":"$wall"}'
ITEMS = {"cobblestone": 4, "dirt": 4, "stone": 4}


def tool_in(*blocks, yaw=0.0, items=None, action_view="dict", **start):
    env, _ = sandbox(
        *blocks, yaw=yaw, inventory=items or ITEMS, latency=2, options={"action_view": action_view}, **start
    )
    return McPlaceTool(env)


def verdict(tool, tries=5):
    """Waits for the one outcome."""
    for _ in range(tries):
        for outcome in tool.wait():
            return outcome
    raise AssertionError("no verdict")


@pytest.mark.parametrize("call", [PILLAR, BRIDGE])
@pytest.mark.parametrize(("yaw", "cell"), [(0, (0, 64, 1)), (90, (-1, 64, 0)), (180, (0, 64, -1)), (270, (1, 64, 0))])
def test_pillar_and_bridge_examples(call, yaw, cell):
    tool = tool_in(yaw=float(yaw))
    answer = tool(json.loads(call))
    x, y, z = cell
    assert set(answer) == {"value", "data"}
    assert answer["value"] == f"Place request accepted: cobblestone at ({x}, {y}, {z}) (face=up)"
    assert answer["data"]["success"] is True
    assert answer["data"]["status"] == "accepted"
    assert answer["data"]["placed"] == {"name": "cobblestone", "position": {"x": x, "y": y, "z": z}, "face": "up"}
    outcome = verdict(tool)
    assert (outcome["outcome"], outcome["cell"]) == ("placed", cell)
    assert tool.env.unwrapped.block_at(*cell) == "cobblestone"


def test_the_bridge_can_be_walked():
    tool = tool_in(fill=([-2, 63, -2, 2, 63, 0, "stone"],))
    act = mc_place_env.Actions(tool.env)
    for z in (1, 2, 3):
        answer = tool(json.loads(BRIDGE) | {"dz": 0, "face": "forward"})  # out over the gap, from the block underfoot
        assert answer["data"]["placed"]["position"] == {"x": 0, "y": 63, "z": z}
        assert verdict(tool)["outcome"] == "placed"
        for action in [act.move_forward()] + [act.wait()] * 6:
            tool.env.step(action)
        assert tool.env.unwrapped.agent.position == (0.5, 64.0, z + 0.5)


def test_the_step_up_example_fails_standing_and_works_in_mid_jump():
    tool = tool_in()
    assert tool(json.loads(STEP_UP))["data"]["status"] == "accepted"
    assert verdict(tool)["reason"] == "placement_overlaps_agent"
    act = mc_place_env.Actions(tool.env)
    tool.env.step(act.jump())
    assert tool(json.loads(STEP_UP))["data"]["status"] == "accepted"
    assert verdict(tool)["outcome"] == "placed"
    for _ in range(12):
        tool.wait()
    assert tool.env.unwrapped.agent.position == (0.5, 65.0, 0.5)


@pytest.mark.parametrize(("yaw", "right"), [(0, (-1, 0)), (90, (0, -1)), (180, (1, 0)), (270, (0, 1))])
def test_the_lateral_example_targets_the_agents_own_cell(yaw, right):
    """Its anchor is one to the right, its face the one towards the agent: the agent stands there."""
    tool = tool_in([right[0], 64, right[1], "stone"], [2 * right[0], 64, 2 * right[1], "stone"], yaw=float(yaw))
    answer = tool(json.loads(LATERAL))
    assert answer["data"]["destination"] == {"x": 0, "y": 64, "z": 0}
    assert verdict(tool)["reason"] == "placement_overlaps_agent"
    tool = tool_in([2 * right[0], 64, 2 * right[1], "stone"], yaw=float(yaw))
    answer = tool(json.loads(LATERAL) | {"dx": 2})
    assert answer["data"]["destination"] == {"x": right[0], "y": 64, "z": right[1]}
    outcome = verdict(tool)
    assert (outcome["outcome"], outcome["cell"]) == ("placed", (right[0], 64, right[1]))


@pytest.mark.parametrize("example", [PILLAR, BRIDGE, STEP_UP, LATERAL])
def test_every_example_is_accepted_in_any_view(example):
    for view in ("dict", "tuple", "multi_discrete", "discrete"):
        assert tool_in(action_view=view)(json.loads(example))["data"]["status"] == "accepted"


GOOD = json.loads(PILLAR)


def without(*keys):
    return {key: value for key, value in GOOD.items() if key not in keys}


REFUSED = [
    (without("value"), "missing_item"),
    (GOOD | {"value": ""}, "missing_item"),
    (GOOD | {"value": None}, "missing_item"),
    (without("dx"), "missing_position"),
    (without("dy"), "missing_position"),
    (GOOD | {"dz": None}, "missing_position"),
    (without("face"), "missing_face"),
    (GOOD | {"face": ""}, "missing_face"),
    (GOOD | {"face": None}, "missing_face"),
    (GOOD | {"face": "upwards"}, "invalid_face"),
    (GOOD | {"face": "UP"}, "invalid_face"),
    (GOOD | {"face": 3}, "invalid_face"),
    (GOOD | {"face": ["up"]}, "invalid_face"),
    (GOOD | {"dx": "1"}, "invalid_position"),
    (GOOD | {"dx": float("nan")}, "invalid_position"),
    (GOOD | {"dy": float("inf")}, "invalid_position"),
    (GOOD | {"dz": True}, "invalid_position"),
    (GOOD | {"dz": [1]}, "invalid_position"),
    (GOOD | {"dz": 10**400}, "invalid_position"),
    (GOOD | {"value": "diamond_sword"}, "unknown_item"),
    (GOOD | {"value": "cobblestoen"}, "unknown_item"),
    (GOOD | {"value": 7}, "unknown_item"),
    (GOOD | {"value": ["cobblestone"]}, "unknown_item"),
    (GOOD | {"type": "mc-dig"}, "invalid_type"),
    (GOOD | {"dxx": 1}, "invalid_type"),
    ("place", "invalid_type"),
    (None, "invalid_type"),
]


@pytest.mark.parametrize(("call", "reason"), REFUSED, ids=[f"{k}-{r[1]}" for k, r in enumerate(REFUSED)])
def test_a_malformed_call_is_refused_at_once(call, reason):
    tool = tool_in()
    answer = tool(call)
    assert answer["value"] == f"Place request rejected: {reason}"
    assert answer["data"] == {
        "success": False,
        "status": "rejected",
        "reason": reason,
        "request_id": None,
        "placed": None,
        "anchor": None,
        "destination": None,
    }
    assert tool.last_step is None  # no time passes
    assert tool.wait() == ()


def test_value_wins_over_item():
    tool = tool_in()
    assert tool(GOOD | {"item": "dirt"})["data"]["placed"]["name"] == "cobblestone"
    assert tool(without("value") | {"item": "dirt"})["data"]["placed"]["name"] == "dirt"
    assert tool(GOOD | {"value": "", "item": "dirt"})["data"]["placed"]["name"] == "dirt"
    assert tool(GOOD | {"value": "nonsense", "item": "dirt"})["data"]["reason"] == "unknown_item"


@pytest.mark.parametrize("name", ["minecraft:cobblestone", "cobblestone"])
def test_names_may_carry_the_namespace(name):
    assert tool_in()(GOOD | {"value": name})["data"]["placed"]["name"] == "cobblestone"


def test_older_names_are_understood():
    tool = tool_in(items={"short_grass": 2})
    assert tool(GOOD | {"value": "grass"})["data"]["placed"]["name"] == "short_grass"


@pytest.mark.parametrize(
    ("face", "absolute"), [("top", "up"), ("bottom", "down"), ("north", "north"), ("left", "east"), ("back", "north")]
)
def test_faces_by_every_kind_of_name(face, absolute):
    for view in ("dict", "discrete"):
        tool = tool_in(action_view=view)
        assert tool(GOOD | {"face": face})["data"]["placed"]["face"] == absolute


def test_one_call_is_one_step():
    tool = tool_in()
    tool(GOOD)
    observation, reward, terminated, truncated, info = tool.last_step
    assert info["tick"] == 1
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert observation in tool.env.observation_space


def test_offsets_are_rounded_half_to_even():
    for offset, cell in ((0.5, 0), (1.5, 2), (2.5, 2), (-0.5, 0), (1.49, 1), (-1.5, -2)):
        answer = tool_in()(GOOD | {"dz": offset, "dy": 3})
        assert answer["data"]["anchor"]["z"] == cell


def test_offsets_a_view_cannot_express_are_an_error_that_says_so():
    tool = McPlaceTool(make(action_view="discrete", offset_range=2))
    tool.env.reset(seed=0, options={"scenario": scenario()})
    with pytest.raises(mc_place_env.errors.ActionError, match=r"anchor.*-2 to 2"):
        tool(GOOD | {"value": "stone", "dx": 3})


@pytest.mark.parametrize("reason", ["queue_full", "invalid_placement"])
def test_refusals_of_the_environment_are_the_tools(reason):
    if reason == "queue_full":
        tool = McPlaceTool(sandbox(latency=50, options={"max_pending": 1})[0])
        answers = [tool(GOOD), tool(GOOD)]
    else:
        tool = McPlaceTool(sandbox(options={"precheck": "world"})[0])
        answers = [tool(GOOD | {"dy": 2})]
    assert answers[-1]["data"]["reason"] == reason
    assert answers[-1]["value"] == f"Place request rejected: {reason}"
