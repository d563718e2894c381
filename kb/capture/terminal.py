"""Which terminal a process belongs to: a name that no other terminal has, before or after a reboot."""

from __future__ import annotations

import os
from pathlib import Path

#: Set inside `kb shell`.
VARIABLE = "KB_TERMINAL"

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_STAT = Path("/proc/self/stat")


def terminal_key() -> str | None:
    """The name of the controlling terminal of this process; None when it has none (a cron job, CI, an agent).

    Made of the host, the boot, the device and the process that leads the terminal's session, since device names are
    given out again and again. Redirected streams do not change it. Inside `kb shell` it is the terminal that the shell
    was started in, which `$KB_TERMINAL` names.
    """
    if inside := os.environ.get(VARIABLE):
        return inside
    device = _device()
    if device is None:
        return None
    return f"{os.uname().nodename} {_boot()} {device} {os.getsid(0)}"


def _device() -> str | None:
    try:
        # Fields after the command's name in parentheses: state, parent, group, session, terminal.
        fields = _STAT.read_text("ascii", errors="replace").rpartition(")")[2].split()
        return f"tty{fields[4]}" if fields[4] != "0" else None
    except (OSError, IndexError):
        pass
    for stream in (0, 1, 2):
        try:
            return os.ttyname(stream)
        except OSError:
            continue
    return None


def _boot() -> str:
    try:
        return _BOOT.read_text("ascii").strip()
    except OSError:
        return "-"
