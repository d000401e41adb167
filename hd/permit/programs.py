"""What is known about programs besides where they write: who destroys, who reaches another machine, who runs what it
reads, and who only looks; pure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final

from hd.permit import git, reasons
from hd.permit.expand import Arg
from hd.permit.git import Place
from hd.permit.reasons import Reason
from hd.permit.writers import options

ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)(\+?)=")
SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "ash"})
INTERPRETERS: Final = SHELLS | {"python", "python3", "perl", "ruby", "node", "php", "source", "."}
FETCHERS: Final = frozenset({"curl", "wget", "fetch", "aria2c", "http"})
ASSIGNERS: Final = frozenset({"export", "declare", "local", "readonly", "typeset"})
# Words in front of the program that is really run, with the options of theirs that take a value.
_WRAPPERS: Final = {
    "env": "u", "nice": "n", "ionice": "cn", "timeout": "sk", "time": "fo", "stdbuf": "ioe", "xargs": "InPLsdEa",
    "nohup": "", "setsid": "", "exec": "a", "command": "", "builtin": "", "then": "", "do": "", "else": "", "if": "",
    "elif": "", "while": "", "until": "", "!": "", "{": "", "busybox": "", "toybox": "", "watch": "n", "coproc": "",
    "caffeinate": "t", "strace": "eopsaEIOSXu", "ltrace": "eopsaEu", "chronic": "", "unbuffer": "",
}  # fmt: skip
_RUNNERS: Final = frozenset({"uv", "poetry", "pipenv", "hatch", "pdm", "rye", "bundle"})
_READERS: Final = frozenset(
    """
    ls cat head tail less more grep egrep fgrep rg ag fd find wc pwd echo printf stat file diff cmp sort uniq cut tr
    jq yq tree du df which type test [ [[ true false : cd pushd popd date printenv id whoami uname hostname ps basename
    dirname realpath readlink md5sum sha1sum sha256sum nl od xxd strings column sleep exit return break continue set
    shopt unset wait git sed for select case in fi done esac } read mapfile env seq
    """.split()  # noqa: SIM905 -- a list of so many is unreadable
) | ASSIGNERS  # fmt: skip
_SYSTEM_READS: Final = frozenset(
    """
    status show cat help is-active is-enabled is-failed list-units list-unit-files list-timers list-sockets
    list-dependencies list print search info query policy depends rdepends show-environment deps outdated leaves
    """.split()  # noqa: SIM905
)
_SYSTEM_READING_FLAGS: Final = {"crontab": {"-l"}, "dpkg": {"-l", "-s", "-L", "-S", "--list", "--status"}}
_ALWAYS: Final[dict[str, Reason]] = {
    **dict.fromkeys(("sudo", "doas", "su", "pkexec", "runuser"), reasons.OTHER_USER),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff"), reasons.POWER),
    **dict.fromkeys(("fdisk", "parted", "wipefs", "shred", "srm", "blkdiscard", "mkswap"), reasons.DEVICE),
    **dict.fromkeys(("pkill", "killall"), reasons.OTHER_PROCESSES),
    **dict.fromkeys(("ssh", "scp", "sftp"), reasons.OTHER_MACHINE),
    **dict.fromkeys(
        ("at", "batch", "chsh", "chfn", "passwd", "chpasswd", "useradd", "userdel", "usermod", "adduser", "deluser",
         "groupadd", "groupdel", "groupmod", "visudo", "mount", "umount", "swapon", "swapoff", "modprobe", "insmod",
         "rmmod", "iptables", "nft", "ufw", "update-alternatives", "systemd-run", "chroot"),
        reasons.SYSTEM,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """What is really run: name, arguments, and whether `xargs` adds more from its input. `open` says that the name is
    not known, or that a wrapper hides what follows. `says` is what the call prints, where that is plain."""

    program: str
    arguments: Sequence[Arg]
    fed: bool = False
    open: bool = False
    says: str | None = None


def call_of(words: Sequence[Arg]) -> Call:
    """The call past assignments and `env`, `nice`, `timeout 5`, `xargs` …; an empty name where there is none."""
    fed = False
    while words:
        name = PurePosixPath(words[0].text).name or words[0].text
        if ASSIGNMENT.match(words[0].text):
            words = words[1:]
        elif name == "function" or (name in _RUNNERS and _runs_another(words)):
            words = words[2:]
        elif name in _WRAPPERS:
            fed |= name == "xargs"
            words = words[1:]
            while words and words[0].text.startswith("-"):
                text = words[0].text
                if name == "env" and text.startswith(("-S", "-C", "--split", "--chdir")):
                    return Call(name, words, open=True)
                words = words[2:] if len(text) == 2 and text[1] in _WRAPPERS[name] else words[1:]
            if name == "timeout":
                words = words[1:]
        else:
            first = words[0]
            # Of `$X/bin/python` the name is known.
            is_open = len(first.texts) > 1 or (first.unknown and any(sign in name for sign in "$`"))
            return Call(name, words[1:], fed, is_open)
    return Call("", (), fed)


def _runs_another(words: Sequence[Arg]) -> bool:
    return len(words) > 2 and words[1].text in {"run", "exec"}


def judge(call: Call, place: Place) -> Reason | None:
    """The word against a call by what its program is; where it writes is judged elsewhere."""
    if call.program in _ALWAYS:
        return _ALWAYS[call.program]
    if call.program.startswith("mkfs"):
        return reasons.DEVICE
    rule = _RULES.get(call.program)
    return rule(call.arguments, place) if rule else None


def only_looks(call: Call) -> bool:
    """Whether a call that `judge` has nothing against changes nothing in the folder where it runs."""
    if call.program == "git":
        return git.verb(call.arguments)[0] in git.READING
    return call.program in _READERS or not call.program


def takes_script(call: Call) -> bool:
    """Whether it takes what is piped into it for a program, and not for the input of one."""
    texts = [word.text for word in call.arguments]
    if call.program not in INTERPRETERS or {"-c", "-m", "-e", "-r"} & set(texts):
        return False
    given = options(call.arguments)
    return not given.operands or given.operands[0].text == "/dev/stdin" or "-" in texts or "s" in given.flags


def script(call: Call) -> Arg | None:
    """The text that a call is given to run as a shell would."""
    if call.program == "eval":
        return Arg((" ".join(word.text for word in call.arguments),))
    if call.program == "trap":
        return call.arguments[0] if call.arguments else None
    if call.program in SHELLS:
        for word, after in pairwise(call.arguments):
            if word.text.startswith("-") and not word.text.startswith("--") and word.text.endswith("c"):
                return after
    return None


def lists_files(pipe: Sequence[Call], place: Place) -> bool:
    """Whether a pipe prints nothing but names of files in the workspace, for a loop or `xargs` to work on."""
    if not pipe or not _lists(pipe[0], place):
        return False
    rest = (call.program in {"sort", "uniq", "head", "tail"} or _filters(call) for call in pipe[1:])
    return all(rest)


def _filters(call: Call) -> bool:
    return call.program in {"grep", "egrep"} and "o" not in options(call.arguments).flags


def _lists(call: Call, place: Place) -> bool:
    texts = [word.text for word in call.arguments]
    flags = options(call.arguments).flags
    match call.program:
        case "find":
            safe = not any(text.startswith(("-printf", "-fprint", "-exec", "-ok")) for text in texts)
        case "grep" | "rg" | "egrep" | "fgrep":
            safe = bool(flags & {"l", "L", "files-with-matches", "files-without-match", "files"})
        case "ls" | "fd":
            safe = True
        case "git":
            name = git.verb(call.arguments)[0]
            safe = name == "ls-files" or (name in {"diff", "grep"} and bool(flags & {"name-only", "l"}))
        case _:
            safe = False
    # A pattern of grep may look like a place; a false alarm there only asks.
    return safe and not any(place(word, reasons.OUTSIDE) for word in call.arguments)


def find_roots(arguments: Sequence[Arg]) -> list[Arg]:
    """Where `find` begins to look."""
    roots: list[Arg] = []
    for word in arguments:
        if word.text.startswith(("-", "(", "!")) and word.text not in {"-H", "-L", "-P"}:
            break
        if not word.text.startswith("-"):
            roots.append(word)
    return roots or [Arg((".",))]


def find_calls(arguments: Sequence[Arg]) -> list[list[Arg]]:
    """The commands that `find` runs, with each place where it looks for the file that it puts in."""
    roots = find_roots(arguments)
    found: list[list[Arg]] = []
    inside = False
    for word in arguments:
        if word.text in {"-exec", "-execdir", "-ok", "-okdir"}:
            inside = True
            found.append([])
        elif inside and word.text in {";", "+"}:
            inside = False
        elif inside:
            found[-1] += roots if word.text == "{}" else [word]
    return found


def _remove(arguments: Sequence[Arg], place: Place) -> Reason:
    given = options(arguments)
    recursive = bool(given.flags & {"r", "R", "recursive"})
    for word in given.operands:
        if reason := place(word, reasons.REMOVES_BEYOND):
            return reason
        if recursive and word.text in {".", "./", "*", "./*", ".*", ".git", "./.git"}:
            return reasons.REMOVES_BEYOND
    return reasons.DELETES


def _find(arguments: Sequence[Arg], place: Place) -> Reason | None:
    texts = [word.text for word in arguments]
    removes = "-delete" in texts or any(call_of(words).program in {"rm", "unlink"} for words in find_calls(arguments))
    if removes:
        beyond = (place(root, reasons.REMOVES_BEYOND) for root in find_roots(arguments))
        return next(filter(None, beyond), reasons.DELETES)
    for word, after in pairwise(arguments):
        if word.text in {"-fprint", "-fprint0", "-fprintf", "-fls"} and (reason := place(after, reasons.OUTSIDE)):
            return reason
    return None


def _kill(arguments: Sequence[Arg], place: Place) -> Reason | None:
    texts = [word.text for word in arguments]
    numbers = texts[1:] if texts and texts[0].startswith("-") else texts
    return reasons.OTHER_PROCESSES if {"-1", "1"} & set(numbers) else None


def _rsync(arguments: Sequence[Arg], place: Place) -> Reason | None:
    given = options(arguments, "e f T exclude include filter exclude-from include-from rsh")
    if any(":" in word.text.partition("/")[0] for word in given.operands):
        return reasons.OTHER_MACHINE
    deletes = any(flag.startswith(("delete", "del", "remove-")) for flag in given.flags)
    return reasons.DELETES if deletes else None


def _packages(arguments: Sequence[Arg], place: Place) -> Reason | None:
    given = options(arguments)
    verb = given.operands[0].text if given.operands else ""
    if verb in {"publish", "upload", "push"}:
        return reasons.PUBLISHES
    if verb == "config" and any(word.text in {"set", "delete", "unset"} for word in given.operands[1:2]):
        return reasons.OUTSIDE
    is_global = given.flags & {"g", "global", "user"} or any(word.text == "global" for word in given.operands[:1])
    return reasons.OUTSIDE if is_global and verb not in {"list", "ls", "view", "root", "bin"} else None


def _system(program: str, arguments: Sequence[Arg], place: Place) -> Reason | None:
    texts = [word.text for word in arguments]
    if {"poweroff", "reboot", "halt", "suspend", "hibernate"} & set(texts):
        return reasons.POWER
    verb = next((text for text in texts if not text.startswith("-")), "")
    looks = {"--version", "--help"} | _SYSTEM_READING_FLAGS.get(program, set())
    return None if verb in _SYSTEM_READS or looks & set(texts[:1]) else reasons.SYSTEM


def _service(arguments: Sequence[Arg], place: Place) -> Reason | None:
    return None if arguments and arguments[-1].text in {"status", "--status-all"} else reasons.SYSTEM


def _init(arguments: Sequence[Arg], place: Place) -> Reason | None:
    return reasons.POWER if {"0", "6"} & {word.text for word in arguments} else None


_RULES: Final[dict[str, Callable[[Sequence[Arg], Place], Reason | None]]] = {
    "rm": _remove, "rmdir": _remove, "unlink": _remove, "find": _find, "kill": _kill, "git": git.judge,
    "rsync": _rsync, "init": _init, "telinit": _init, "service": _service,
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "cargo", "twine", "gem", "poetry", "uv", "hatch", "flit", "pip", "pip3"), _packages
    ),
    **{
        program: partial(_system, program)
        for program in (
            "systemctl", "launchctl", "crontab", "loginctl", "timedatectl", "hostnamectl", "apt", "apt-get", "aptitude",
            "dpkg", "yum", "dnf", "zypper", "apk", "snap", "flatpak", "brew", "port", "atrm",
        )
    },
}  # fmt: skip
