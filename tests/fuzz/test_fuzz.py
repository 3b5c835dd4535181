"""The fuzzers of fuzz/, under AddressSanitizer and UndefinedBehaviorSanitizer, for seconds or a minute;
PINFOLD_FUZZ_SECONDS overrides that. And the corpus of broken policies in the same build."""
import os
import re
import subprocess

import pytest

import harness
import policies

TARGETS = ("reader", "merge", "settled")


def fuzz(seconds, target):
    """Runs a fuzzer; how many inputs it tried."""
    line = ["nice", harness.ROOT / "fuzz" / "run", str(seconds), target]
    done = subprocess.run(line, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=seconds + 400)
    assert done.returncode == 0, done.stdout + done.stderr
    return int(re.search(r"number_of_executed_units: (\d+)", done.stdout)[1])


@pytest.mark.parametrize("seconds", [10, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("target", TARGETS)
def test_for_some_seconds(target, seconds):
    seconds = int(os.environ.get("PINFOLD_FUZZ_SECONDS", seconds))
    assert fuzz(seconds, target) > 50 * seconds


def test_broken_policies_under_the_sanitizers():
    assert fuzz(0, "reader") >= len(policies.BROKEN) + len(policies.NO_JSON)


def test_a_fault_is_found(tmp_path):
    """Control: a check that is wrong about one thing fails at once."""
    fuzz(0, "merge")
    for name in ("src", "tests", "tools", "policies", "subprojects", "build"):
        (tmp_path / name).symlink_to(harness.ROOT / name)
    subprocess.run(["cp", "-rp", harness.ROOT / "fuzz", tmp_path], check=True)
    objects = harness.ROOT / "build" / "fuzz"
    (tmp_path / "built").mkdir()
    subprocess.run(["cp", "-p", objects / "stamp", *objects.glob("*.o"), tmp_path / "built"], check=True)
    wrong = tmp_path / "fuzz" / "reader.c"
    wrong.write_text(wrong.read_text().replace('"FILE:%lu:%lu: "', '"FILE:%lu;%lu: "'))
    line = [tmp_path / "fuzz" / "run", "--build", tmp_path / "built", "0", "reader"]
    done = subprocess.run(line, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=240)
    assert done.returncode == 1 and "without a place" in done.stdout, done.stdout + done.stderr
