"""Real programs take long: `make check` runs each of these tests for one of the three users, `make check-all` for all.

Which one follows from the test's name, so that all three have a third of them.
"""
from pathlib import Path
from zlib import crc32

import pytest

import harness

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)   # before those that are slow are left out
def pytest_collection_modifyitems(items):
    users = [repr(user) for user in harness.users()]
    for item in items:
        user = repr(item.callspec.params.get("lab")) if hasattr(item, "callspec") else ""
        if user in users and HERE in item.path.parents:
            name = item.nodeid.replace(user, "")
            if users[crc32(name.encode()) % len(users)] != user:
                item.add_marker(pytest.mark.slow)
