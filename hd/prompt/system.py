"""The system prompt: one fixed text.

It holds no date, path, mode or list of files, because it stands at the very beginning of every request: were it to
change, the provider's prefix cache would be lost for the whole conversation. What changes is told in messages
(`hd.prompt.context`).
"""

from importlib.resources import files


def system_prompt() -> str:
    return files("hd.prompt").joinpath("system.md").read_text(encoding="utf-8").strip()
