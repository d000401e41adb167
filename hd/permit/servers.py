"""Whether a command starts a server, which does not end by itself, so that nobody could wait for it; pure.

The list is the seed's, with what belongs to it: the commands by which frameworks start their development servers. A
command is known by its words and not by how the line begins: `echo flask run` starts nothing, `npm ci && npm start`
does. What is asked for help or a version, or is ended by `timeout`, ends by itself.
"""

from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Final

from hd.permit import programs
from hd.permit.expand import Arg
from hd.permit.shell import Simple, read, written

_DEPTH: Final = 4
_READABLE: Final = 16 * 1024
_ASKS: Final = frozenset({"--help", "-h", "--version", "-V", "-v", "help", "version"})
_PYTHON_FILES: Final = frozenset({"app.py", "server.py", "wsgi.py", "asgi.py"})
_PYTHON_MODULES: Final = frozenset({"http.server", "uvicorn", "gunicorn", "hypercorn", "daphne", "waitress"})
_NODE_FILES: Final = frozenset({"server.js", "server.mjs", "server.cjs", "server.ts"})
_SCRIPTS: Final = frozenset({"start", "dev", "serve", "preview"})
_ALWAYS: Final = frozenset(
    """
    uvicorn gunicorn hypercorn daphne waitress-serve webpack-dev-server http-server live-server json-server serve
    nodemon browser-sync
    """.split()  # noqa: SIM905 -- so many are easier to read this way
)
_VALUED: Final = frozenset(
    "--prefix -w --workspace -C --cwd --dir --filter -F -p --port --host --config --mode -r --require".split()  # noqa: SIM905
)
_RUNNERS: Final = {"npx": 0, "bunx": 0, "pnpx": 0, "yarn": 1, "pnpm": 1, "npm": 1, "bun": 1}
"""Who runs the program of a package, and how many words stand before it."""


def starts_server(command: str, depth: int = _DEPTH) -> bool:
    """False for a command that cannot be read."""
    try:
        simples = read(command) if len(command) <= _READABLE and depth else []
    except ValueError:
        return False
    return any(_one(simple, depth) for simple in simples)


def _one(simple: Simple, depth: int) -> bool:
    pieces = [piece for word in simple.words for piece in word]
    if any(piece.kind in {"command", "process"} and starts_server(piece.text, depth - 1) for piece in pieces):
        return True
    words = [Arg((written(word),)) for word in simple.words]
    call = programs.call_of(words)
    before = words[: len(words) - len(call.arguments) - 1]
    if any(PurePosixPath(word.text).name == "timeout" for word in before):
        return False
    if (script := programs.script(call)) is not None:
        return starts_server(script.text, depth - 1)
    return _serves(call.program, [word.text for word in call.arguments])


def _serves(program: str, arguments: Sequence[str]) -> bool:
    if _ASKS & set(arguments):
        return False
    if program in _RUNNERS and _package(program, arguments):
        return True
    rule = _RULES.get("python" if program.startswith("python") else program)
    return rule(arguments) if rule else program in _ALWAYS


def _package(program: str, arguments: Sequence[str]) -> bool:
    """`npx vite`, `pnpm dlx serve`, `yarn exec next dev`."""
    plain = _operands(arguments)
    skipped = _RUNNERS[program]
    if skipped and plain[:1] not in (["dlx"], ["exec"], ["x"]):
        return False
    inner = plain[skipped:]
    return bool(inner) and inner[0] not in _RUNNERS and _serves(inner[0].partition("@")[0] or inner[0], inner[1:])


def _python(arguments: Sequence[str]) -> bool:
    for place, text in enumerate(arguments):
        rest = arguments[place + 1 :]
        if text == "-m":
            module = rest[0] if rest else ""
            return module in _PYTHON_MODULES or (module in {"flask", "streamlit"} and "run" in rest)
        if text == "-c":
            return False
        if not text.startswith("-"):
            name = PurePosixPath(text).name
            return name in _PYTHON_FILES or (name == "manage.py" and rest[:1] == ["runserver"])
    return False


def _node(arguments: Sequence[str]) -> bool:
    return any(PurePosixPath(named).name in _NODE_FILES for named in _operands(arguments)[:1])


def _scripts(arguments: Sequence[str]) -> bool:
    """`npm start`, `npm run dev`, `yarn dev`; a script of another name is what its author says it is."""
    plain = _operands(arguments)
    name = plain[1:2] if plain[:1] in (["run"], ["run-script"]) else plain[:1]
    return bool(name) and name[0].partition(":")[0] in _SCRIPTS


def _npm(arguments: Sequence[str]) -> bool:
    plain = _operands(arguments)
    return plain[:1] == ["start"] or (plain[:1] in (["run"], ["run-script"]) and _scripts(plain))


def _first(*verbs: str) -> Callable[[Sequence[str]], bool]:
    """With one of these as the first word that is no option."""
    return lambda arguments: next(iter(_operands(arguments)), "") in verbs


def _operands(arguments: Sequence[str]) -> list[str]:
    """The words that are neither options nor the values of such."""
    return [
        text
        for before, text in zip(("", *arguments), arguments, strict=False)
        if not text.startswith("-") and before not in _VALUED
    ]


def _flask(arguments: Sequence[str]) -> bool:
    return "run" in arguments


def _php(arguments: Sequence[str]) -> bool:
    return "-S" in arguments or list(arguments[:2]) == ["artisan", "serve"]


def _go(arguments: Sequence[str]) -> bool:
    return list(arguments[:1]) == ["run"] and "." in arguments[1:]


_RULES: Final[dict[str, Callable[[Sequence[str]], bool]]] = {
    "python": _python,
    "node": _node,
    "npm": _npm,
    **dict.fromkeys(("yarn", "pnpm", "bun"), _scripts),
    "flask": _flask,
    "php": _php,
    "go": _go,
    "cargo": _first("run", "r"),
    "vite": _first("", "dev", "serve", "preview"),
    "next": _first("", "dev", "start"),
    "nuxt": _first("", "dev", "start", "preview"),
    "astro": _first("dev", "preview"),
    "webpack": _first("serve"),
    "ng": _first("serve", "s"),
    "vue-cli-service": _first("serve"),
    "rails": _first("server", "s"),
    "mkdocs": _first("serve"),
    "jekyll": _first("serve", "s"),
    "hugo": _first("server", "serve"),
    "streamlit": _first("run"),
    "fastapi": _first("run", "dev"),
    "jupyter": _first("notebook", "lab", "server"),
}
