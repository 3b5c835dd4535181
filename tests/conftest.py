"""Fixtures: every test that asks for `lab` runs once for each user (root, 1000, 65534; only oneself when not root)."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import harness  # noqa: E402


@pytest.fixture(params=harness.users(), ids=repr)
def lab(request):
    one = harness.Lab(request.param)
    yield one
    one.close()
