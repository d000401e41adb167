"""How property tests run: without a time limit for an example, and on an integration machine always alike."""

import os

from hypothesis import settings

settings.register_profile("house", deadline=None)
settings.register_profile("integration", deadline=None, derandomize=True)
settings.load_profile("integration" if os.environ.get("CI") else "house")
