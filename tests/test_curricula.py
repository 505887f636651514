"""Curricula as data: drawing, promotion, learning progress, and what is refused."""

import json

import numpy as np
import pytest

from mc_place_env.curricula import read_curriculum
from mc_place_env.errors import ConfigError

STAGES = [{"difficulty": 0.0}, {"difficulty": 0.5, "success": 0.5}, {"task": "Wall", "window": 6}]


def curriculum(**changed):
    return read_curriculum({"success": 0.75, "window": 4, "share": 0.2, "stages": STAGES} | changed)


def record(made, stage, *successes):
    return [made.record(bool(success), stage) for success in successes]


def test_stages_take_what_they_do_not_say_from_the_curriculum():
    made = curriculum()
    assert [stage.task for stage in made.stages] == [{"difficulty": 0.0}, {"difficulty": 0.5}, {"task": "Wall"}]
    assert [(stage.success, stage.window) for stage in made.stages] == [(0.75, 4), (0.5, 4), (0.75, 6)]


def test_promotion_needs_a_full_window_of_success():
    made = curriculum()
    assert record(made, None, 1, 1, 1) == [False] * 3  # three of three, but the window is four
    assert record(made, None, 0) == [True]  # three of the last four
    assert (made.stage, made.state["promotions"]) == (1, [{"stage": 1, "episodes": 4}])
    assert record(made, None, 0, 0, 0, 0, 1) == [False] * 5
    assert record(made, None, 1) == [True]  # the window slides: two of the last four


def test_earlier_stages_are_recorded_but_never_promote():
    made = curriculum()
    record(made, None, 1, 1, 1, 1)
    assert record(made, 0, *[1] * 20) == [False] * 20
    assert made.stage == 1
    assert [made.success(k) for k in range(3)] == [1.0, None, None]


def test_the_last_stage_ends_the_curriculum():
    made = curriculum()
    record(made, None, *[1] * 8)
    assert (made.stage, made.finished) == (2, False)
    record(made, None, *[1] * 5)
    assert not made.finished
    record(made, None, 0)
    assert made.finished
    assert made.stage == 2


def test_a_share_of_the_episodes_replays_earlier_stages():
    made, rng = curriculum(), np.random.default_rng(0)
    assert {made.draw(rng) for _ in range(50)} == {0}
    record(made, None, *[1] * 8)
    np.testing.assert_allclose(made.probabilities(), [0.1, 0.1, 0.8])
    drawn = np.bincount([made.draw(rng) for _ in range(2000)], minlength=3) / 2000
    np.testing.assert_allclose(drawn, [0.1, 0.1, 0.8], atol=0.03)
    assert curriculum(share=0.0).draw(rng) == 0


def test_learning_progress_prefers_what_changes():
    made = curriculum(sampler="learning_progress")
    np.testing.assert_allclose(made.probabilities(), 1 / 3)
    record(made, 0, *[0] * 40)  # hopeless
    record(made, 1, *[1] * 40)  # mastered long ago
    record(made, 2, *[0] * 20, 1, 1, 1)  # being learned
    assert made.stage == int(np.argmax(made.probabilities())) == 2
    assert made.probabilities()[0] == pytest.approx(0.2 / 3)
    assert made.probabilities().sum() == pytest.approx(1.0)


def test_forgetting_counts_as_progress():
    made = curriculum(sampler="learning_progress")
    record(made, 0, *[1] * 40)
    record(made, 1, *[1] * 40)
    before = made.probabilities()[0]
    record(made, 0, 0, 0, 0)
    assert made.probabilities()[0] > 0.8 > before


def test_averages_are_those_of_the_paper():
    made = curriculum(sampler="learning_progress")
    fast = slow = 0.0
    for success in (1, 0, 1, 1, 0):
        made.record(bool(success), 1)
        fast += 0.4 * (success - fast)  # 2 / (window + 1)
        slow += 0.4 * (fast - slow)
    assert made.progress()[1] == pytest.approx(abs(fast - slow))


@pytest.mark.parametrize("sampler", ["stages", "learning_progress"])
def test_a_saved_state_goes_on(sampler):
    made, other = curriculum(sampler=sampler), curriculum(sampler=sampler)
    record(made, None, *[1] * 5)
    other.load_state(json.loads(json.dumps(made.state)))
    for success in (1, 0, 1, 1):
        assert made.record(bool(success)) == other.record(bool(success))
    assert other.state == made.state
    assert made.summary() == other.summary()


def test_state_of_another_curriculum_is_refused():
    made = curriculum(stages=STAGES[:2])
    with pytest.raises(ConfigError, match=r"of 3 stages, .* this curriculum has 2"):
        made.load_state(curriculum().state)
    with pytest.raises(ConfigError, match=r"sampler stages, .* sampler learning_progress"):
        curriculum(sampler="learning_progress").load_state(curriculum().state)


def test_from_a_file(tmp_path):
    path = tmp_path / "easy.yaml"
    path.write_text("window: 7\nstages:\n  - {difficulty: 0.1}\n")
    assert read_curriculum(path).stages[0].window == 7
    path.write_text("stages:\n  - {task: Wal}\n")
    with pytest.raises(ConfigError, match=r"easy\.yaml: stages\[0\]: task='Wal'"):
        read_curriculum(path)


@pytest.mark.parametrize(
    ("changed", "culprit", "expected"),
    [
        ({"stages": [{"task": "Walll"}]}, "stages[0]: task='Walll'", "'Wall'"),
        ({"stages": [{}, {"difficulty": 1.5}]}, "stages[1]: difficulty=1.5", "[0.0, 1.0]"),
        ({"stages": [{"levl": 1}]}, "stages[0]: unknown key 'levl'", "difficulty"),
        ({"stages": [{"task": "Bridge", "width": 3}]}, "stages[0]: unknown key 'width'", "length"),
        ({"stages": [{"latency": -1}]}, "stages[0]: latency=-1", "integer in"),
        ({"stages": [{"split": "valid"}]}, "split='valid'", "'train', 'test'"),
        ({"stages": [{"success": 2}]}, "stages[0]: success=2", "[0.0, 1.0]"),
        ({"stages": [{"window": 0}]}, "stages[0]: window=0", "integer in [1,"),
        ({"stages": ["hard"]}, "stages[0]='hard'", "mapping"),
        ({"stages": []}, "stages=[]", "at least one stage"),
        ({"stages": None}, "stages=None", "list"),
        ({"share": 1.5}, "share=1.5", "[0.0, 1.0]"),
        ({"sampler": "random"}, "sampler='random'", "'learning_progress'"),
        ({"sucess": 0.9}, "unknown key 'sucess'", "did you mean 'success'"),
    ],
)
def test_what_is_wrong_is_named(changed, culprit, expected):
    with pytest.raises(ConfigError) as error:
        curriculum(**changed)
    assert culprit in str(error.value)
    assert expected in str(error.value)
