"""What the tests of the library share: where it was built, and hosts of it that run as the test's user."""
import os
import sys
from pathlib import Path

from harness import ROOT

BUILD_LIB = Path(os.environ.get("PINFOLD_BUILD_LIB", ROOT / "build-lib"))
LIBRARY = BUILD_LIB / "libpinfold.so.0"
HOST = BUILD_LIB / "pinfold-host"   # examples/host.c
HOSTS = BUILD_LIB / "pinfold-lab"   # lab.c

sys.path.insert(0, os.fspath(ROOT / "examples"))


def host(lab, *words, **more):
    """A host of lab.c, in the workspace."""
    return lab.plain([HOSTS, lab.pinfold, *map(str, words)], **more)


def python(lab, script, *words, **more):
    """A script for the module pinfold, as the test's user; `program` is opened."""
    module = lab.file(lab.outside / "pinfold.py", (ROOT / "examples" / "pinfold.py").read_text())
    before = f"import sys; sys.path.insert(0, {os.fspath(module.parent)!r})\n" \
             f"import pinfold\nprogram = pinfold.Pinfold({os.fspath(lab.pinfold)!r}, {os.fspath(LIBRARY)!r})\n"
    return lab.plain(["/usr/bin/python3", "-B", "-c", before + script, *words], **more)
