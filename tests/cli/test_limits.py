"""Limits of the caller's: a hard core limit of 0, under which the box can't have its own limit of one byte."""
import os

import pytest

from core_pattern import core_pattern
from workbench import PATH, raw

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can set the core handler")


def without_core(lab, *options):
    line = [lab.pinfold, "run", "--workspace", lab.ws, *options, "--", "sh", "-c", "ulimit -H -c; : >ran"]
    done = raw(lab, lab.user.argv(["sh", "-c", 'ulimit -H -c 0 && exec "$@"', "sh", *line]), env={"PATH": PATH})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@only_root
def test_hard_core_limit_of_0_where_cores_are_files(lab):
    with core_pattern("core"):
        assert without_core(lab) == (0, "0\n", "") and (lab.ws / "ran").exists()


@only_root
@pytest.mark.parametrize("pattern", ["|/bin/false",
                                     # this one makes every box of the host refuse
                                     pytest.param("@/run/core.socket", marks=[pytest.mark.slow, pytest.mark.alone])])
def test_hard_core_limit_of_0_where_cores_go_to_a_program(lab, pattern):
    """The kernel starts the program whatever the limit of 0 says: refused, unless privilege is waived."""
    with core_pattern(pattern):
        code, out, err = without_core(lab)
        assert code == 126 and out == "" and err.startswith("pinfold: ") and "limit" in err, (code, out, err)
        assert not (lab.ws / "ran").exists()
        code, out, err = without_core(lab, "--waive", "privilege")
        assert code == 0 and out == "0\n" and (lab.ws / "ran").exists(), (code, out, err)
