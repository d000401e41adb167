"""What a child process gets to know.

An allow-list: a variable that nobody named here does not pass. The daemon holds the key of the model provider and is
usually started from a shell that holds more keys, and whatever a command can print, the model can read. On top of the
list, a name or a value that looks like a secret never passes, whichever family it belongs to.

Two things that people may miss are left out on purpose. `SSH_AUTH_SOCK` is a live credential: whoever may talk to that
socket can sign in as the person wherever the person can; a fetch over SSH therefore works with key files only. `CI` is
not set although nobody sits at this terminal: package tools take it to mean "the lock file must not change", and
builds take it to mean "a warning is an error", so it would change results, not only manners.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from hd.secrets import forms

RUN_MARK: Final = "HD_RUN"
"""Names the run a process belongs to, so that one that left its group and session is still found."""
HOME_MARK: Final = "HD_HOME_MARK"
"""Names the daemon's home, so that the next daemon finds what a killed one left."""

_NAMES: Final = frozenset(
    """
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TMP TEMP
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO
    VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PIP_CACHE_DIR UV_CACHE_DIR
    NVM_DIR NVM_BIN VOLTA_HOME PNPM_HOME BUN_INSTALL DENO_DIR COREPACK_HOME
    GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS GOPROXY GOTOOLCHAIN
    CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS
    JAVA_HOME JDK_HOME GRADLE_USER_HOME M2_HOME ANDROID_HOME GEM_HOME GEM_PATH DOTNET_ROOT
    CC CXX CFLAGS CXXFLAGS LDFLAGS LD_LIBRARY_PATH LIBRARY_PATH CPATH PKG_CONFIG_PATH MAKEFLAGS
    """.split()  # noqa: SIM905 -- fifty names as a list are fifty lines
)
_FAMILIES: Final = ("LC_", "XDG_", "CONDA_", "PYTHON", "NODE_")

_FORMS: Final = (forms.LOGIN, forms.PRIVATE_KEY, forms.KEY)
_NO_EDITOR: Final = "sh -c 'echo \"no editor here: give the text by an option, such as -m\" >&2; exit 1'"

QUIET: Final[Mapping[str, str]] = MappingProxyType(
    {
        # Nobody can answer and nobody looks at a screen.
        "TERM": "dumb",
        "NO_COLOR": "1",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "MANPAGER": "cat",
        "SYSTEMD_PAGER": "cat",
        "EDITOR": _NO_EDITOR,
        "VISUAL": _NO_EDITOR,
        "GIT_EDITOR": _NO_EDITOR,
        "GIT_SEQUENCE_EDITOR": _NO_EDITOR,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GCM_INTERACTIVE": "never",
        "SSH_ASKPASS_REQUIRE": "never",
        # What a build server would say, one tool at a time (see above why not CI).
        "DEBIAN_FRONTEND": "noninteractive",
        "PIP_NO_INPUT": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PYTHONUNBUFFERED": "1",
        "NPM_CONFIG_YES": "true",
        "NPM_CONFIG_FUND": "false",
        "NPM_CONFIG_UPDATE_NOTIFIER": "false",
        "COMPOSER_NO_INTERACTION": "1",
    }
)


_NO_SCREEN: Final = frozenset({"TERM", "NO_COLOR", "GIT_TERMINAL_PROMPT"})


def looks_secret(name: str, value: str) -> bool:
    """Whether a variable should be taken for a secret, by its name or by what it holds."""
    return bool(forms.NAME.search(name) or any(form.search(value) for form in _FORMS))


def child_environment(parent: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command, from the daemon's. Without a usable PATH it gets the usual system folders."""
    kept = {
        name: value
        for name, value in parent.items()
        if (name in _NAMES or name.startswith(_FAMILIES)) and not looks_secret(name, value)
    }
    kept.setdefault("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
    return {**kept, **QUIET}


def with_screen(environment: Mapping[str, str], workspace: Path) -> dict[str, str]:
    """The environment of a command that has a terminal: it may ask and draw, and a virtual environment that lies in
    the workspace is active, as a person's shell would have it. No browser opens where the daemon runs."""
    kept = {name: value for name, value in environment.items() if name not in _NO_SCREEN}
    kept |= {"TERM": "xterm-256color", "BROWSER": "none"}
    for name in (".venv", "venv"):
        programs = workspace / name / "bin"
        if (programs / "activate").is_file():
            kept.pop("PYTHONHOME", None)
            return kept | {"VIRTUAL_ENV": str(workspace / name), "PATH": f"{programs}:{kept['PATH']}"}
    return kept
