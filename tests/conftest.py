"""Fixtures: every test that asks for `lab` runs once for each user (root, 1000, 65534; only oneself when not root)."""
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import harness  # noqa: E402

# Whoever starts the tests may ignore these (nohup, a background job), and what is ignored stays so across exec.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)


@pytest.fixture(params=harness.users(), ids=repr)
def lab(request):
    one = harness.Lab(request.param)
    yield one
    one.close()
