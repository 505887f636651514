"""Evaluation on the embedded server: several bots, kept and resumed as on the simulator."""

from importlib.util import find_spec

import pytest

if find_spec("javascript") is None:  # importing it would start Node
    pytest.skip("needs the extra [minecraft]", allow_module_level=True)

from mc_place_env.evaluation.__main__ import main
from mc_place_env.evaluation.run import load_run

pytestmark = pytest.mark.live


def test_a_run_with_several_bots_is_resumed(tmp_path):
    out = tmp_path / "run"
    command = ["--policy", "scripted", "--backend", "simulator", "--backend", "minecraft", "--num-envs", "2"]
    command += ["--episodes", "4", "--out", str(out)]
    assert main(command) == 0
    whole = (out / "episodes.csv").read_text().splitlines(keepends=True)
    assert sum(",minecraft," in line for line in whole) == 4
    (out / "episodes.csv").write_text("".join(whole[:-1]))
    assert main(command) == 0
    assert (out / "episodes.csv").read_text().splitlines(keepends=True)[:-1] == whole[:-1]
    played = {evaluation.backend: evaluation for evaluation in load_run(out).evaluations()}
    assert {backend: e.summary["success"] for backend, e in played.items()} == {"simulator": 1.0, "minecraft": 1.0}
    live, simulated = ([e["instance"] for e in played[b].episodes] for b in ("minecraft", "simulator"))
    assert live == simulated
