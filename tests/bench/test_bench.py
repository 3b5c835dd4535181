"""The benchmarks work, and boxes that run in numbers all succeed and leave nothing. No test here looks at a time."""
import json
import os
import shutil
import subprocess

import pytest

import harness
from workbench import PYTHON


def bench(lab, *words, timeout=120):
    """(result, JSON) of bench/run as the test's user, who may not be able to see the checkout."""
    for name in ("bench", "src"):
        shutil.copytree(harness.ROOT / name, lab.scratch.path / name, dirs_exist_ok=True)
    numbers = lab.home / "bench.json"
    result = lab.plain([lab.scratch.path / "bench" / "run", *words, "--json", numbers], timeout=timeout,
                       env={"PINFOLD_BUILD": str(harness.BUILD)})
    return result, json.loads(numbers.read_text()) if numbers.exists() else None


def test_each_topic_gives_the_numbers_of_its_goals(lab):
    result, numbers = bench(lab, "--small", "--rounds", "3")
    assert result.code == 0, result
    assert set(numbers) == {"host", "start", "steady", "memory", "many", "goals"}
    missing = [row["goal"] for row in numbers["goals"] if row["value"] is None]
    unseen = {"supervisor": lab.user.uid != 0, "bubblewrap": "bubblewrap" not in numbers["start"]["null"]}
    assert not [goal for goal in missing if not any(word in goal and out for word, out in unseen.items())], missing
    assert len(numbers["goals"]) == 12


def ours(code, *words):
    """A piece of Python that imports the benchmarks' own modules."""
    return subprocess.run([PYTHON, "-B", "-c", code, *words], cwd=harness.ROOT / "bench", capture_output=True,
                          text=True, timeout=60, env={**os.environ, "PINFOLD_BUILD": str(harness.BUILD)})


def test_a_goal_that_is_missed_is_a_status_of_1_when_asked_for():
    for most, words, status in ((0, ["--check"], 0), (-1, [], 0), (-1, ["--check"], 1)):
        code = f"import main; main.GOALS = [('g', ('many', 'at_once', 'failed'), {most})]; main.main()"
        done = ours(code, "many", "--small", *words)
        assert done.returncode == status, done


def test_what_grows_with_the_boxes_is_a_leak_and_what_comes_and_goes_is_none():
    done = ours("""
import many
flat = {"descriptors": 4, "processes": 0, "mounts": 20, "slab mnt_cache": 200, "slab dentry": 0}
def leaked(name=None, each=0):
    samples = [{**flat, "slab pid": 300 + n * 37 % 90} for n in range(11)]    # pid comes and goes
    for n, sample in enumerate(samples):
        if name:
            sample[name] += int(n * 1000 * each)
    return many.leaks(samples, 1000)[1]
print(leaked(), leaked("descriptors", 0.001), leaked("mounts", 0.001),
      leaked("slab mnt_cache", 1), leaked("slab dentry", 5))
""")
    assert done.stdout == "[] ['descriptors'] ['mounts'] ['slab mnt_cache'] []\n", done


@pytest.mark.slow
@pytest.mark.alone
def test_a_hundred_boxes_at_once_and_ten_thousand_in_a_row_succeed_and_leak_nothing(lab):
    result, numbers = bench(lab, "many", "--check", timeout=1800)
    assert result.code == 0, result
    assert numbers["many"]["at_once"] | {"count": 100, "failed": 0} == numbers["many"]["at_once"]
    assert numbers["many"]["in_a_row"]["count"] == 11000
    assert numbers["many"]["in_a_row"]["kernel_objects"] == (lab.user.uid == 0)
