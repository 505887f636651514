"""The worked example of docs/extending.md, applied to a copy of the package."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAM = """
import gymnasium, mc_place_env
env = gymnasium.make("McPlace/Wall-v0", rewards={"queue": 0.01}, latency=20, disable_env_checker=True)
observation, _ = env.reset(seed=0)
assert observation["pose"].shape == env.observation_space["pose"].shape == (10,)
_, reward, _, _, info = env.step(mc_place_env.Actions(env).place("dirt", 0, -1, 1, "up"))
assert info["reward_terms"]["queue"] == -0.01 and reward == sum(info["reward_terms"].values())
observation, *_ = env.step(mc_place_env.Actions(env).move_back())
assert observation["pose"][9] > 0
"""


def block_after(text: str, heading: str, number: int) -> str:
    """The number-th python block after a heading of the page."""
    part = text.split(heading, 1)[1]
    return part.split("```python\n")[number].split("```", 1)[0]


def test_the_page_works(tmp_path):
    package = tmp_path / "mc_place_env"
    shutil.copytree(ROOT / "mc_place_env", package, ignore=shutil.ignore_patterns("__pycache__"))
    page = (ROOT / "docs" / "extending.md").read_text()
    reward, field = "## A reward term", "## An observation field"

    edit(
        package / "types.py",
        "    SUCCESS = 4\n",
        "    SUCCESS = 4\n" + block_after(page, reward, 1).splitlines()[-1] + "\n",
    )
    rewards = package / "simulation" / "rewards.py"
    edit(rewards, "    row.reward = 0.0\n", block_after(page, reward, 3) + "    row.reward = 0.0\n")
    rewards.write_text(rewards.read_text() + "\n\n" + block_after(page, reward, 2))
    observe = package / "simulation" / "observe.py"
    edit(observe, '"moving")', block_after(page, field, 1).split("..., ")[1].strip())
    edit(observe, "    return at + POSE_SIZE\n", block_after(page, field, 2) + "    return at + POSE_SIZE\n")

    environment = {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1", "PATH": "", "HOME": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr[-2000:]


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, f"{file.name}: {old!r}"
    file.write_text(text.replace(old, new))
