"""The programs that only read when their options do, and which of their words are places; pure but for the `Look`.

Each row is an allow-list: an option that does not stand in it makes the call doubtful, and so does an abbreviated one.
Missing on purpose are options that write or run (`sort -o`, `rg --pre`, `find -fprintf`, `tree -o`), that follow links
out of the workspace (`grep -R`), or that take names from a file (`wc --files0-from`); and programs with a language of
their own (`awk`, `xargs`, pagers, `printf` and its `-v`).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hd.permit import reasons
from hd.permit.proof import Doubtful, Known, Look, demand_readable, following, numbers

# Lines by number, printed, dropped or the end: all that `sed` may be asked for.
_SED: Final = re.compile(
    r"\s*(?:\d+|\$)(?:,(?:\d+|\$))?\s*[pdq](?:\s*;\s*(?:\d+|\$)(?:,(?:\d+|\$))?\s*[pdq])*\s*;?\s*\Z"
)


@dataclass(frozen=True, slots=True)
class Reader:
    """`places` says which operands are paths, `most` how many operands there may be, as a further one may be written
    to. With a flag of `deep`, or always where that is `*`, all files below the places are read."""

    known: Known
    places: Literal["all", "after-first", "none"] = "all"
    most: int | None = None
    deep: str = ""

    def check(self, arguments: Sequence[str], look: Look, folder: str) -> None:
        parsed = self.known.parse(arguments)
        operands = parsed.operands
        if self.most is not None and len(operands) > self.most:
            raise Doubtful(reasons.OPTION_UNKNOWN)
        first = 0 if self.places == "all" or parsed.given("e", "regexp") or "files" in parsed.flags else 1
        places = [] if self.places == "none" else [one for one in operands[first:] if one != "-"]
        demand_readable(places, look, folder)
        if self.deep == "*" or parsed.flags & set(self.deep.split()):
            only = parsed.given("include") if not parsed.given("exclude", "exclude-dir") else []
            if any(look.hides_secrets(place, folder, only) for place in places or ["."]):
                raise Doubtful(reasons.READS_SECRETS)


def _sleep(arguments: Sequence[str], look: Look, folder: str) -> None:
    if not all(map(numbers, arguments)):
        raise Doubtful(reasons.OPTION_UNKNOWN)


def _echo(arguments: Sequence[str], look: Look, folder: str) -> None:
    """Whatever it is given, it prints."""


def _sed(arguments: Sequence[str], look: Look, folder: str) -> None:
    parsed = Known("n E r s u quiet silent", "e expression").parse(arguments)
    scripts = parsed.given("e", "expression")
    files = parsed.operands if scripts else parsed.operands[1:]
    if not all(_SED.match(script) for script in scripts or parsed.operands[:1]):
        raise Doubtful(reasons.OPTION_UNKNOWN)
    demand_readable(files, look, folder)


def _test(arguments: Sequence[str], look: Look, folder: str) -> None:
    """Only of one file: `-v` and its like evaluate what they are given."""
    words = [word for word in arguments if word not in {"!", "]"}]
    if len(words) != 2 or words[0] not in {"-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-n", "-z"}:
        raise Doubtful(reasons.OPTION_UNKNOWN)
    if words[0] not in {"-n", "-z"}:
        demand_readable(words[1:], look, folder)


def _date(arguments: Sequence[str], look: Look, folder: str) -> None:
    parsed = Known("u R utc universal", "d date", "I iso-8601 rfc-3339").parse(arguments)
    if not all(word.startswith("+") for word in parsed.operands):
        raise Doubtful(reasons.OPTION_UNKNOWN)


def _command(arguments: Sequence[str], look: Look, folder: str) -> None:
    if arguments[:1] not in (["-v"], ["-V"]):
        raise Doubtful(reasons.PROGRAM_UNKNOWN)


def _version(arguments: Sequence[str], look: Look, folder: str) -> None:
    if list(arguments) not in (["--version"], ["-V"]):
        raise Doubtful(reasons.PROGRAM_UNKNOWN)


_FIND_ALONE: Final = frozenset(
    """-H -P ! ( ) -a -o -not -and -or , -print -print0 -prune -quit -depth -xdev -mount -empty -ls -true -false
    -readable -writable -executable -nogroup -nouser -daystart""".split()  # noqa: SIM905 -- unreadable as a list
)
_FIND_VALUED: Final = frozenset(
    """-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -maxdepth -mindepth
    -mtime -mmin -atime -amin -ctime -cmin -perm -user -group -uid -gid -links -lname -ilname -printf -inum
    -fstype""".split()  # noqa: SIM905
)


def _find(arguments: Sequence[str], look: Look, folder: str) -> None:
    rest = list(reversed(arguments))
    roots: list[str] = []
    began = False
    while rest:
        word = rest.pop()
        if not began and not word.startswith(("-", "(", "!", ",")):
            roots.append(word)
            continue
        began = began or word not in {"-H", "-P"}
        if word in {"-newer", "-anewer", "-cnewer", "-samefile"}:
            demand_readable([following(rest)], look, folder)
        elif word in _FIND_VALUED:
            following(rest)
        elif word not in _FIND_ALONE:
            raise Doubtful(reasons.OPTION_UNKNOWN)
    demand_readable(roots, look, folder)


_GREP: Final = Known(
    "i v n l L c o w x E F G P r q s H h a I z b y extended-regexp fixed-strings perl-regexp ignore-case recursive "
    "line-number files-with-matches files-without-match count only-matching word-regexp line-regexp invert-match quiet "
    "no-filename with-filename no-messages text",
    "e A B C m regexp include exclude exclude-dir context after-context before-context max-count",
    "color colour binary-files",
    number=True,
)
_RG: Final = Known(
    "i v n l c o w x F S s H N p P U I u uu hidden no-ignore files ignore-case smart-case line-number no-heading "
    "heading files-with-matches files-without-match count count-matches only-matching word-regexp fixed-strings "
    "invert-match no-line-number multiline pcre2 no-filename with-filename stats json vimgrep column trim no-messages "
    "sort-files",
    "e g t T A B C m d regexp glob iglob type type-not context after-context before-context max-count max-depth sort "
    "sortr max-columns M color colors max-filesize replace r",
    number=False,
)
_SUMS: Final = Reader(Known("b t z tag binary text"))
_ASKED: Final = Reader(Known("a m n r s v p o f i A u g G h P all"), "none", 0)
_TABLE: Final[dict[str, Reader]] = {
    "ls": Reader(
        Known(
            "a A l h t r S R d F p i s n g G o C x X U c u Q k m L H B b N v f 1 all almost-all human-readable "
            "recursive reverse directory size inode full-time group-directories-first classify si zero",
            "I w ignore width",
            "color sort time time-style format hide indicator-style quoting-style",
        )
    ),
    "cat": Reader(Known("n b s A E T v e t u number number-nonblank squeeze-blank show-all show-ends show-tabs")),
    "head": Reader(Known("q v z quiet verbose", "n c lines bytes", number=True)),
    "tail": Reader(Known("q v z quiet verbose", "n c lines bytes", number=True)),
    "wc": Reader(Known("l w c m L lines words bytes chars max-line-length")),
    "nl": Reader(Known("p", "b d f h i l n s v w")),
    "tac": Reader(Known("b r", "s")),
    "rev": Reader(Known()),
    "cut": Reader(
        Known("s z n only-delimited complement", "d f c b delimiter fields output-delimiter characters bytes")
    ),
    "tr": Reader(Known("c C d s t delete squeeze-repeats complement truncate-set1"), "none"),
    "sort": Reader(
        Known(
            "n r u f h V g M b d i c C s z numeric-sort reverse unique ignore-case human-numeric-sort "
            "version-sort stable",
            "k t S key field-separator buffer-size",
        )
    ),
    "uniq": Reader(Known("c d D u i z count repeated unique ignore-case", "f s w skip-fields skip-chars"), most=1),
    "comm": Reader(Known("1 2 3 i z check-order nocheck-order total")),
    "join": Reader(Known("i z header", "a e j o t v 1 2")),
    "paste": Reader(Known("s z serial", "d delimiters")),
    "fold": Reader(Known("b s", "w width")),
    "expand": Reader(Known("i initial", "t tabs")),
    "column": Reader(Known("t x e table", "s c o N separator output-separator")),
    "od": Reader(Known("a b c d f i l o s x v", "A t N j w")),
    "hexdump": Reader(Known("b c C d o x v", "n s")),
    "strings": Reader(Known("a f", "n t e")),
    "file": Reader(Known("b i L h k N n r 0 brief mime mime-type mime-encoding dereference no-dereference")),
    "stat": Reader(Known("L f t dereference file-system terse", "c format printf")),
    "du": Reader(Known("s h a c b k m x S summarize human-readable all total apparent-size", "d max-depth exclude")),
    "df": Reader(Known("h T i k a l P human-readable print-type inodes", "t x")),
    "tree": Reader(Known("a d f h s D C n i F p u g t r v dirsfirst noreport gitignore prune du", "L I P filelimit")),
    "md5sum": _SUMS,
    "sha1sum": _SUMS,
    "sha256sum": _SUMS,
    "sha512sum": _SUMS,
    "b2sum": _SUMS,
    "cksum": Reader(Known()),
    "cmp": Reader(Known("l s b verbose silent quiet print-bytes", "n i bytes")),
    "diff": Reader(
        Known(
            "u r N q y b w B i a c s t p recursive new-file brief side-by-side unified ignore-all-space ignore-case "
            "ignore-blank-lines ignore-space-change suppress-common-lines report-identical-files",
            "U C W x I width exclude label",
            "color unified context",
        ),
        deep="*",
    ),
    "grep": Reader(_GREP, "after-first", deep="r recursive"),
    "egrep": Reader(_GREP, "after-first", deep="r recursive"),
    "fgrep": Reader(_GREP, "after-first", deep="r recursive"),
    "rg": Reader(_RG, "after-first", deep="*"),
    "jq": Reader(
        Known(
            "r c e s n S M C a j compact-output raw-output slurp null-input sort-keys tab exit-status raw-input R",
            "indent",
        ),
        "after-first",
    ),
    "realpath": Reader(Known("e m s q z L P", "relative-to relative-base")),
    "readlink": Reader(Known("f e m n q s z")),
    "basename": Reader(Known("a z multiple", "s suffix"), "none"),
    "dirname": Reader(Known("z"), "none"),
    "which": Reader(Known("a"), "none"),
    "type": Reader(Known("a t p P f"), "none"),
    "seq": Reader(Known("w", "s f"), "none"),
    "printenv": Reader(Known("0"), "none"),
    "env": Reader(Known("0"), "none", 0),
    **dict.fromkeys(("pwd", "whoami", "id", "uname", "hostname", "nproc", "uptime", "arch", "groups", "free"), _ASKED),
    **dict.fromkeys(("true", "false", ":"), Reader(Known(), "none")),
}

Check = Callable[[Sequence[str], Look, str], None]
READERS: Final[dict[str, Check]] = {
    **{program: reader.check for program, reader in _TABLE.items()},
    "echo": _echo, "sed": _sed, "find": _find, "date": _date, "command": _command, "sleep": _sleep,
    **dict.fromkeys(("test", "["), _test),
    **dict.fromkeys(("python", "python3", "node", "gcc", "make", "bash"), _version),
}  # fmt: skip


def check(program: str, arguments: Sequence[str], look: Look, folder: str) -> None:
    """Doubtful unless this call of one of `READERS`, run in `folder`, only reads and only what may be read."""
    READERS[program](arguments, look, folder)
