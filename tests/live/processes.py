"""Scripts with open connections in processes of their own, and whether they leave anything running."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

FAULT_LIMIT = 3.0  # seconds until a fault must have surfaced
SCRIPT_LIMIT = 40.0  # seconds until a script that hangs is killed: it fails its test, and the suite goes on


def start_script(*arguments):
    """Start Python on a script that first prints two pids; returns the process and the pids."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    bound = threading.Timer(SCRIPT_LIMIT, process.kill)
    bound.daemon = True
    bound.start()
    pids = [int(word) for word in process.stdout.readline().split()]
    assert len(pids) == 2, process.communicate()[1]
    return process, pids


def assert_gone(pids):
    end = time.monotonic() + FAULT_LIMIT
    while [pid for pid in pids if running(pid)] and time.monotonic() < end:
        time.sleep(0.02)
    assert [pid for pid in pids if running(pid)] == []


def running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] == "Z")
