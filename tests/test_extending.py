"""The worked example of docs/extending.md, applied to a copy of the package."""

import json
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
        "    APPROACH = 5\n",
        "    APPROACH = 5\n" + block_after(page, reward, 1).splitlines()[-1] + "\n",
    )
    rewards = package / "simulation" / "rewards.py"
    edit(rewards, "    row.reward = 0.0\n", block_after(page, reward, 3) + "    row.reward = 0.0\n")
    rewards.write_text(rewards.read_text() + "\n\n" + block_after(page, reward, 2))
    observe = package / "simulation" / "observe.py"
    edit(observe, '"moving")', block_after(page, field, 1).split("..., ")[1].strip())
    edit(observe, "    return at + POSE_SIZE\n", block_after(page, field, 2) + "    return at + POSE_SIZE\n")

    run_edited(tmp_path, PROGRAM)


def run_edited(folder: Path, program: str) -> None:
    """Runs a program on the edited copy, without the JIT: it need not be compiled for this."""
    environment = {"PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": "1", "PATH": "", "HOME": str(folder)}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, cwd=folder)
    assert run.returncode == 0, run.stderr[-2000:]


FAMILY = """
import gymnasium, mc_place_env
env = gymnasium.make("McPlace/Sandbox-v0", items=("white_wool",), latency=0, disable_env_checker=True)
floor = [[x, 63, z, "grass_block" if z == 1 else "stone"] for x in (-1, 0, 1) for z in (0, 1, 2)]
env.reset(seed=0, options={"scenario": {"blocks": floor, "inventory": {"white_wool": 2}}})
place = mc_place_env.Actions(env).place
outcomes = [env.step(place("white_wool", 0, -1, z, "up"))[-1]["outcomes"][0] for z in (1, 2)]
assert [(outcome["outcome"], outcome["detail"]) for outcome in outcomes] == [("placed", ""), ("failed", "no_support")]
"""


def test_a_block_family(tmp_path):
    package = tmp_path / "mc_place_env"
    shutil.copytree(ROOT / "mc_place_env", package, ignore=shutil.ignore_patterns("__pycache__"))
    page = (ROOT / "docs" / "extending.md").read_text().split("## A block family", 1)[1]
    entry = json.loads("{" + page.split("```json\n")[1].split("```")[0] + "}")
    table = package / "data" / "1.20.4.json"
    data = json.loads(table.read_text())
    data["blocks"]["white_wool"] |= entry
    table.write_text(json.dumps(data))
    line = page.split("```python\n")[1].split("```")[0]
    edit(package / "rules" / "support.py", "ON_GROUND = {\n", "ON_GROUND = {\n" + line)
    run_edited(tmp_path, FAMILY)


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, f"{file.name}: {old!r}"
    file.write_text(text.replace(old, new))
