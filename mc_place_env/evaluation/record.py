"""What a result was made with: versions, sources, git state."""

import hashlib
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import mc_place_env

PACKAGES = ("numpy", "numba", "torch", "gymnasium", "stable_baselines3", "sb3_contrib")
ROOT = Path(mc_place_env.__file__).parent


def versions() -> dict[str, str | None]:
    """Of Python and of the packages a result depends on; None where one is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version(), "mc_place_env": mc_place_env.__version__}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def sources() -> str:
    """Hash of the package's code and data: equal for equal behaviour, whatever git says."""
    digest = hashlib.sha256()
    for path in sorted(path for path in ROOT.rglob("*") if path.suffix in (".py", ".js", ".json", ".yaml")):
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def git_state() -> dict[str, Any] | None:
    """Commit of the checkout the package lies in and whether it was changed; None outside a repository."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no") != ""
        return {"commit": git("rev-parse", "HEAD"), "changed": changed}
    except (OSError, subprocess.CalledProcessError):
        return None
