"""The mock model as a model that answers at once: it keeps every request, so collecting garbage would make it pause."""

import gc

from tests.support.mock_model import main

if __name__ == "__main__":
    gc.disable()
    main()
