"""Where the client keeps what is a person's own."""

import os
from collections.abc import Mapping
from pathlib import Path


def config_folder(environ: Mapping[str, str]) -> Path:
    """Where a person's own prompts and prices are: `HTUI_CONFIG_DIR`, or the system's place for such things."""
    named = environ.get("HTUI_CONFIG_DIR")
    if named:
        return Path(os.path.expanduser(named))
    from platformdirs import user_config_path

    return user_config_path("htui", appauthor=False)


def state_folder(environ: Mapping[str, str]) -> Path:
    """Where drafts, the log and what costs are reckoned by are kept: `HTUI_STATE_DIR`, or the system's place for it."""
    named = environ.get("HTUI_STATE_DIR")
    if named:
        return Path(os.path.expanduser(named))
    from platformdirs import user_state_path

    return user_state_path("htui", appauthor=False)
