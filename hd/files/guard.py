"""Which files are secret, by name: the disk is not looked at.

The layer asks about the name that was given and about what it resolves to, so a link does not help (case C02). Case
does not count, on any file system (C01). What a name rule cannot catch: a hard link under another name, and a shell
command that reads the file; the first is out of scope, the second is the concern of the process room (C04).

The rules follow the seed's list, without its two that are too broad (C05): `config/*key*` is a whole word of the name,
and source code named after secrets is readable outside `config/`.
"""

import os
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from hd.files.rules import OwnRules

# What holds values rather than code.
_VALUES = r"(?:json|ya?ml|toml|ini|cfg|conf|env|properties|xml|csv|tsv|txt|enc|bak|old|db|kdbx?)"

# (the rule as people are told it, a pattern for one or more whole path components in lower case)
_RULES: tuple[tuple[str, str], ...] = (
    (".env and .env.*", r"\.env(?:[.\-_~][^/]*)?"),
    (".envrc", r"\.envrc(?:\.[^/]*)?"),
    ("*.env", r"[^/]+\.env"),
    ("*.pem", r"[^/]*\.pem"),
    ("*.key", r"[^/]*\.key"),
    ("key stores (*.p12, *.pfx, *.jks, *.keystore, *.ppk, *.kdbx)", r"[^/]*\.(?:p12|pfx|jks|keystore|ppk|kdbx)"),
    ("SSH private keys (id_*)", r"id_(?:rsa|dsa|ecdsa|ed25519|ecdsa_sk|ed25519_sk|xmss)"),
    ("credentials.*", rf"(?:[^/]*[.\-_])?credentials?(?:\.{_VALUES})+"),
    ("secrets.*", rf"(?:[^/]*[.\-_])?secrets?(?:\.{_VALUES})+"),
    ("secrets in config/", r"config/(?:[^/]*[.\-_])?secrets?(?:[.\-_][^/]*)?"),
    ("keys in config/", rf"config/(?:[^/]*[.\-_])?(?:api)?keys?(?:[.\-_][^/]*)?\.{_VALUES}"),
    ("service account keys", r"service[\-_]?account[^/]*\.json"),
    ("cloud keys", r"(?:[^/]*firebase-adminsdk[^/]*|gha-creds-[^/]*|client_secret[^/]*)\.json"),
    (".netrc", r"[._]netrc(?:\.gpg)?"),
    (".npmrc", r"\.npmrc"),
    (".pypirc", r"\.pypirc"),
    (".git-credentials", r"\.git-credentials"),
    ("password files", r"\.(?:pgpass|htpasswd|my\.cnf|dockercfg|vault-token|s3cfg|boto|terraformrc)"),
    (".ssh/**", r"\.ssh"),
    (".gnupg/**", r"\.gnupg"),
    (".password-store/**", r"\.password-store"),
    (".aws/credentials", r"\.aws/(?:credentials[^/]*|config|sso|cli)"),
    (".azure/**", r"\.azure"),
    (".config/gcloud/**", r"\.config/gcloud"),
    (".config/gh/hosts.yml", r"\.config/(?:gh/hosts\.ya?ml|hub)"),
    (".docker/config.json", r"\.docker/config\.json"),
    (".kube/config", r"\.kube/(?:config[^/]*|cache)"),
    (".cargo/credentials", r"\.cargo/credentials(?:\.toml)?"),
    (".gem/credentials", r"\.gem/credentials"),
    (".terraform.d/credentials.tfrc.json", r"\.terraform\.d/credentials[^/]*"),
    ("process environments", r"proc/[^/]+(?:/task/[^/]+)?/environ"),
)

# Of these one stands in every name that a rule is about. Almost no name has one, and this look is thirty times quicker.
_HINT = re.compile(
    r"env|pem|key|p12|pfx|jks|ppk|kdbx|id_|credential|secret|account|firebase|gha-creds|rc|pgpass|htpasswd|my\.cnf"
    r"|dockercfg|token|s3cfg|boto|ssh|gnupg|password|aws|azure|gcloud|hosts|hub|docker|kube"
)

# A file that shows what a secret one looks like: the last word of its name, or the only word before `.env`.
_EXAMPLE = re.compile(r"(?:.*[.\-_])?(?:example|template|sample|dist)(?:\.env)?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Guard:
    """The rules above, a person's `own`, and the folders that are hidden as a whole, such as the daemon's own home.

    `hidden` is resolved once, here; that is the only look at the disk.
    """

    hidden: tuple[Path, ...] = ()
    own: OwnRules = field(default_factory=OwnRules, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(Path(os.path.realpath(folder)) for folder in self.hidden))

    def why(self, path: Path, root: Path | None = None) -> str | None:
        """The rule that makes the path secret, or None.

        With `root`, an absolute path below it is judged by what stands below it, so that the folder somebody chose as
        workspace does not close itself by its own name.
        """
        if any(path == folder or folder in path.parents for folder in self.hidden):
            return "the daemon's own folder"
        if root is not None and path.is_relative_to(root):
            path = path.relative_to(root)
        return self.why_name(path.as_posix())

    def hidden_names(self, root: Path) -> frozenset[str]:
        """The hidden folders below `root`, relative to it, for a walk that judges by `why_name`."""
        return frozenset(folder.relative_to(root).as_posix() for folder in self.hidden if folder.is_relative_to(root))

    def why_name(self, name: str) -> str | None:
        """The same for a path as text with `/`, by its name alone and thus without `hidden`; for a walk, it is fast."""
        ruled = self.own.judge(name.lstrip("/"))
        if ruled is not None:
            return f"{ruled.pattern}, of the person's own" if ruled.verdict == "deny" else None
        name = name.casefold()
        if not _HINT.search(name):
            return None
        for found in _matcher().finditer(name):
            if not _EXAMPLE.match(found[0].rpartition("/")[2]):
                return _RULES[(found.lastindex or 1) - 1][0]
        return None


@cache
def _matcher() -> re.Pattern[str]:
    """All rules in one expression; the number of the group is that of the rule."""
    return re.compile(f"(?:^|/)(?:{'|'.join(f'({pattern})' for _, pattern in _RULES)})(?=/|\\Z)", re.DOTALL)
