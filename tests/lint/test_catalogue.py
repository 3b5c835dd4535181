"""docs/attacks.md against the tests: every entry that is due has a test, and the status column is up to date."""
import importlib.machinery
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("catalogue", str(ROOT / "tools" / "catalogue"))
catalogue = importlib.util.module_from_spec(importlib.util.spec_from_loader("catalogue", loader))
loader.exec_module(catalogue)

TEXT = catalogue.CATALOGUE.read_text()
TESTS = catalogue.tests_by_entry()


def test_catalogue_is_whole_and_up_to_date():
    assert catalogue.faults(TEXT, TESTS) == []


@pytest.mark.parametrize("name, numbers", [
    ("def test_e040_sysctl(lab): pass", {40}),
    ("def test_e166_e174_tcp(lab): pass", {166, 174}),
    ("def test_e150_to_e153_services(lab): pass", {150, 151, 152, 153}),
    ('CALLS = {"e122-bpf": ["bpf_map"]}', {122}),
    ('def test_e123_calls(lab):\n    """Refused inside: 125 to 127, 129,\n    138."""', {123, 125, 126, 127, 129, 138}),
    ('def test_e123_calls(lab):\n    """Refused: EPERM, in 3 cases, 4 times."""', {123}),
    ("def test_environment(lab): pass", set()),
    ("def test_everyday_git(lab): pass", set()),
])
def test_names_of_tests_are_read(name, numbers):
    assert catalogue.numbers_in(name) == numbers


def test_a_missing_test_is_a_fault():
    """The check itself can fail: without its tests, an entry that is due is reported."""
    tests = {number: files for number, files in TESTS.items() if number != 1}
    assert any(fault.startswith("entry 1 is due") for fault in catalogue.faults(TEXT, tests))


def test_a_missing_row_is_a_fault():
    less = "".join(line for line in TEXT.splitlines(keepends=True) if not line.startswith("| 40 |"))
    assert any(f"1 to {catalogue.LAST}" in fault for fault in catalogue.faults(less, TESTS))
