"""What holds in every world and for every sequence of actions."""

import numpy as np
import pytest
from gymnasium import spaces
from helpers import IDS, make, make_vec, random_actions, row_of, scenario
from hypothesis import given, settings
from hypothesis import strategies as st
from test_engines import STORMY

import mc_place_env
from mc_place_env.envs.actions import VIEWS
from mc_place_env.types import ACTION, ActionType, CellClass, Face, action_parts

INFO_TYPES = {
    "status": str,
    "reason": str,
    "value": str,
    "data": (dict, type(None)),
    "outcomes": tuple,
    "changes": tuple,
    "pending": tuple,
    "map_updated": bool,
    "map_error": str,
    "tick": int,
    "is_success": bool,
    "reward_terms": dict,
}
OUTCOME_KEYS = [
    "request_id",
    "outcome",
    "reason",
    "detail",
    "item",
    "anchor",
    "destination",
    "cell",
    "face",
    "submitted_tick",
    "resolved_tick",
    "reported_tick",
    "submitted_step",
    "reported_step",
]
DATA_KEYS = {"success", "status", "reason", "request_id", "placed", "anchor", "destination"}
CHANGE_KEYS = {"request_id", "tick", "block", "from", "to", "kind"}

# Blocks that look the same from all sides, of every kind of shape and rule.
BLOCKS = [
    "stone",
    "oak_leaves",
    "chest",
    "crafting_table",
    "oak_fence",
    "stone_slab[type=bottom]",
    "stone_slab[type=top]",
    "snow[layers=1]",
    "snow[layers=4]",
    "short_grass",
    "torch",
    "water",
    "white_carpet",
    "soul_sand",
    "cactus",
    "tall_grass[half=lower]",
    "cobblestone",
]
ITEMS = ("cobblestone", "stone_slab", "torch", "oak_fence", "short_grass")

near = st.integers(-3, 3)
a_block = st.tuples(near, st.integers(63, 67), near, st.sampled_from(BLOCKS))
some_blocks = st.lists(a_block, max_size=12)
sixteenth = st.integers(-6, 6).map(lambda n: n / 16)


@st.composite
def placements(draw):
    """A canonical PLACE near the agent, often against the floor or a neighbour."""
    anchor = draw(st.tuples(near, st.integers(-2, 3), near))
    return {
        "type": int(ActionType.PLACE),
        "anchor": np.array(anchor, np.float32),
        "face": draw(st.integers(0, 5)),
        "item": draw(st.integers(0, len(ITEMS) - 1)),
    }


def other(action_type):
    return {"type": int(action_type), "anchor": np.zeros(3, np.float32), "face": 0, "item": 0}


actions = st.one_of(placements(), placements(), st.sampled_from(ActionType).map(other).filter(lambda a: a["type"] != 1))
scripts = st.lists(actions, min_size=1, max_size=12)


def environment(**options):
    return make(items=ITEMS, **options)


def world_state(env):
    """Everything a placement could change: blocks and inventory."""
    row = env.unwrapped._batch.rows[0]
    return row["blocks"].copy(), row["inventory"].copy(), row["goal_matched"].copy()


def assert_same(before, after):
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)


QUICK = environment(latency=0, ticks_per_step=1)


@given(some_blocks, scripts, st.integers(0, 2))
def test_a_failure_changes_nothing(blocks, script, count):
    env = QUICK
    env.reset(seed=0, options={"scenario": scenario(*blocks, inventory=dict.fromkeys(ITEMS, count))})
    for action in script:
        before = world_state(env)
        info = env.step(action)[-1]
        placed = [o for o in info["outcomes"] if o["outcome"] == "placed"]
        if not placed:
            assert_same(before, world_state(env))
        else:
            assert_changed_only(env, before, placed[0])


def assert_changed_only(env, before, outcome):
    """One item less, and no block changed but the one placed (and the other half of a plant it replaced)."""
    blocks, inventory, _ = world_state(env)
    spent = before[1] - inventory
    assert spent.sum() == 1
    assert spent[ITEMS.index(outcome["item"])] == 1
    changed = np.flatnonzero(blocks != before[0])
    assert 1 <= len(changed) <= 2
    x, y, z = outcome["cell"]
    assert outcome["cell"] in (outcome["anchor"], outcome["destination"])
    assert mc_place_env.types.AIR in blocks[changed] or len(changed) == 1
    assert env.unwrapped.block_at(x, y, z).partition("[")[0] == outcome["item"]


# -- accounts ----------------------------------------------------------------------------------------------------------


def random_episode(env, rng, n_items, steps=200):
    """Steps with random actions until the episode ends."""
    for _ in range(steps):
        step = env.step(row_of(random_actions(rng, 1, n_items), 0))
        yield step
        if step[2] or step[3]:
            return
    raise AssertionError("the episode should have ended")


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("seed", range(4))
def test_accounts_of_an_episode(env_id, seed):
    """Ids count from 1, each gets one verdict, accepted = placed + failed + cancelled, and no item gets lost."""
    env = make(env_id, **STORMY | {"episode_steps": 60})
    _, info = env.reset(seed=seed)
    held, n_items = env.unwrapped.inventory, len(env.unwrapped.items)
    accepted, verdicts, reverts = [], [], []
    for step, (*_, info) in enumerate(random_episode(env, np.random.default_rng(seed), n_items)):
        if info["status"] == "accepted":
            accepted.append(info["data"]["request_id"])
        verdicts += info["outcomes"]
        reverts += info["changes"]
        assert set(info["pending"]) == set(accepted) - {o["request_id"] for o in verdicts}
        for outcome in info["outcomes"]:
            assert_ordered(outcome, info["tick"], step)
    assert accepted == list(range(1, len(accepted) + 1))
    assert len(accepted) > 10
    assert sorted(o["request_id"] for o in verdicts) == accepted
    assert {o["outcome"] for o in verdicts} <= {"placed", "failed", "cancelled"}
    assert info["pending"] == ()
    placed = {o["request_id"]: o["item"] for o in verdicts if o["outcome"] == "placed"}
    assert len({change["request_id"] for change in reverts}) == len(reverts)
    for change in reverts:
        del placed[change["request_id"]]
    for item in placed.values():
        held[item] -= 1
    assert env.unwrapped.inventory == held


def assert_ordered(outcome, tick, step):
    assert outcome["submitted_tick"] <= outcome["resolved_tick"] <= outcome["reported_tick"] <= tick
    assert outcome["submitted_step"] <= outcome["reported_step"]
    assert outcome["reported_step"] == step + 1
    assert (outcome["cell"] is not None) == (outcome["outcome"] == "placed")
    assert (outcome["reason"] != "") == (outcome["outcome"] == "failed")
    assert (outcome["detail"] != "") == (outcome["reason"] == "invalid_placement")


def test_blocks_in_the_world_are_items_spent():
    env = make(items=("cobblestone",), **STORMY | {"episode_steps": 80})
    env.reset(seed=1)
    for *_, _info in random_episode(env, np.random.default_rng(3), 1):
        row = env.unwrapped._batch.rows[0]
        standing = np.count_nonzero(row["blocks"] == env.unwrapped._batch.palette.id("cobblestone"))
        assert standing + env.unwrapped.inventory["cobblestone"] == 64
    assert standing > 0


@pytest.mark.parametrize("env_id", IDS)
def test_what_every_step_returns(env_id):
    """Observations lie in their space, info has exactly the contract's keys and types, terms sum to the reward."""
    env = make(env_id, **STORMY | {"observe": ()})
    rng = np.random.default_rng(2)
    for episode in range(4):
        observation, info = env.reset(seed=episode)
        assert_info(info)
        assert observation in env.observation_space
        for observation, reward, terminated, truncated, info in random_episode(env, rng, len(env.unwrapped.items)):
            assert observation in env.observation_space
            assert sum(info["reward_terms"].values()) == reward
            assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
            assert_info(info)


def assert_info(info):
    assert list(info) == list(INFO_TYPES)
    for key, kind in INFO_TYPES.items():
        assert isinstance(info[key], kind), key
    assert all(list(outcome) == OUTCOME_KEYS for outcome in info["outcomes"])
    assert all(set(change) == CHANGE_KEYS for change in info["changes"])
    assert all(type(term) is float for term in info["reward_terms"].values())
    assert info["map_error"] == ""
    assert (info["data"] is None) == (info["status"] == "none") == (info["value"] == "")
    assert (info["reason"] != "") == (info["status"] == "rejected")
    if info["data"] is not None:
        assert set(info["data"]) == DATA_KEYS
        assert info["data"]["success"] == (info["data"]["status"] == "accepted")


# -- action views ------------------------------------------------------------------------------------------------------

OFFERED = st.lists(st.sampled_from(ActionType), unique=True).map(lambda types: tuple(sorted({0, 1, *types})))
CODECS = st.tuples(OFFERED, st.integers(1, 5), st.integers(1, 3))


def canonical(codec_name, offered, n_items, offset_range, rng, n):
    """Actions of a view's own range, parameters only where they are read."""
    packed = np.zeros(n, ACTION)
    packed["type"] = rng.choice(offered, n)
    place = packed["type"] == ActionType.PLACE
    whole = codec_name in ("discrete", "multi_discrete")
    packed["anchor"] = rng.integers(-offset_range, offset_range + 1, (n, 3)) * place[:, None]
    if not whole:
        packed["anchor"] = (packed["anchor"] + rng.random((n, 3)) * place[:, None]).astype(np.float32)
    packed["face"] = rng.integers(0, 6 if whole else 10, n) * place
    packed["item"] = rng.integers(0, n_items, n) * place
    return packed


@pytest.mark.parametrize("name", VIEWS)
@given(CODECS, st.integers(0, 2**31))
@settings(max_examples=40)
def test_views_invert(name, parameters, seed):
    offered, n_items, offset_range = parameters
    codec = VIEWS[name](offered, n_items, offset_range)
    wanted = canonical(name, offered, n_items, offset_range, np.random.default_rng(seed), 20)
    got = np.zeros(20, ACTION)
    encoded = codec.encode(wanted)
    codec.decode(encoded, action_parts(got))
    np.testing.assert_array_equal(got, wanted)
    for k in range(20):
        one = np.zeros(1, ACTION)
        encoded_one = codec.encode_one({key: wanted[key][k] for key in ACTION.names})
        assert encoded_one in codec.space
        codec.decode_one(encoded_one, action_parts(one))
        assert one[0] == wanted[k]


@pytest.mark.parametrize("name", VIEWS)
@given(CODECS, st.integers(0, 2**31))
@settings(max_examples=40)
def test_every_action_of_a_view_means_itself(name, parameters, seed):
    offered, n_items, offset_range = parameters
    codec = VIEWS[name](offered, n_items, offset_range)
    codec.space.seed(seed)
    for _ in range(20):
        action = codec.space.sample()
        decoded = np.zeros(1, ACTION)
        codec.decode_one(action, action_parts(decoded))
        again = codec.encode_one({key: decoded[key][0] for key in ACTION.names})
        assert_same_action(action, again)


def assert_same_action(a, b):
    if isinstance(a, dict):
        a, b = tuple(a[key] for key in sorted(a)), tuple(b[key] for key in sorted(b))
    if isinstance(a, tuple):
        assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    else:
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", ["discrete", "multi_discrete", "tuple"])
def test_views_of_environments_play_alike(name):
    canonical_env = make("McPlace/Wall-v0", latency=2)
    viewed = make("McPlace/Wall-v0", latency=2, action_view=name)
    assert isinstance(canonical_env.action_space, spaces.Dict)
    canonical_env.reset(seed=5)
    viewed.reset(seed=5)
    rng = np.random.default_rng(0)
    packed = canonical("discrete", tuple(ActionType), 3, 3, rng, 30)
    for action in packed:
        action = {key: action[key] for key in ACTION.names}
        expected = canonical_env.step(action | {"anchor": np.float32(action["anchor"])})
        got = viewed.step(viewed.unwrapped.encode_action(action))
        assert got[1:4] == expected[1:4]
        assert repr(got[4]) == repr(expected[4])
        if expected[2] or expected[3]:
            break


# -- frames ------------------------------------------------------------------------------------------------------------


def cube_around(env, cells):
    """A cube (right, forward, up) of what `cells` (x, y, z) says of the world around the agent, cell by cell."""
    radius = env.unwrapped.config.view_radius
    (x, y, z), quadrant = env.unwrapped.view.agent_cell, env.unwrapped.view.quadrant
    ahead_x, ahead_z = ((0, 1), (-1, 0), (0, -1), (1, 0))[quadrant]
    side = range(-radius, radius + 1)
    return [
        [[cells(x - r * ahead_z + f * ahead_x, y + u, z + r * ahead_x + f * ahead_z) for u in side] for f in side]
        for r in side
    ]


@pytest.mark.parametrize("radius", [2, 4, 5])
@pytest.mark.parametrize("env_id", ["McPlace/Wall-v0", "McPlace/Single-v0", "McPlace/Bridge-v0"])
def test_cubes_show_the_world_however_the_agent_moves(env_id, radius):
    env = make(env_id, view_radius=radius, latency=1)
    view, shared, rng = env.unwrapped.view, env.unwrapped.batch.shared, np.random.default_rng(radius)
    moves = 0
    for episode in range(3):
        observation, _ = env.reset(seed=episode)
        wanted = {cell: CellClass.ITEM + env.unwrapped.items.index(item) for cell, item in view.goal().items()}
        for _ in range(25):
            seen = cube_around(env, lambda *cell: int(shared["cell_class"][0, view._state_at(cell)]))
            assert observation["voxels"].tolist() == seen
            assert observation["goal"].tolist() == cube_around(env, lambda *cell: wanted.get(cell, 0))  # noqa: B023
            before = view.agent_cell
            action = row_of(random_actions(rng, 1, len(env.unwrapped.items), place_share=0.3), 0)
            observation, _, terminated, truncated, _ = env.step(action)
            moves += view.agent_cell != before
            if terminated or truncated:
                break
    assert moves > 10


def turned(x, z, quadrant):
    """(x, z) turned clockwise, seen from above, by quarter turns: south becomes west."""
    for _ in range(quadrant):
        x, z = -z, x
    return x, z


def turned_cell(cell, quadrant):
    x, z = turned(cell[0], cell[2], quadrant)
    return x, cell[1], z


FRAMES = environment(latency=(0, 3), ticks_per_step=2, view_radius=3)


def play_turned(blocks, script, start, quadrant):
    """Observations and infos of a script, in the scenario turned around the middle of the agent's cell."""
    x, z = turned(start[0], start[1], quadrant)
    world = scenario(
        *([*turned_cell(b[:3], quadrant), b[3]] for b in blocks),
        position=(0.5 + x, 64.0, 0.5 + z),
        yaw=90.0 * quadrant,
        inventory=dict.fromkeys(ITEMS, 3),
    )
    observation, info = FRAMES.reset(seed=3, options={"scenario": world})
    said = [(observation, info)]
    for action in script:
        observation, *_, info = FRAMES.step(action)
        said.append((observation, info))
    return said


@given(some_blocks, scripts, st.tuples(sixteenth, sixteenth))
@settings(max_examples=60)
def test_frames_rotate(blocks, script, start):
    reference = play_turned(blocks, script, start, 0)
    for quadrant in (1, 2, 3):
        for (seen, info), (other_seen, other_info) in zip(
            reference, play_turned(blocks, script, start, quadrant), strict=True
        ):
            assert_seen_alike(seen, other_seen, quadrant)
            assert_told_alike(info, other_info, quadrant)


def assert_seen_alike(seen, other_seen, quadrant):
    for key, value in seen.items():
        if key == "pose":
            heading = np.arctan2(value[0], value[1]) + np.pi / 2 * quadrant
            expected = [np.sin(heading), np.cos(heading), *value[2:]]
            np.testing.assert_allclose(other_seen[key], expected, atol=1e-6)
        else:
            np.testing.assert_array_equal(other_seen[key], value, err_msg=key)


def assert_told_alike(info, other_info, quadrant):
    assert info["pending"] == other_info["pending"]
    assert (info["status"], info["reason"]) == (other_info["status"], other_info["reason"])
    for outcome, turned_outcome in zip(info["outcomes"], other_info["outcomes"], strict=True):
        for key in ("request_id", "outcome", "reason", "detail", "item", "resolved_tick", "reported_tick"):
            assert outcome[key] == turned_outcome[key]
        for key in ("anchor", "destination", "cell"):
            expected = None if outcome[key] is None else turned_cell(outcome[key], quadrant)
            assert turned_outcome[key] == expected
        assert step_across(turned_outcome["face"]) == turned_cell(step_across(outcome["face"]), quadrant)


def step_across(face):
    return {"up": (0, 1, 0), "down": (0, -1, 0), "north": (0, 0, -1), "south": (0, 0, 1), "east": (1, 0, 0)}.get(
        face, (-1, 0, 0)
    )


def test_the_rotation_of_this_file_is_the_headings():
    assert [turned(0, 1, quadrant) for quadrant in range(4)] == [(0, 1), (-1, 0), (0, -1), (1, 0)]


# -- masks -------------------------------------------------------------------------------------------------------------

MASKED = environment(latency=0, ticks_per_step=1, action_view="discrete", offset_range=1)
MARGINAL = environment(latency=0, ticks_per_step=1, action_view="multi_discrete", offset_range=1)


def places_now(env, action, state):
    env.unwrapped.set_state(state)
    info = env.step(action)[-1]
    assert info["status"] == "accepted"
    return info["outcomes"][0]["outcome"] == "placed"


@given(some_blocks, st.tuples(sixteenth, sixteenth), st.integers(0, 3), st.booleans(), st.integers(0, 1))
@settings(max_examples=8)
def test_joint_masks_tell_exactly_what_would_succeed(blocks, start, quadrant, sneaking, count):
    world = scenario(
        *blocks,
        position=(0.5 + start[0], 64.0, 0.5 + start[1]),
        yaw=90.0 * quadrant,
        inventory=dict.fromkeys(ITEMS, 1) | {ITEMS[0]: count},
    )
    for env in (MASKED, MARGINAL):
        env.reset(seed=0, options={"scenario": world})
        if sneaking:
            env.step(env.unwrapped.encode_action(other(ActionType.SNEAK)))
    mask = MASKED.unwrapped.action_masks()
    state = MASKED.unwrapped.get_state()
    assert mask.shape == (MASKED.action_space.n,)
    first_place = len(ActionType) - 1
    assert mask[:first_place].all()
    succeeds = [places_now(MASKED, action, state) for action in range(first_place, MASKED.action_space.n)]
    np.testing.assert_array_equal(mask[first_place:], succeeds)
    assert_marginals(mask[first_place:].reshape(3, 3, 3, 6, len(ITEMS)))


def assert_marginals(joint):
    """The marginal masks are exactly what the joint one allows of each parameter."""
    mask = MARGINAL.unwrapped.action_masks()
    parts = np.split(mask, np.cumsum(MARGINAL.action_space.nvec)[:-1])
    assert parts[0][ActionType.WAIT]
    assert parts[0][ActionType.PLACE] == joint.any()
    for axis, part in enumerate(parts[1:]):
        others = tuple(a for a in range(5) if a != axis)
        np.testing.assert_array_equal(part, joint.any(axis=others) | (not joint.any()))


def test_masks_when_the_queue_is_full_or_a_move_runs():
    env = environment(latency=50, ticks_per_step=1, action_view="discrete", offset_range=1, max_pending=1)
    env.reset(seed=0, options={"scenario": scenario(inventory={"cobblestone": 3})})
    act = mc_place_env.Actions(env)
    assert env.unwrapped.action_masks()[9:].any()
    env.step(act.place("cobblestone", 0, -1, 1, "up"))
    mask = env.unwrapped.action_masks()
    assert mask[ActionType.WAIT]
    assert not mask[9:].any()
    env.step(act.move_forward())
    mask = env.unwrapped.action_masks()
    steering = [*range(1, 7)]  # MOVE and TURN; PLACE is not counted among the other types
    assert not mask[steering].any()
    assert mask[[0, 7, 8]].all()


def test_vector_masks_equal_single_ones():
    envs = make_vec("McPlace/Wall-v0", 3, action_view="discrete", offset_range=2)
    envs.reset(seed=6)
    single = make("McPlace/Wall-v0", action_view="discrete", offset_range=2)
    masks = envs.action_masks()
    for i in range(3):
        single.reset(seed=6 + i)
        np.testing.assert_array_equal(masks[i], single.unwrapped.action_masks())
    with pytest.raises(mc_place_env.errors.ActionError, match="dict"):
        make().unwrapped.action_masks()


# -- rewards -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", ["McPlace/Single-v0", "McPlace/Wall-v0", "McPlace/Bridge-v0"])
@pytest.mark.parametrize("careful", [0.3, 0.8, 1.0])
def test_shaping_telescopes(env_id, careful):
    """gamma * potential(next) - potential(now), summed with discount: what is left is gamma^T * potential(end).

    The potential is 0 at the start and in terminal states; at a truncation it is the share of missing cells filled.
    """
    gamma = 0.9
    only_progress = {"wrong_block": 0, "failed_request": 0, "time": 0, "success": 0, "approach": 0, "progress": 2.0}
    env = make(env_id, gamma=gamma, rewards=only_progress, **STORMY)
    rng = np.random.default_rng(1)
    ends = set()
    for seed in range(12):
        env.reset(seed=seed)
        missing = len(env.unwrapped.view.missing_goal())
        total, discount, ended = 0.0, 1.0, False
        while not ended:
            action = expert_or_random(env, rng, careful)
            _, reward, terminated, truncated, _ = env.step(action)
            total += discount * reward
            discount *= gamma
            ended = terminated or truncated
        filled = (missing - len(env.unwrapped.view.missing_goal())) / missing
        assert total == pytest.approx(0.0 if terminated else 2.0 * discount * filled, abs=1e-9)
        ends.add((terminated, filled > 0))
    assert careful < 1.0 or (True, True) in ends or env_id.startswith("McPlace/Bridge")


def test_approach_telescopes_and_counts_cells():
    """The share of the way gone; 0 at the goal, so that nothing is left of it after an episode that ends there."""
    gamma = 0.9
    off = {"wrong_block": 0, "failed_request": 0, "time": 0, "success": 0, "progress": 0}
    env = make("McPlace/Bridge-v0", gamma=gamma, rewards=off | {"approach": 3.0}, latency=2)
    rng = np.random.default_rng(1)
    for seed, careful in enumerate((1.0, 0.5, 0.0) * 4):
        env.reset(seed=seed)
        view, total, discount, ended = env.unwrapped.view, 0.0, 1.0, False
        goal = env.unwrapped.batch.rows["stand_at"][0]
        start = np.abs(goal - view.agent_cell).sum()
        while not ended:
            _, reward, terminated, truncated, _ = env.step(expert_or_random(env, rng, careful))
            total += discount * reward
            discount *= gamma
            ended = terminated or truncated
        left = 0.0 if terminated else 3.0 * discount * (1 - np.abs(goal - view.agent_cell).sum() / start)
        assert total == pytest.approx(left, abs=1e-9)
        assert careful < 1.0 or terminated


def expert_or_random(env, rng, careful):
    if rng.random() < careful:
        return env.unwrapped._batch.task.expert(env.unwrapped.view)
    return row_of(random_actions(rng, 1, len(env.unwrapped.items)), 0)


def test_failed_and_pending_requests_never_look_like_progress():
    weights = {"time": 0.0, "success": 0.0, "wrong_block": 0.0, "failed_request": 0.002}
    env = make("McPlace/Wall-v0", latency=6, rewards=weights)
    env.reset(seed=0)
    act = mc_place_env.Actions(env)
    rewards = [env.step(act.place("dirt", 0, -1, 0, "up"))[1]]  # into the agent's own feet
    rewards += [env.step(act.wait())[1] for _ in range(4)]
    assert all(reward <= 0.0 for reward in rewards)
    assert min(rewards) == pytest.approx(-0.002)


def test_absolute_faces_are_not_in_the_discrete_views():
    for name in ("discrete", "multi_discrete"):
        env = make(action_view=name)
        env.reset(seed=0)
        with pytest.raises(mc_place_env.errors.ActionError, match="face"):
            env.unwrapped.encode_action(other(ActionType.PLACE) | {"face": int(Face.NORTH)})
        with pytest.raises(mc_place_env.errors.ActionError, match="anchor"):
            env.unwrapped.encode_action(other(ActionType.PLACE) | {"anchor": np.array([0, 4, 0], np.float32)})
        env.step(mc_place_env.Actions(env).place("stone", 0, -1, 1, "west"))  # by name, for the present heading
        assert env.unwrapped._batch.actions["face"] == Face.RIGHT
    env = make(action_view="discrete", actions=("wait", "place"))
    with pytest.raises(mc_place_env.errors.ActionError, match="JUMP"):
        env.unwrapped.encode_action(other(ActionType.JUMP))
