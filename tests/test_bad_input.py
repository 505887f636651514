"""Bad input: each has one error or one rejection that names the culprit, and nothing has changed before it came."""

import gymnasium as gym
import numpy as np
import pytest
from helpers import as_bytes, make, make_vec, place, same_records, sandbox, scenario

import mc_place_env
from mc_place_env.config import LatencyModel, PlaceEnvConfig
from mc_place_env.errors import ActionError, ConfigError, McPlaceError, ScenarioError
from mc_place_env.types import ActionType

WAIT = place(ActionType.WAIT)
NAN, INF = float("nan"), float("inf")


def names(error, *words):
    """The message holds every word."""
    missing = [word for word in words if word not in str(error.value)]
    assert not missing, f"{missing} not in {str(error.value)!r}"


# -- configuration ---------------------------------------------------------------------------------------------------

CONFIG = [
    ({"latency": -1}, "latency=-1", "[0, "),
    ({"latency": 1.5}, "latency=1.5", "integer"),
    ({"latency": True}, "latency=True", "integer"),
    ({"latency": "fast"}, "latency='fast'", "integer"),
    ({"latency": (5, 2)}, "latency[1]=2", "[5, "),
    ({"latency": (-1, 2)}, "latency[0]=-1", "[0, "),
    ({"latency": (1, 2, 3)}, "latency=(1, 2, 3)", "pair (low, high)"),
    ({"latency": {"entri": 3}}, "latency", "'entri'", "did you mean 'entry'"),
    ({"latency": {"entry": -4}}, "latency.entry=-4", "[0, "),
    ({"latency": {"response": (3, 1)}}, "latency.response[1]=1", "[3, "),
    ({"latency": {"constant": 1, "uniform": (1, 2)}}, "exactly one of", "uniform"),
    ({"latency": {"constant": 1, "entry": 2}}, "latency", "'constant'", "'entry'"),
    ({"latency": {"geometric": 0.5}}, "latency.geometric=0.5", "{p: ..., low: ...}"),
    ({"latency": {"geometric": {"p": 0}}}, "latency.geometric.p=0", "0.001"),
    ({"latency": {"geometric": {}}}, "latency.geometric.p=None", "number"),
    ({"latency": {"geometric": {"p": 0.5, "lo": 1}}}, "latency.geometric", "'lo'", "did you mean 'low'"),
    ({"latency": {"empirical": []}}, "latency.empirical=[]", "non-empty"),
    ({"latency": {"empirical": [1, -2]}}, "latency.empirical[1]=-2", "[0, "),
    ({"latency": {"empirical": "/no/such/ticks"}}, "latency.empirical='/no/such/ticks'", "no such file"),
    ({"latency": {"entry": 1, "revert_probability": 1.5}}, "latency.revert_probability=1.5", "[0.0, 1.0]"),
    ({"latency": {"entry": 1, "revert_probability": NAN}}, "latency.revert_probability=nan", "[0.0, 1.0]"),
    ({"latency": LatencyModel(entry=(-1,))}, "latency.entry[0]=-1", "[0, "),
    ({"latency": LatencyModel(response=())}, "latency.response=()", "non-empty"),
    ({"latency": LatencyModel(revert_probability=2.0)}, "latency.revert_probability=2.0", "[0.0, 1.0]"),
    ({"max_pending": 0}, "max_pending=0", "[1, 32]"),
    ({"max_pending": 33}, "max_pending=33", "[1, 32]"),
    ({"ticks_per_step": 0}, "ticks_per_step=0", "[1, 100]"),
    ({"ticks_per_step": 2.5}, "ticks_per_step=2.5", "integer"),
    ({"episode_steps": -5}, "episode_steps=-5", "[1, "),
    ({"view_radius": 9}, "view_radius=9", "[1, 8]"),
    ({"offset_range": 6}, "offset_range=6", "[1, 5]"),
    ({"reach": NAN}, "reach=nan", "number"),
    ({"reach": -1}, "reach=-1", "[0.0, 64.0]"),
    ({"reach": "far"}, "reach='far'", "number"),
    ({"gamma": 1.5}, "gamma=1.5", "[0.0, 1.0]"),
    ({"precheck": "all"}, "precheck='all'", "'arguments', 'world'"),
    ({"action_view": "joint"}, "action_view='joint'", "'multi_discrete'"),
    ({"render_mode": "svg"}, "render_mode='svg'", "'ansi'"),
    ({"split": "valid"}, "split='valid'", "'train', 'test'"),
    ({"difficulty": 1.1}, "difficulty=1.1", "[0.0, 1.0]"),
    ({"backend": "mindcraft"}, "backend='mindcraft'", "'simulator', 'minecraft'"),
    ({"backend": "minecraft", "latency": 3}, "latency=3", "the server's"),
    ({"server": "localhost:25565"}, "server='localhost:25565'", "backend='minecraft'"),
    ({"username": "bob"}, "username='bob'", "backend='minecraft'"),
    ({"version": "1.7.10"}, "version='1.7.10'", "1.20.4"),
    ({"items": ()}, "items=()", "1 to 64"),
    ({"items": "dirt"}, "items='dirt'", "list of item names"),
    ({"items": 5}, "items=5", "list of item names"),
    ({"items": ("dirt", "dirt")}, "items=('dirt', 'dirt')", "different"),
    ({"items": ("dirt", "cobblestoen")}, "'cobblestoen'", "did you mean cobblestone"),
    ({"items": ("diamond_sword",)}, "'diamond_sword'", "cannot be placed"),
    ({"items": ("grass", "short_grass")}, "short_grass", "different"),
    ({"actions": ("plaace",)}, "'plaace'", "did you mean 'place'"),
    ({"actions": (17,)}, "17", "place"),
    ({"actions": 3}, "actions=3", "list"),
    ({"observe": ("spatial",)}, "observe='spatial'", "spatial_map"),
    ({"observe": 3}, "observe=3", "list"),
    ({"rewards": {"progres": 1}}, "rewards", "'progres'", "did you mean 'progress'"),
    ({"rewards": {"time": INF}}, "rewards.time=inf", "number"),
    ({"rewards": 3}, "rewards=3", "mapping"),
    ({"keep_spatial_map": "yes"}, "keep_spatial_map='yes'", "True or False"),
    ({"task": "Castle"}, "task='Castle'", "Wall"),
    ({"latancy": 3}, "'latancy'", "did you mean 'latency'", "ticks_per_step"),
]


@pytest.mark.filterwarnings("ignore:.*The environment is being initialised with render_mode='svg'")
@pytest.mark.parametrize(
    ("options", "culprit", "expected"), [(c[0], c[1], c[2:]) for c in CONFIG], ids=[str(c[0])[:60] for c in CONFIG]
)
def test_configuration(options, culprit, expected):
    for make_any in (make, make_vec):
        with pytest.raises(ConfigError) as error:
            make_any("McPlace/Sandbox-v0", **options)
        names(error, culprit, *expected)


VECTOR = [
    ({"autoreset_mode": "later"}, "autoreset_mode='later'", "NextStep"),
    ({"threads": 0}, "threads=0", "[1, "),
    ({"num_envs": 0}, "num_envs=0", "[1, "),
    ({"copy": 3}, "copy=3", "True or False"),
]


@pytest.mark.parametrize(("options", "culprit", "expected"), VECTOR, ids=[str(c[0]) for c in VECTOR])
def test_vector_configuration(options, culprit, expected):
    with pytest.raises(ConfigError) as error:
        make_vec("McPlace/Sandbox-v0", **{"num_envs": 2} | options)
    names(error, culprit, expected)


def test_a_bad_recording_names_the_file_and_the_line(tmp_path):
    recorded = tmp_path / "ticks.txt"
    recorded.write_text("3\nfour\n")
    with pytest.raises(ConfigError) as error:
        make(latency={"empirical": str(recorded)})
    names(error, "ticks.txt", "four", "one integer")


YAML = [
    ("latancy: 3\n", "'latancy'", "did you mean 'latency'"),
    ("- 1\n- 2\n", "env.yaml", "mapping"),
    ("a: [1\n", "env.yaml", "not YAML"),
    ("latency: -1\n", "latency=-1", "[0, "),
]


@pytest.mark.parametrize(("text", "culprit", "expected"), YAML)
def test_yaml(tmp_path, text, culprit, expected):
    path = tmp_path / "env.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        PlaceEnvConfig.from_yaml(path)
    names(error, culprit, expected)
    with pytest.raises(ConfigError, match=r"none\.yaml.*no such file"):
        PlaceEnvConfig.from_yaml(tmp_path / "none.yaml")


def test_every_error_is_the_packages_own_and_a_value_error():
    assert all(issubclass(error, (McPlaceError, ValueError)) for error in (ConfigError, ScenarioError, ActionError))


# -- scenarios and reset options ---------------------------------------------------------------------------------------

SCENARIOS = [
    ("flat", "scenario", "mapping"),
    ({"block": []}, "'block'", "did you mean 'blocks'"),
    ({"blocks": [[0, 64, 17, "stone"]]}, "scenario.blocks[0]", "(0, 64, 17)", "outside the region", "(16, 76, 16)"),
    ({"blocks": [[0, 77, 0, "stone"]]}, "(0, 77, 0)", "outside the region"),
    ({"blocks": [[0, 64, 1, "stone"], [0, 64, 2, "stoen"]]}, "scenario.blocks[1]", "'stoen'", "did you mean stone"),
    ({"blocks": [[0, 64, 1, "stone_slab[type=middle]"]]}, "scenario.blocks[0]", "type=middle", "'bottom'"),
    ({"blocks": [[0, 64, 1, "stone_slab[half=top]"]]}, "half=top", "type"),
    ({"blocks": [[0, 64, "stone"]]}, "scenario.blocks[0]", "[x, y, z, name]"),
    ({"blocks": [[0, 64.5, 0, "stone"]]}, "scenario.blocks[0]", "[x, y, z, name]"),
    ({"blocks": [[0, NAN, 0, "stone"]]}, "scenario.blocks[0]", "[x, y, z, name]"),
    ({"blocks": [[0, 64, 0, 7]]}, "scenario.blocks[0]", "7", "block name"),
    ({"blocks": "stone"}, "scenario.blocks='stone'", "list"),
    ({"blocks": 5}, "scenario.blocks=5", "list"),
    ({"blocks": [5]}, "scenario.blocks[0]=5", "[x, y, z, name]"),
    ({"fill": [[0, 63, 0, 17, 63, 0, "stone"]]}, "scenario.fill[0]", "(17, 63, 0)", "outside the region"),
    ({"fill": [[0, 63, 0, 1, 63, "stone"]]}, "scenario.fill[0]", "[x0, y0, z0, x1, y1, z1, name]"),
    ({"fill": [[-9999999, 0, -9999999, 9999999, 0, 9999999, "stone"]]}, "scenario.fill[0]", "outside the region"),
    ({"fill": [[0, 63, 0, 1, 63, 1, "stoen"]]}, "scenario.fill[0]", "'stoen'"),
    ({"agent": {"positon": [0, 64, 0]}}, "scenario.agent", "'positon'", "did you mean 'position'"),
    ({"agent": {"position": [0, 64]}}, "scenario.agent.position=[0, 64]", "three finite numbers"),
    ({"agent": {"position": [0, INF, 0]}}, "scenario.agent.position", "three finite numbers"),
    ({"agent": {"position": [1e9, 64, 0]}}, "scenario.agent.position", "1000000000"),
    ({"agent": {"position": "origin"}}, "scenario.agent.position='origin'", "three finite numbers"),
    ({"agent": {"yaw": "south"}}, "scenario.agent.yaw='south'", "degrees"),
    ({"agent": {"yaw": NAN}}, "scenario.agent.yaw=nan", "finite"),
    ({"agent": 5}, "scenario.agent=5", "position"),
    ({"inventory": {"cobblestone": -1}}, "scenario.inventory['cobblestone']=-1", "[0, "),
    ({"inventory": {"cobblestone": 1.5}}, "scenario.inventory['cobblestone']=1.5", "integer"),
    ({"inventory": {"cobblestone": True}}, "scenario.inventory['cobblestone']=True", "integer"),
    ({"inventory": {"cobblestone": 100_000}}, "scenario.inventory['cobblestone']=100000", "2304"),
    ({"inventory": {"cobblestoen": 1}}, "scenario.inventory['cobblestoen']", "did you mean cobblestone"),
    ({"inventory": {"glass": 1}}, "scenario.inventory['glass']", "cobblestone", "items="),
    ({"inventory": {7: 1}}, "scenario.inventory[7]", "item name"),
    ({"inventory": ["dirt"]}, "scenario.inventory=['dirt']", "mapping"),
    ({"goal": [[0, 64, 1, "glass"]]}, "scenario.goal[0]", "'glass'", "cobblestone"),
    ({"goal": [[0, 64, 40, "dirt"]]}, "scenario.goal[0]", "(0, 64, 40)", "outside the region"),
    ({"stand_at": [0, 64]}, "scenario.stand_at=[0, 64]", "[x, y, z]"),
    ({"stand_at": [0, 64, 40]}, "scenario.stand_at", "(0, 64, 40)", "outside the region"),
    ({"goal": [[0, 64, 1, "dirt"]], "blocks": [[0, 64, 1, "dirt"]]}, "scenario", "already met"),
]


@pytest.mark.parametrize(
    ("bad", "culprit", "expected"), [(s[0], s[1], s[2:]) for s in SCENARIOS], ids=[str(s[0])[:60] for s in SCENARIOS]
)
def test_scenario(bad, culprit, expected):
    env = make()
    env.reset(seed=0)
    env.step(place(face=0))
    before, n_states = env.unwrapped.get_state()["rows"], len(env.unwrapped._batch.palette)
    with pytest.raises(ScenarioError) as error:
        env.reset(seed=3, options={"scenario": bad})
    names(error, culprit, *expected)
    assert same_records(env.unwrapped.get_state()["rows"], before)
    assert len(env.unwrapped._batch.palette) == n_states
    with pytest.raises(ScenarioError):
        make_vec(num_envs=2).reset(seed=3, options={"scenario": bad})


WOODS = ("oak", "birch", "spruce", "jungle", "acacia", "dark_oak", "mangrove")


def test_too_many_kinds_of_blocks():
    states = [
        f"{wood}_stairs[facing={f},half={h},shape={s}]"
        for wood in WOODS
        for f in ("north", "south", "east", "west")
        for h in ("top", "bottom")
        for s in ("straight", "inner_left", "inner_right", "outer_left", "outer_right")
    ]
    blocks = [[k % 16, 64 + k // 256, k // 16 % 16, state] for k, state in enumerate(states)]
    make().reset(options={"scenario": scenario(*blocks[:240])})
    env = make()
    with pytest.raises(ScenarioError, match="more than 255 block states"):
        env.reset(options={"scenario": scenario(*blocks)})
    env.reset(options={"scenario": scenario([0, 64, 1, "glass"])})  # the refused scenario has left nothing behind


RESET_OPTIONS = [
    ({"scenaro": {}}, "'scenaro'", "did you mean 'scenario'"),
    ({"task": {"split": "valid"}}, "split='valid'", "'train', 'test'"),
    ({"task": {"difficulty": 2}}, "difficulty=2", "[0.0, 1.0]"),
    ({"task": {"instance": -1}}, "instance=-1", "[0, "),
    ({"task": {"difficulty": 0.75, "instance": "x"}}, "instance='x'", "integer"),
    ({"task": {"levl": 2}}, "'levl'", "difficulty"),
    ({"task": 5}, "options['task']=5", "mapping"),
    ({"task": "hard"}, "options['task']='hard'", "mapping"),
    ("hard", "options='hard'", "mapping"),
]


@pytest.mark.parametrize(("options", "culprit", "expected"), RESET_OPTIONS, ids=[str(o[0]) for o in RESET_OPTIONS])
def test_reset_options(options, culprit, expected):
    env = make("McPlace/Wall-v0")
    env.reset(seed=0)
    before = env.unwrapped.get_state()
    with pytest.raises(ConfigError) as error:
        env.reset(seed=1, options=options)
    names(error, culprit, expected)
    after = env.unwrapped.get_state()
    assert same_records(after["rows"], before["rows"])
    assert after["task"] == before["task"]


@pytest.mark.parametrize("mask", [np.array([True]), np.array([1, 0]), np.zeros(2, bool), "all", [[True, False]]])
def test_reset_mask(mask):
    envs = make_vec(num_envs=2, autoreset_mode="Disabled")
    envs.reset(seed=0)
    with pytest.raises(ConfigError, match=r"reset_mask=.*bool array of shape \(2,\)"):
        envs.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("seed", [[1, 2, 3], [1]])
def test_number_of_seeds(seed):
    with pytest.raises(ConfigError, match="one seed or 2"):
        make_vec(num_envs=2).reset(seed=seed)


@pytest.mark.parametrize("seed", [-1, 1.5, "7"])
def test_bad_seeds(seed):
    with pytest.raises(gym.error.Error, match=r"[Ss]eed must be"):
        make().reset(seed=seed)
    with pytest.raises(ConfigError, match=f"seed={seed!r}: expected an integer"):
        make_vec(num_envs=2).reset(seed=seed)
    with pytest.raises(ConfigError, match=rf"seed\[1\]={seed!r}: expected an integer"):
        make_vec(num_envs=2).reset(seed=[0, seed])


def test_numpy_integers_are_seeds():
    first, _ = make_vec(num_envs=2).reset(seed=np.int64(5))
    assert as_bytes(first) == as_bytes(make_vec(num_envs=2).reset(seed=5)[0])


def test_state_of_another_environment():
    state = make("McPlace/Wall-v0").unwrapped.get_state()
    for other in (make_vec("McPlace/Wall-v0", 2), make(items=("dirt",))):
        with pytest.raises(ConfigError, match="set_state"):
            other.unwrapped.set_state(state)


def test_a_file_that_is_no_map(tmp_path):
    path = tmp_path / "map.npz"
    path.write_text("hello")
    with pytest.raises(ConfigError, match=r"map\.npz.*not a saved spatial map"):
        make().unwrapped.spatial_map.load(path)
    with pytest.raises(ConfigError, match=r"none\.npz"):
        make().unwrapped.spatial_map.load(tmp_path / "none.npz")


# -- actions: values are rejected, form is an error ------------------------------------------------------------------

VALUES = [
    ({"anchor": [NAN, 0, 0]}, "invalid_position"),
    ({"anchor": [0, INF, 0]}, "invalid_position"),
    ({"anchor": [0, 0, -INF]}, "invalid_position"),
    ({"face": 10}, "invalid_face"),
    ({"face": -1}, "invalid_face"),
    ({"item": 1}, "unknown_item"),
    ({"item": -1}, "unknown_item"),
    ({"type": 10}, "invalid_type"),
    ({"type": -1}, "invalid_type"),
]


@pytest.mark.parametrize(("bad", "reason"), VALUES, ids=[str(v[0]) for v in VALUES])
def test_a_bad_value_is_rejected_and_spoils_no_other_row(bad, reason):
    good = place()
    wrong = good | {key: np.asarray(value, np.asarray(good[key]).dtype) for key, value in bad.items()}
    env, _ = sandbox(latency=0)
    info = env.step(wrong)[-1]
    assert (info["status"], info["reason"]) == ("rejected", reason)
    assert info["value"] == f"Place request rejected: {reason}"
    assert env.unwrapped.inventory == {"cobblestone": 8}
    envs = make_vec(num_envs=3, items=("cobblestone",), latency=0)
    envs.reset(seed=0, options={"scenario": scenario(inventory={"cobblestone": 8})})
    batch = {key: np.stack([np.asarray(a[key]) for a in (good, wrong, good)]) for key in good}
    info = envs.step(batch)[-1]
    assert info["status"].tolist() == [1, 2, 1]
    assert mc_place_env.Reason(info["reason"][1]).text == reason
    assert info["outcome_count"].tolist() == [1, 0, 1]


def test_parameters_are_read_for_place_only():
    env, _ = sandbox()
    nonsense = {"anchor": np.full(3, NAN, np.float32), "face": 99, "item": -7}
    assert env.step(WAIT | nonsense)[-1]["status"] == "none"


@pytest.mark.parametrize("far", [6, 1e3, 1e18, -1e30, 3e38])
def test_far_offsets_are_accepted_and_out_of_reach_or_unloaded(far):
    env, _ = sandbox(latency=0)
    info = env.step(place(anchor=(far, -1, 0)))[-1]
    assert info["status"] == "accepted"
    assert (info["outcomes"][0]["reason"], info["outcomes"][0]["detail"]) in (
        ("out_of_reach", ""),
        ("invalid_placement", "unloaded"),
    )


FORMS = [
    ({"type": 1}, "anchor, face, item", "['type']"),
    (WAIT | {"extra": 1}, "anchor, face, item", "extra"),
    ([0, 1], "dict", "list"),
    (None, "dict", "NoneType"),
    (7, "dict", "int"),
    (WAIT | {"anchor": np.zeros(2, np.float32)}, "action['anchor']", "(2,)", "(3,)"),
    (WAIT | {"anchor": np.zeros((1, 3), np.float32)}, "action['anchor']", "(1, 3)"),
    (WAIT | {"anchor": ["a", "b", "c"]}, "action['anchor']", "numbers"),
    (WAIT | {"anchor": [0, [1], 2]}, "action['anchor']", "numbers"),
    (WAIT | {"anchor": [None, 0, 0]}, "action['anchor']", "numbers", "object"),
    (WAIT | {"type": 1.0}, "action['type']", "integers", "float64"),
    (WAIT | {"type": "place"}, "action['type']", "integers"),
    (WAIT | {"face": [0]}, "action['face']", "integers"),
    (WAIT | {"item": None}, "action['item']", "integers", "object"),
    (WAIT | {"item": True}, "action['item']", "integers", "bool"),
]


@pytest.mark.parametrize(
    ("action", "culprit", "expected"), [(f[0], f[1], f[2:]) for f in FORMS], ids=[str(f[0])[:70] for f in FORMS]
)
def test_an_action_of_the_wrong_form_raises(action, culprit, expected):
    env, _ = sandbox(latency=0)
    before = env.unwrapped.get_state()["rows"]
    with pytest.raises(ActionError) as error:
        env.step(action)
    names(error, culprit, *expected)
    assert same_records(env.unwrapped.get_state()["rows"], before)


VIEW_FORMS = [
    ("multi_discrete", [0, 0, 0, 0, 0], "(6,)", "(5,)"),
    ("multi_discrete", [0.0] * 6, "integers", "float64"),
    ("multi_discrete", "wait", "integers", "<U4"),
    ("multi_discrete", [0, [1], 0, 0, 0, 0], "integers", "(6,)"),
    ("discrete", 1.0, "integer", "float64"),
    ("discrete", [0], "integer", "(1,)"),
    ("discrete", None, "integer", "object"),
    ("tuple", (0, np.zeros(3)), "tuple of type, anchor, face, item", ""),
    ("tuple", WAIT, "tuple of type, anchor, face, item", "dict"),
    ("tuple", (0, np.zeros(2), 0, 0), "action['anchor']", "(2,)"),
]


@pytest.mark.parametrize(
    ("view", "action", "expected", "found"), VIEW_FORMS, ids=[f"{v[0]}-{v[1]}"[:50] for v in VIEW_FORMS]
)
def test_a_views_action_of_the_wrong_form_raises(view, action, expected, found):
    env = make(action_view=view)
    env.reset(seed=0)
    with pytest.raises(ActionError) as error:
        env.step(action)
    names(error, expected, found)


@pytest.mark.parametrize(("view", "index"), [("discrete", 10**6), ("discrete", -1), ("multi_discrete", [99] * 6)])
def test_an_index_beyond_a_view_is_rejected(view, index):
    env = make(action_view=view)
    env.reset(seed=0)
    assert env.step(np.array(index))[-1]["reason"] == "invalid_type"
    envs = make_vec(num_envs=2, action_view=view)
    envs.reset(seed=0)
    good = 0 if view == "discrete" else [0] * 6
    assert envs.step(np.array([index, good]))[-1]["status"].tolist() == [2, 0]


def test_a_batch_of_the_wrong_size_raises():
    envs = make_vec(num_envs=3)
    envs.reset(seed=0)
    batch = {key: np.stack([np.asarray(value)] * 2) for key, value in WAIT.items()}
    with pytest.raises(ActionError, match=r"action\['type'\].*\(3,\).*\(2,\)"):
        envs.step(batch)


def test_actions_by_unknown_names():
    env, act = sandbox()
    with pytest.raises(ActionError, match=r"item='cobblestoen'.*did you mean cobblestone"):
        act.place("cobblestoen", 0, 0, 0, "up")
    with pytest.raises(ActionError, match=r"face='upp'.*did you mean up"):
        act.place("cobblestone", 0, 0, 0, "upp")
    with pytest.raises(ActionError, match=r"face=77.*UP"):
        act.place("cobblestone", 0, 0, 0, 77)
    assert env.step(act.place("cobblestone", 0, -1, 1, "top"))[-1]["status"] == "accepted"
