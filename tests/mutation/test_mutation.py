"""tests/mutation/run itself: what it takes out is seen, and what nobody sees is told. And a sample of all mutants."""
import json
import os
import random
import re
import subprocess

import pytest

import harness

WORKED_THROUGH = "^(steps|closed calls|arguments|landlock|namespaces|capabilities|mounts|proofs): "
RUN = harness.ROOT / "tests" / "mutation" / "run"


def mutate(*words, timeout=120):
    done = subprocess.run([RUN, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=timeout)
    print(done.stdout)
    return done.returncode, done.stdout


def test_what_is_taken_out_is_seen(tmp_path):
    """One that verify refuses to run with, one that a unit test sees, one that only the suite sees."""
    kept = tmp_path / "results"
    status, text = mutate("--results", kept, "--only", r"SYS_bpf|SYS_mount, ACTION_EPERM|proofs: .*\"bpf\"")
    assert status == 0 and re.search(r"^\| all \| 3 \| 3 \| 100.0 % \|", text, re.M), text
    assert all(word in text for word in ("a trivial run: ", "unit-seccomp: ", "degrade/test_lies.py::")), text
    assert mutate("--results", kept, "--only", "SYS_bpf")[1].count("trivial") == 0, "what is known isn't tried again"


def test_what_nobody_sees_is_told(tmp_path):
    kept = tmp_path / "results"
    name = mutate("--list", "--only", "SYS_bpf")[1].strip()
    kept.write_text(json.dumps({name: {"digest": "", "by": None, "depth": 2, "seconds": 0}}))
    status, text = mutate("--report", "--results", kept, "--only", "SYS_bpf")
    assert status == 1 and f"UNEXPLAINED {name}" in text


@pytest.mark.slow
def test_a_sample(tmp_path):
    seed = random.SystemRandom().randrange(10**6)
    status, text = mutate("--results", tmp_path / "results", "--depth", "1", "--only", WORKED_THROUGH,
                          "--sample", "40", "--seed", str(seed), timeout=3600)
    assert status == 0, text
