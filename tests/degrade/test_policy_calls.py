"""One call after another fails while policies are read: what a file forbids is never forgotten."""
import os

import pytest

from accounts import Account, needs_root
from harness import users
from hosts import degraded

pytestmark = [needs_root, pytest.mark.parametrize("lab", users()[:2], ids=repr, indirect=True)]

# How many of each are made until the last file was read, at most.
CALLS = {"lstat": 45, "openat": 6, "open": 8, "openat2": 4, "fstat": 4, "pread64": 6, "read": 12, "mmap": 6, "getuid": 8,
         "getcwd": 3, "readlink": 4, "close": 8}


def forbidding(lab, which):
    account = Account(lab)
    never = {"never": {"env": True}}
    options = ["--env", "A=1"]
    if which == "option":
        options += ["--policy", account.option(never)]
    elif which == "link":
        account.option(never)
        folder = account.home / ".config"
        folder.mkdir()
        (folder / "pinfold").symlink_to(lab.scratch.path / "policies")
        (lab.scratch.path / "policies" / "policy.json").symlink_to("option.json")
        lab.own(folder, folder / "pinfold", lab.scratch.path / "policies" / "policy.json")
    else:
        getattr(account, which)(never)
    return account, options


@pytest.mark.parametrize("which", ["system", pytest.param("user", marks=pytest.mark.slow),
                                   pytest.param("option", marks=pytest.mark.slow), "link"])
@pytest.mark.parametrize("name", CALLS)
def test_one_call_fails(lab, which, name):
    account, options = forbidding(lab, which)
    account.runs()
    account.refused(*options, words=["forbidden by", "never env"])
    for count in range(1, CALLS[name] + 1):
        for error in ("EPERM", "ENOMEM"):
            rule = f"{name}#{count}={error},until-execve"
            result = account.pinfold("run", "--workspace", lab.ws, *options, "--", "touch", "ran", inner=degraded(rule))
            assert not (lab.ws / "ran").exists(), f"HOLE: {rule}: the command ran: {result}"
            assert result.code in (125, 126) and result.err.startswith("pinfold: "), f"{rule}: {result}"
