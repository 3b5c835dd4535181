"""What pinfold keeps for the accounts of the tests: records of runs, what was put aside, repositories that were met."""
import os
import pwd
import shutil
from pathlib import Path


def states(uid):
    """Where it may be for an account."""
    try:
        yield Path(pwd.getpwuid(uid).pw_dir) / ".local/state/pinfold"
    except KeyError:
        pass
    for place in ("/var/tmp", "/tmp", "/dev/shm"):
        yield Path(place) / f"pinfold-{uid}"


def forget(uid, folder):
    """Remove what tells of a folder: another test's pinfold would settle what a killed one left in it."""
    for state in states(uid):
        for kind in ("runs", "repositories", "listings", "quarantine"):
            try:
                names = os.listdir(state / kind)
            except OSError:
                continue
            for name in names:
                path = state / kind / name
                try:
                    told = path / "items" if path.is_dir() else path
                    if os.fsencode(folder) in told.read_bytes():
                        shutil.rmtree(path) if path.is_dir() else path.unlink()
                except OSError:
                    continue   # gone meanwhile
