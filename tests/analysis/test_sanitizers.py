"""AddressSanitizer and UndefinedBehaviorSanitizer: the unit tests, and whole boxes. What attacks them isn't sanitized."""
import subprocess

import pytest

from sanitized import ROOT, configured, made, staged, suite

# What says nothing of a dynamic program (the control shows that it would be preloaded into), or of a slow one.
PRELOAD = "tests/escape/environment/test_environment_variables.py::test_e112_preload_of_pinfold_itself"
MOMENTS = "tests/cli/test_signal_at_start.py::test_a_refusal_is_the_truth"
# One user of three for each: the code is the same for all, but for a root caller's.
USER, ROOTS = "not user-65534 and not user-root", "not user-65534 and not user-1000"
TRAP = ["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]
OVERFLOW = "int main(int count, char **words) { (void)words; return count + 0x7fffffff == 0; }\n"
OUTSIDE = "int main(int count, char **words) { char a[4] = {0}; (void)words; return a[count + 3]; }\n"


def test_unit_tests():
    assert "no finding" in made("tools/sanitize")


@pytest.mark.slow
def test_boxes_with_addresses_watched():
    made("tools/sanitize", "--program")
    with staged(ROOT / "build-sanitize") as build:
        suite(build, "-k", USER, "tests/escape", "tests/cli", without=[PRELOAD, MOMENTS])


@pytest.mark.slow
def test_boxes_of_the_static_program_trap_what_is_undefined():
    folder = configured("build-undefined", ROOT / "tools/musl-cc", "-Dwerror=false", f"-Dc_args={' '.join(TRAP)}")
    with staged(folder) as build:
        suite(build, "-k", ROOTS, "tests/escape", "tests/cli", without=[MOMENTS])


@pytest.mark.parametrize("compiler, flags, code, status", [
    ("tools/musl-cc", TRAP, OVERFLOW, -4),
    ("gcc", ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"], OVERFLOW, 99),
    ("gcc", ["-fsanitize=address"], OUTSIDE, 99),
], ids=["trap", "undefined", "address"])
def test_a_fault_ends_the_program(compiler, flags, code, status, tmp_path):
    """Control: with these flags a program with a fault ends at it."""
    (tmp_path / "fault.c").write_text(code)
    defaults = ["tests/analysis/asan_defaults.c"] if compiler == "gcc" else []
    subprocess.run([compiler, *flags, tmp_path / "fault.c", *defaults, "-o", tmp_path / "fault"], cwd=ROOT, check=True)
    assert subprocess.run([tmp_path / "fault"], capture_output=True, env={}).returncode == status
