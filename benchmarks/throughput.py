"""Steps a second, in one run, as ratios: `python benchmarks/throughput.py [--quick] [--record]`.

Prints a page, writes runs/bench/throughput.json and .png, and compares with the last recorded run
(benchmarks/recorded.json, ratios only). `--record` makes this run the one to compare with.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import peers

import mc_place_env
from mc_place_env.config import PlaceEnvConfig
from mc_place_env.envs.actions import make_codec
from mc_place_env.envs.making import make_batch
from mc_place_env.simulation.batch import Batch
from mc_place_env.types import ACTION, ActionType, Autoreset

HERE = Path(__file__).parent
RECORDED = HERE / "recorded.json"
ENV = mc_place_env.IDS["Wall"]
SIZES = (1, 16, 64, 256, 1024, 4096)
MASKED_VIEWS = ("multi_discrete", "discrete")
MOVED = 1.15  # a ratio that moved by more is named
# ratio: (what, better, at least or at most, aim)
TARGETS = {
    "kernel_over_copy_256": ("step + observation at N=256, in times of copying the observation", "low", 12, 7),
    "single_over_crafter": ("single env through make, against crafter", "high", 150, 250),
    "vector_16_over_sync": ("native vector env at N=16, against SyncVectorEnv", "high", 12, 20),
    "sb3_over_kernel_256": ("SB3 VecEnv at N=256, against the raw kernel", "high", 0.5, 0.65),
    "ppo_env_share": ("share of the env in PPO's wall time, 256 envs", "low", 0.03, 0.015),
    "joint_mask_us": ("exact joint mask, microseconds an env", "low", 20, 5),
    "marginal_mask_over_step": ("marginal masks, in times of one step + observation", "low", 3, 1),
    "first_step_cached_s": ("first step in a fresh process, cached, seconds", "low", 1, 0.4),
    "first_step_cold_s": ("first step in a fresh process, cold, seconds", "low", 8, 4),
    "two_threads_1024": ("2 threads against 1 at N=1024", "high", 1.7, 1.9),
}


class Call(NamedTuple):
    """Something to time: `run` makes `steps` env steps."""

    run: Callable[[], Any]
    steps: int


def side_by_side(calls: dict[str, Call], budget: float, rounds: int = 10) -> dict[str, float]:
    """Seconds a step of each call, about `budget` seconds for each: the best of rounds in turn.

    A noisy machine is noisy for all of them alike, so that their ratios hold.
    """
    counts = {name: max(1, int(budget / rounds / seconds_of(call, 1))) for name, call in calls.items()}
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            best[name] = min(best[name], seconds_of(call, counts[name]) / counts[name] / call.steps)
    return best


def seconds_of(call: Call, count: int) -> float:
    """Seconds of `count` runs, after one that does not count."""
    call.run()
    start = time.perf_counter()
    for _ in range(count):
        call.run()
    return max(time.perf_counter() - start, 1e-7)


def action_mix(n: int, mix: str, generator: np.random.Generator) -> np.ndarray:
    """ACTION (n,): uniform over types, or seven in ten PLACE."""
    actions = np.zeros(n, ACTION)
    kinds = generator.integers(0, len(ActionType), n)
    actions["type"] = kinds if mix == "random" else np.where(generator.random(n) < 0.7, ActionType.PLACE, kinds)
    actions["anchor"] = generator.integers(-3, 4, (n, 3))
    actions["face"], actions["item"] = generator.integers(0, 6, n), generator.integers(0, 3, n)
    return actions


def cycle(values: list) -> Callable[[], Any]:
    """The values one after another, for ever."""
    state = {"k": 0}

    def following() -> Any:
        state["k"] = (state["k"] + 1) % len(values)
        return values[state["k"]]

    return following


def kernel_call(n: int, mix: str, threads: int = 1) -> tuple[Call, Batch]:
    """A step of a batch, resets included, and the batch."""
    batch = make_batch(PlaceEnvConfig.parse({"task": "Wall"}), n, threads, Autoreset.NEXT_STEP)
    batch.seed(range(n))
    batch.reset()
    generator = np.random.default_rng(0)
    following = cycle([action_mix(n, mix, generator) for _ in range(16)])

    def step() -> None:
        batch.actions[:] = following()
        batch.step()

    return Call(step, n), batch


def copy_call(batch: Batch) -> Call:
    """Copying the bytes of a batch's observation."""
    observed, target = batch.out.observed, batch.out.observed.copy()
    return Call(lambda: np.copyto(target, observed), batch.n)


def masks_call(batch: Batch, view: str) -> Call:
    """The action masks of a batch."""
    codec = make_codec(PlaceEnvConfig.parse({"task": "Wall", "action_view": view}), batch)
    return Call(lambda: codec.masks(batch), batch.n)


class WithoutInfo(gym.Wrapper):
    """Drops info: SyncVectorEnv cannot stack a value that is None in one row and a dict in another."""

    def reset(self, **options: Any) -> tuple:
        """As the env."""
        return self.env.reset(**options)[0], {}

    def step(self, action: Any) -> tuple:
        """As the env."""
        return *self.env.step(action)[:4], {}


def vector_call(n: int, kind: str = "native") -> Call:
    """A step of the vector environment, `native` or `sync`."""
    if kind == "native":
        env = gym.make_vec(ENV, num_envs=n)
    else:
        env = gym.vector.SyncVectorEnv([lambda: WithoutInfo(gym.make(ENV)) for _ in range(n)])
    env.reset(seed=0)
    env.action_space.seed(0)
    following = cycle([env.action_space.sample() for _ in range(16)])
    return Call(lambda: env.step(following()), n)


def sb3_call(n: int) -> Call:
    """A step of the SB3 VecEnv."""
    from mc_place_env.integrations.sb3 import make_vec_env

    env = make_vec_env(ENV, n, seed=0)
    env.reset()
    generator = np.random.default_rng(0)
    following = cycle([generator.integers(0, env.action_space.nvec, (n, 6)) for _ in range(16)])
    return Call(lambda: env.step(following()), n)


def measure_size(n: int, budget: float) -> dict[str, float]:
    """Seconds a step of one env of n, by what is stepped; `copy` and the masks are those of the random mix."""
    random, batch = kernel_call(n, "random")
    calls = {"random": random, "place": kernel_call(n, "place")[0], "copy": copy_call(batch)}
    calls |= {view: masks_call(batch, view) for view in MASKED_VIEWS}
    calls |= {"threads": kernel_call(n, "random", threads=2)[0], "vector": vector_call(n), "sb3": sb3_call(n)}
    if n == 16:
        calls["sync"] = vector_call(n, "sync")
    return side_by_side(calls, budget)


def measure_single(budget: float) -> dict[str, float]:
    """Seconds a step through gymnasium.make, random actions, resets included: `mc_place_env`, and the peers."""
    envs = {"mc_place_env": gym.make(ENV)} | peers.installed()
    return side_by_side({name: Call(*peers.episodes(env)) for name, env in envs.items()}, budget)


def measure_memory(steps: int = 10_000_000, n: int = 256) -> dict[str, int]:
    """Bytes in use after the first thousand steps of a batch, and after `steps` env steps more, resets included."""
    batch = make_batch(PlaceEnvConfig.parse({"task": "Wall"}), n, 1, Autoreset.NEXT_STEP)
    batch.seed(range(n))
    batch.reset()
    generator = np.random.default_rng(0)
    mixes = [action_mix(n, mix, generator) for mix in ("random", "place") for _ in range(8)]
    used = []
    for count in (1000, steps // n):
        for k in range(count):
            batch.actions[:] = mixes[k % len(mixes)]
            batch.step()
        used.append(resident_bytes())
    return {"steps": steps, "before": used[0], "after": used[1]}


def resident_bytes() -> int:
    """Memory this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure_ppo(steps: int = 8192 * 6) -> dict[str, float]:
    """Seconds of environment, policy and update in a PPO run."""
    from stable_baselines3 import PPO

    from mc_place_env.integrations.sb3 import VoxelExtractor, make_vec_env

    env = make_vec_env(ENV, 256, seed=0)
    spent = {"env": 0.0, "update": 0.0}
    settings = {"n_steps": 32, "batch_size": 2048, "n_epochs": 3, "gamma": 0.95, "learning_rate": 1e-3}
    policy = {"features_extractor_class": VoxelExtractor, "net_arch": [64]}
    model = PPO("MultiInputPolicy", env, policy_kwargs=policy, device="cpu", **settings)
    env.step_wait = timed(env.step_wait, spent, "env")
    model.train = timed(model.train, spent, "update")
    start = time.perf_counter()
    model.learn(steps)
    total = time.perf_counter() - start
    return spent | {"policy": total - sum(spent.values()), "total": total, "steps_per_second": steps / total}


def timed(call: Callable, spent: dict[str, float], key: str) -> Callable:
    """The same call, its time added to `spent[key]`."""

    def wrapped(*arguments: Any, **options: Any) -> Any:
        start = time.perf_counter()
        try:
            return call(*arguments, **options)
        finally:
            spent[key] += time.perf_counter() - start

    return wrapped


def measure_first_step(cold: bool) -> float:
    """Seconds from import to the first step in a fresh process."""
    program = (
        "import time; t = time.perf_counter(); import gymnasium, mc_place_env;"
        f"e = gymnasium.make('{ENV}'); e.reset(seed=0); e.step(e.action_space.sample());"
        "print(time.perf_counter() - t)"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | ({"MC_PLACE_ENV_CACHE": folder} if cold else {})
        run = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
    return float(run.stdout)


def measure(budget: float) -> dict[str, Any]:
    """Every figure: seconds, and the ratios of TARGETS."""
    figures: dict[str, Any] = {"sizes": {}}
    for n in SIZES:
        figures["sizes"][n] = measure_size(n, budget)
        print(f"N={n} done", file=sys.stderr)
    figures["single_s"] = measure_single(budget)
    figures["memory"] = measure_memory()
    figures["ppo"] = measure_ppo()
    figures["first_step_s"] = {
        "cached": min(measure_first_step(False) for _ in range(3)),
        "cold": measure_first_step(True),
    }
    figures["bytes_per_env"] = int(make_batch(PlaceEnvConfig.parse({"task": "Wall"})).rows.itemsize)
    figures["ratios"] = ratios(figures)
    figures["machine"] = machine()
    return figures


def ratios(figures: dict[str, Any]) -> dict[str, float]:
    """The figures that count, comparable between machines; what was not measured is left out."""
    at_16, at_256, at_1024 = (figures["sizes"][n] for n in (16, 256, 1024))
    found = {
        "kernel_over_copy_256": at_256["random"] / at_256["copy"],
        "vector_16_over_sync": at_16["sync"] / at_16["vector"],
        "sb3_over_kernel_256": at_256["random"] / at_256["sb3"],
        "ppo_env_share": figures["ppo"]["env"] / figures["ppo"]["total"],
        "joint_mask_us": at_256["discrete"] * 1e6,
        "marginal_mask_over_step": at_256["multi_discrete"] / at_256["random"],
        "first_step_cached_s": figures["first_step_s"]["cached"],
        "first_step_cold_s": figures["first_step_s"]["cold"],
        "two_threads_1024": at_1024["random"] / at_1024["threads"],
    }
    single = figures["single_s"]
    if "crafter" in single:
        found["single_over_crafter"] = single["crafter"] / single["mc_place_env"]
    return found


def machine() -> str:
    """What ran it."""
    model = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), ":unknown")
    return (
        f"{os.cpu_count()} x {model.split(':')[1].strip()}, Python {platform.python_version()}, numpy {np.__version__}"
    )


def page(figures: dict[str, Any]) -> str:
    """The figures as text."""
    lines = [figures["machine"], "", "env steps/s, step + observation, one core, resets included"]
    lines.append(
        f"{'N':>6} {'kernel random':>14} {'placing':>10} {'x copy':>7} {'2 threads':>10}"
        f" {'vector env':>11} {'+ marginal':>11} {'+ joint':>10} {'SB3':>10}"
    )
    for n in SIZES:
        took = figures["sizes"][n]
        seconds = [took["random"], took["place"], took["threads"], took["vector"]]
        seconds += [took["vector"] + took[view] for view in MASKED_VIEWS] + [took["sb3"]]
        rates = [f"{1 / s:,.0f}" for s in seconds]
        lines.append(
            f"{n:>6} {rates[0]:>14} {rates[1]:>10} {took['random'] / took['copy']:>7.1f} {rates[2]:>10}"
            f" {rates[3]:>11} {rates[4]:>11} {rates[5]:>10} {rates[6]:>10}"
        )
    lines += ["", "one env, random actions, resets included"]
    lines += [f"{name}: {1 / seconds:,.0f} steps/s" for name, seconds in figures["single_s"].items()]
    ppo = figures["ppo"]
    parts = ", ".join(f"{key} {ppo[key] / ppo['total']:.1%}" for key in ("env", "policy", "update"))
    lines += [f"PPO, 256 envs: {ppo['steps_per_second']:,.0f} steps/s ({parts})"]
    memory = figures["memory"]
    grown = (memory["after"] - memory["before"]) / 1024
    lines += [f"memory: {figures['bytes_per_env'] / 1024:.0f} KB an env; {grown:+,.0f} KB in {memory['steps']:,} steps"]
    lines += ["", "ratio (at least/most, aim)"]
    for key, (what, better, bound, aim) in TARGETS.items():
        value = figures["ratios"].get(key)
        shown = "not measured" if value is None else f"{value:.3g}"
        met = value is not None and (value <= bound if better == "low" else value >= bound)
        lines.append(
            f"  {'ok ' if met else 'NO ' if value is not None else ' - '} {shown:>12}  {what} ({bound}, {aim})"
        )
    return "\n".join(lines)


def compare(ratios_now: dict[str, float]) -> list[str]:
    """Which ratio moved against the recorded run."""
    if not RECORDED.is_file():
        return ["no recorded run to compare with"]
    before = json.loads(RECORDED.read_text())["ratios"]
    moved = []
    for key, value in ratios_now.items():
        if key in before and not 1 / MOVED < value / before[key] < MOVED:
            moved.append(f"{key}: {before[key]:.3g} -> {value:.3g}")
    return moved or ["no ratio moved by more than 15 %"]


def plot(figures: dict[str, Any], path: Path) -> None:
    """Rates over N."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5))
    names = {"random": "kernel, random", "place": "kernel, placing", "threads": "kernel, 2 threads"}
    names |= {"vector": "vector env", "sb3": "SB3 VecEnv"}
    curves = {text: [1 / figures["sizes"][n][name] for n in SIZES] for name, text in names.items()}
    for name, rates in curves.items():
        axes.plot(SIZES, rates, marker="o", label=name)
    axes.set(xscale="log", yscale="log", xlabel="environments", ylabel="env steps a second", title=figures["machine"])
    axes.title.set_fontsize(8)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    """Measures, prints, compares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fifth of the time")
    parser.add_argument("--record", action="store_true", help="compare later runs with this one")
    parser.add_argument("--out", type=Path, default=Path("runs/bench"))
    arguments = parser.parse_args()
    figures = measure(0.2 if arguments.quick else 1.0)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "throughput.json").write_text(json.dumps(figures, indent=1))
    plot(figures, arguments.out / "throughput.png")
    print(page(figures))
    print("\nagainst the recorded run:", *compare(figures["ratios"]), sep="\n  ")
    if arguments.record:
        RECORDED.write_text(json.dumps({"machine": figures["machine"], "ratios": figures["ratios"]}, indent=1) + "\n")


if __name__ == "__main__":
    main()
