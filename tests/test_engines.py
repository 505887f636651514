"""One behaviour, many ways to run it: single, batch row, serial, parallel, compiled, interpreted, restored, unpickled.

Everything is compared byte for byte: observation, reward, flags and facts.
"""

import hashlib
import pickle

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from helpers import IDS, as_bytes, make, make_vec, random_actions, row_of, run_python, scenario

from mc_place_env.errors import ConfigError
from mc_place_env.simulation.facts import named_facts

# Short episodes, every kind of latency, reverts before and after the report, a full queue now and then.
STORMY = {
    "episode_steps": 23,
    "max_pending": 2,
    "latency": {
        "entry": {"uniform": (0, 9)},
        "response": {"empirical": [0, 0, 3, 7]},
        "revert_probability": 0.3,
        "revert_ticks": {"uniform": (1, 12)},
    },
}
VARIANTS = {
    "stormy": STORMY,
    "default": {},
    "precheck": {"precheck": "world", "latency": 5, "episode_steps": 30, "ticks_per_step": 3},
    "spatial map": {"observe": ("spatial_map",)} | STORMY,
    "wide view": {"view_radius": 8, "latency": (0, 3), "ticks_per_step": 1, "episode_steps": 60},
}
EACH_ID = pytest.mark.parametrize("env_id", IDS)
EACH_VARIANT = pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)


def facts_of(env):
    """The numeric facts of a single environment's last step or reset."""
    batch = env.unwrapped._batch
    facts = row_of(named_facts(batch.out.facts), 0)
    return {key: value for key, value in facts.items() if key not in ("terminated", "truncated")}


def part_facts(info, i):
    """The same of row i of a vector environment, without what a single one has elsewhere."""
    skipped = ("reward_terms", "final_obs", "_final_obs", "final_info", "_final_info")
    facts = row_of({key: value for key, value in info.items() if key not in skipped}, i)
    return facts | {"is_success": np.int32(facts["is_success"])}


def terms_of(info, i):
    return {name: float(term[i]) for name, term in info["reward_terms"].items()}


class Twin:
    """A single environment that is stepped as row i of a vector one."""

    def __init__(self, env_id, seed, **options):
        self.env = make(env_id, **options)
        self.observation, self.info = self.env.reset(seed=seed)

    def step(self, action):
        self.observation, self.reward, self.terminated, self.truncated, self.info = self.env.step(action)
        self.ended = self.terminated or self.truncated
        self.facts = facts_of(self.env)

    def reset(self):
        self.observation, self.info = self.env.reset()
        self.reward, self.terminated, self.truncated = 0.0, False, False
        self.ended = False
        self.facts = facts_of(self.env)

    def assert_step_equals(self, step, i):
        observation, rewards, terminated, truncated, info = step
        assert as_bytes(row_of(observation, i)) == as_bytes(self.observation)
        assert as_bytes(part_facts(info, i)) == as_bytes(self.facts)
        assert terms_of(info, i) == self.info["reward_terms"]
        assert rewards[i].tobytes() == np.float64(self.reward).tobytes()
        assert (terminated[i], truncated[i]) == (self.terminated, self.truncated)


def start(env_id, mode, options, n=4, seed=11):
    envs = make_vec(env_id, n, autoreset_mode=mode, **options)
    observation, _ = envs.reset(seed=seed)
    twins = [Twin(env_id, seed + i, **options) for i in range(n)]
    for i, twin in enumerate(twins):
        assert as_bytes(row_of(observation, i)) == as_bytes(twin.observation)
    return envs, twins


def action_stream(envs, steps, seed=5):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        yield random_actions(rng, envs.num_envs, len(envs.items), place_share=0.55)


@EACH_VARIANT
@EACH_ID
def test_row_equals_single_with_next_step_autoreset(env_id, options):
    envs, twins = start(env_id, AutoresetMode.NEXT_STEP, options)
    ended = [False] * len(twins)
    for actions in action_stream(envs, 130):
        step = envs.step(actions)
        for i, twin in enumerate(twins):
            twin.reset() if ended[i] else twin.step(row_of(actions, i))
            twin.assert_step_equals(step, i)
            ended[i] = twin.ended
    assert "episode_steps" not in options or all(t.env.unwrapped._batch.rows["episode"][0] > 2 for t in twins)


@EACH_ID
def test_row_equals_single_with_same_step_autoreset(env_id):
    envs, twins = start(env_id, AutoresetMode.SAME_STEP, STORMY)
    finals = 0
    for actions in action_stream(envs, 130):
        observation, *rest, info = envs.step(actions)
        for i, twin in enumerate(twins):
            twin.step(row_of(actions, i))
            if not twin.ended:
                assert "_final_obs" not in info or not info["_final_obs"][i]
                twin.assert_step_equals((observation, *rest, info), i)
                continue
            finals += 1
            assert info["_final_obs"][i]
            assert info["_final_info"][i]
            twin.assert_step_equals((info["final_obs"], *rest, info["final_info"]), i)
            assert terms_of(info, i) == twin.info["reward_terms"]
            twin.reset()
            assert as_bytes(row_of(observation, i)) == as_bytes(twin.observation)
            assert as_bytes(part_facts(info, i)) == as_bytes(twin.facts)
    assert finals >= 4 * 5


@EACH_ID
def test_row_equals_single_with_resets_by_mask(env_id):
    envs, twins = start(env_id, AutoresetMode.DISABLED, STORMY)
    for actions in action_stream(envs, 130):
        step = envs.step(actions)
        for i, twin in enumerate(twins):
            twin.step(row_of(actions, i))
            twin.assert_step_equals(step, i)
        ended = np.array([twin.ended for twin in twins])
        if ended.any():
            observation, info = envs.reset(options={"reset_mask": ended})
            for i in np.flatnonzero(ended):
                twins[i].reset()
                assert as_bytes(row_of(observation, i)) == as_bytes(twins[i].observation)
                assert as_bytes(part_facts(info, i)) == as_bytes(twins[i].facts)
                assert terms_of(info, i) == twins[i].info["reward_terms"] == dict.fromkeys(terms_of(info, i), 0.0)


@pytest.mark.parametrize("view", ["discrete", "multi_discrete"])
def test_the_observed_mask_is_the_mask(view):
    options = STORMY | {"observe": ("spatial_map", "action_mask"), "action_view": view, "offset_range": 1}
    envs, env = make_vec("McPlace/Wall-v0", 3, **options), make("McPlace/Wall-v0", **options)
    seen, (alone, _) = envs.reset(seed=2)[0], env.reset(seed=2)
    envs.action_space.seed(0)
    ended = False
    for _ in range(40):
        assert seen in envs.observation_space
        assert alone in env.observation_space
        np.testing.assert_array_equal(seen["action_mask"], envs.action_masks())
        np.testing.assert_array_equal(alone["action_mask"], env.unwrapped.action_masks())
        assert as_bytes(row_of(seen, 0)) == as_bytes(alone)
        actions = envs.action_space.sample()
        seen, *_ = envs.step(actions)
        alone, *ends = env.reset() if ended else env.step(actions[0])
        ended = any(ends[1:3]) if len(ends) == 4 else False
    with pytest.raises(ConfigError, match="SAME_STEP"):
        make_vec("McPlace/Wall-v0", observe=("spatial_map",), autoreset_mode="SameStep")
    with pytest.raises(ConfigError, match="action_mask"):
        make("McPlace/Wall-v0", observe=("action_mask",))


def test_seeds_may_be_listed():
    envs = make_vec("McPlace/Wall-v0", 3)
    listed, _ = envs.reset(seed=[5, 0, 9])
    for i, seed in enumerate((5, 0, 9)):
        single, _ = make("McPlace/Wall-v0").reset(seed=seed)
        assert as_bytes(row_of(listed, i)) == as_bytes(single)


def rollout(env_id, n=3, steps=60, seed=3, **options):
    """Bytes of everything a vector environment says over a rollout."""
    envs = make_vec(env_id, n, **options)
    said = [as_bytes(envs.reset(seed=seed))]
    for actions in action_stream(envs, steps, seed):
        said.append(as_bytes(envs.step(actions)))
    return b"".join(said)


def print_hashes(steps):
    """For another process: a hash of a rollout of every id."""
    for env_id in IDS:
        said = rollout(env_id, n=2, steps=steps, **STORMY)
        print(env_id, hashlib.sha256(said).hexdigest())


def hashes(steps):
    return {env_id: hashlib.sha256(rollout(env_id, n=2, steps=steps, **STORMY)).hexdigest() for env_id in IDS}


def hashes_elsewhere(steps, **environment):
    said = run_python(f"import test_engines; test_engines.print_hashes({steps})", **environment)
    return dict(line.split() for line in said.splitlines())


def test_compiled_equals_interpreted():
    assert hashes_elsewhere(70, NUMBA_DISABLE_JIT=1) == hashes(70)


@pytest.mark.parametrize("hash_seed", [1, 4242])
def test_hash_seed_does_not_matter(hash_seed):
    assert hashes_elsewhere(60, PYTHONHASHSEED=hash_seed) == hashes(60)


def test_rollouts_differ_between_seeds():
    assert rollout("McPlace/Wall-v0", seed=1, steps=5) != rollout("McPlace/Wall-v0", seed=2, steps=5)


@EACH_ID
def test_parallel_equals_serial(env_id):
    serial = rollout(env_id, n=70, steps=40, threads=1, **STORMY)
    assert serial == rollout(env_id, n=70, steps=40, threads=2, **STORMY)


# -- saved states ------------------------------------------------------------------------------------------------------


def play(env, actions):
    """Bytes of what a single environment says to some actions; a new episode where one ends."""
    said = []
    for action in actions:
        step = env.step(action)
        said.append(as_bytes((*step, facts_of(env))))
        if step[2] or step[3]:
            said.append(as_bytes(env.reset()))
    return said


def single_actions(n, seed=8):
    rng = np.random.default_rng(seed)
    return [row_of(random_actions(rng, 1, 1), 0) for _ in range(n)]


@EACH_ID
def test_set_state_goes_on_byte_for_byte(env_id):
    env = make(env_id, **STORMY)
    env.reset(seed=4)
    play(env, single_actions(30))
    state = pickle.loads(pickle.dumps(env.unwrapped.get_state()))
    expected = play(env, single_actions(60, seed=9))
    other = make(env_id, **STORMY)
    other.reset(seed=77)
    play(other, single_actions(15, seed=1))
    for restored in (env, other):
        restored.unwrapped.set_state(state)
        assert play(restored, single_actions(60, seed=9)) == expected


@EACH_ID
def test_vector_set_state_goes_on_byte_for_byte(env_id):
    envs, other = make_vec(env_id, 3, **STORMY), make_vec(env_id, 3, **STORMY)
    envs.reset(seed=4)
    other.reset(seed=90)
    for actions in action_stream(envs, 30):
        envs.step(actions)
    state = envs.get_state()
    expected = [as_bytes(envs.step(actions)) for actions in action_stream(envs, 60, seed=1)]
    for restored in (envs, other):
        restored.set_state(state)
        assert [as_bytes(restored.step(actions)) for actions in action_stream(envs, 60, seed=1)] == expected


def test_a_saved_state_is_not_touched_by_later_steps():
    env = make(**STORMY)
    env.reset(seed=4)
    play(env, single_actions(20))
    state = env.unwrapped.get_state()
    before = pickle.dumps(state)
    play(env, single_actions(20))
    assert pickle.dumps(state) == before


def test_state_keeps_blocks_of_a_scenario_and_the_map():
    env = make(items=("cobblestone",))
    world = scenario([1, 64, 1, "oak_stairs[facing=west]"], [2, 64, 1, "snow[layers=3]"], inventory={"cobblestone": 3})
    env.reset(seed=0, options={"scenario": world})
    env.unwrapped.spatial_map.record_placement((9, 64, 9), 0)
    state = env.unwrapped.get_state()
    other = make(items=("cobblestone",))
    other.reset(seed=1)
    other.unwrapped.set_state(state)
    assert other.unwrapped.block_at(1, 64, 1) == env.unwrapped.block_at(1, 64, 1)
    assert other.unwrapped.block_at(2, 64, 1) == "snow[layers=3]"
    assert other.unwrapped.spatial_map.block_at(9, 64, 9) == "air"
    assert other.unwrapped.inventory == {"cobblestone": 3}


@EACH_ID
def test_pickled_environments_go_on(env_id):
    env = make(env_id, **STORMY)
    env.reset(seed=4)
    play(env, single_actions(30))
    copy = pickle.loads(pickle.dumps(env))
    assert play(copy, single_actions(60, seed=9)) == play(env, single_actions(60, seed=9))
    envs = make_vec(env_id, 3, **STORMY)
    envs.reset(seed=4)
    for actions in action_stream(envs, 20):
        envs.step(actions)
    copies = pickle.loads(pickle.dumps(envs))
    for actions in action_stream(envs, 60, seed=2):
        assert as_bytes(copies.step(actions)) == as_bytes(envs.step(actions))


# -- buffers -----------------------------------------------------------------------------------------------------------


def test_returned_values_never_change_later():
    env, envs = make("McPlace/Wall-v0", **STORMY), make_vec("McPlace/Wall-v0", 3, **STORMY)
    same = make_vec("McPlace/Wall-v0", 3, autoreset_mode="SameStep", **STORMY)
    kept = [env.reset(seed=0), envs.reset(seed=0), same.reset(seed=0)]
    said = [as_bytes(value) for value in kept]
    for action, actions in zip(single_actions(22), action_stream(envs, 22), strict=True):
        for value in (env.step(action), envs.step(actions), same.step(actions)):
            kept.append(value)
            said.append(as_bytes(value))
    kept += [env.reset(), envs.reset(), same.reset()]
    assert [as_bytes(value) for value in kept[: len(said)]] == said


def test_without_copy_values_are_the_same_and_overwritten():
    plain, bare = make_vec("McPlace/Wall-v0", 3, **STORMY), make_vec("McPlace/Wall-v0", 3, copy=False, **STORMY)
    assert as_bytes(plain.reset(seed=0)) == as_bytes(bare.reset(seed=0))
    earlier = None
    for actions in action_stream(plain, 30):
        expected, got = plain.step(actions), bare.step(actions)
        assert as_bytes(got) == as_bytes(expected)
        assert earlier is None or np.shares_memory(earlier["voxels"], got[0]["voxels"])
        earlier = got[0]
