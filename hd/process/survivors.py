"""Finding what a command left running, and ending it.

A process belongs to a run when it is in the run's process group or session, or carries the run's mark in its
environment. The mark is what finds a process that made itself a session of its own. A process that did that *and*
emptied its environment is not found; only a control group would hold it.
"""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final

import psutil  # type: ignore[import-untyped]

from hd.process.environment import HOME_MARK, RUN_MARK

GRACE_S: Final = 1.0
_KILL_WAIT_S: Final = 0.25
_ROUNDS: Final = 3
_COMMAND_SHOWN: Final = 200
_LOOKS: Final = 20
_LOOK_AGAIN_S: Final = 0.0005
_CLOCK_S: Final = 2.0
"""By how much two moments of starting may be told wrong: the system counts them from a boot time in whole seconds."""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A process that outlived its command, or runs as a part of it.

    `command` is its command line, at most 200 characters of it; `ports` are those at which it listens, where that was
    asked for.
    """

    pid: int
    command: str
    ports: tuple[int, ...] = ()


def of_run(mark: str, leader: int, *, with_leader: bool = False) -> list[psutil.Process]:
    """The living processes of one run. `leader` is its shell, whose pid is also the group's and the session's.

    The shell must not have been reaped yet: until then its pid can name no other group.
    """
    wanted = os.fsencode(f"{RUN_MARK}={mark}")
    since = _started(leader)
    pids = (pid for pid in _others() if with_leader or pid != leader)
    return _living(pid for pid in pids if _in_group(pid, leader) or _carries(pid, wanted, since))


def of_home(mark: str) -> list[psutil.Process]:
    """The living processes that daemons of this home started, without this process and what it descends from."""
    wanted = os.fsencode(f"{HOME_MARK}={mark}")
    own = {parent.pid for parent in psutil.Process().parents()}
    return _living(pid for pid in _others() if pid not in own and _carries(pid, wanted, float("inf")))


def by_run(run_ids: Collection[str]) -> dict[str, list[psutil.Process]]:
    """The living processes of runs that are known by the id that they were started with (blocking, one look at all)."""
    found: dict[str, list[psutil.Process]] = {run_id: [] for run_id in run_ids}
    start = os.fsencode(f"{RUN_MARK}=")
    for pid in _others() if run_ids else ():
        marks = (os.fsdecode(entry[len(start) :]) for entry in _environment(pid) if entry.startswith(start))
        run_id = next(marks, "").rpartition(".")[0]
        if run_id in found:
            found[run_id] += _living([pid])
    return found


def ports(process: psutil.Process) -> tuple[int, ...]:
    """The ports at which a process listens; none where the system does not say."""
    try:
        connections = process.net_connections("inet")
    except psutil.Error:
        return ()
    return tuple(sorted({one.laddr.port for one in connections if one.status == psutil.CONN_LISTEN}))


def listed(processes: Iterable[psutil.Process]) -> tuple[Survivor, ...]:
    """Each with its ports (blocking)."""
    return tuple(replace(describe(process), ports=ports(process)) for process in processes)


async def end(find: Callable[[], list[psutil.Process]], grace_s: float = GRACE_S) -> tuple[Survivor, ...]:
    """Ends what `find` finds: TERM, `grace_s` to go in peace, KILL; once more for what came up meanwhile.

    Takes at most a few times `grace_s`; a cancellation on the way kills the rest at once and goes on.
    """
    met: dict[int, Survivor] = {}
    for _ in range(_ROUNDS):
        found = find()
        if not found:
            break
        met |= {process.pid: describe(process) for process in found if process.pid not in met}
        try:
            signal_all(found, signal.SIGTERM)
            left = await gone(found, grace_s)
            signal_all(left, signal.SIGKILL)
            await gone(left, _KILL_WAIT_S)
        except asyncio.CancelledError:
            signal_all(found, signal.SIGKILL)
            raise
        grace_s = min(grace_s, 0.1)
    return tuple(met.values())


def end_marked(mark: str) -> list[Survivor]:
    """Ends what a killed daemon of the home `mark` left running (blocking, about a second); for the start of the next.

    To be called only by the daemon that holds the home's lock: the commands of a living one carry the same mark.
    """
    found = of_home(mark)
    met = [describe(process) for process in found]
    signal_all(found, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_S
    while any(map(_alive, found)) and time.monotonic() < deadline:
        time.sleep(0.01)
    signal_all(of_home(mark), signal.SIGKILL)
    return met


def signal_all(processes: Iterable[psutil.Process], number: int) -> None:
    """Sends a signal to each that still is the process that was found; the others are no error."""
    for process in processes:
        try:
            process.send_signal(number)
        except psutil.Error:
            continue


async def gone(processes: Iterable[psutil.Process], within_s: float, pause_s: float = 0.025) -> list[psutil.Process]:
    """Those that are still there after at most `within_s`. They are not our children, so nothing tells us: we ask, at
    last every `pause_s`."""
    deadline = asyncio.get_running_loop().time() + within_s
    pause = 0.002
    left = [process for process in processes if _alive(process)]
    while left and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, pause_s)
        left = [process for process in left if _alive(process)]
    return left


def _others() -> Iterable[int]:
    own = os.getpid()
    return (pid for pid in psutil.pids() if pid != own)


def _in_group(pid: int, leader: int) -> bool:
    try:
        return os.getpgid(pid) == leader or os.getsid(pid) == leader
    except OSError:
        return False


def _carries(pid: int, wanted: bytes, since: float) -> bool:
    """Whether a process has this entry in its environment.

    In the middle of an `execve` a process shows no environment at all, so one that shows none, has a program and was
    started `since` then (seconds of the epoch) is looked at again, for about ten milliseconds at most.
    """
    for _ in range(_LOOKS):
        entries = _environment(pid)
        if any(entries) or _started(pid) < since - _CLOCK_S or not _has_program(pid):
            break
        time.sleep(_LOOK_AGAIN_S)
    return wanted in entries


def _has_program(pid: int) -> bool:
    """False for what is gone, over, somebody else's, or a thread of the kernel: there is nothing to wait for."""
    try:
        return bool(psutil.Process(pid).exe())
    except (OSError, psutil.Error):
        return False


def _started(pid: int) -> float:
    """When a process was started, in seconds of the epoch; before everything when it is gone."""
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return float("-inf")


def _environment(pid: int) -> list[bytes]:
    """The entries that a process was started with; none when it is gone or somebody else's."""
    try:
        if psutil.LINUX:
            with open(f"/proc/{pid}/environ", "rb", buffering=0) as entries:
                return entries.readall().split(b"\0")
        return [os.fsencode(f"{name}={value}") for name, value in psutil.Process(pid).environ().items()]
    except (OSError, psutil.Error):
        return []


def _living(pids: Iterable[int]) -> list[psutil.Process]:
    found = []
    for pid in pids:
        try:
            process = psutil.Process(pid)
        except psutil.Error:
            continue
        if _alive(process):
            found.append(process)
    return found


def _alive(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def describe(process: psutil.Process) -> Survivor:
    try:
        command = " ".join(process.cmdline()) or process.name()
    except psutil.Error:
        command = "(gone)"
    return Survivor(process.pid, command[:_COMMAND_SHOWN])
