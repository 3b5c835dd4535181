"""The analysers of `make lint`, over all C of the project: clang-tidy, cppcheck, gcc -fanalyzer, the layout."""
import sys

import pytest

import harness

sys.path.insert(0, str(harness.ROOT / "tests" / "lint"))
import analysers  # noqa: E402


@pytest.mark.slow
@pytest.mark.parametrize("analyser", analysers.ANALYSERS, ids=lambda analyser: analyser.__name__)
def test_an_analyser_finds_nothing(analyser):
    findings = analyser()
    assert not findings, "\n" + "\n".join(findings)


@pytest.mark.slow
@pytest.mark.parametrize("analyser, code", [
    (analysers.clang_tidy, "int planted(int *p);\nint planted(int *p) {\n    if (!p)\n        return *p;\n    return 0;\n}\n"),
    (analysers.cppcheck, "int planted(void);\nint planted(void) {\n    int a[2] = {0};\n    return a[2];\n}\n"),
    (analysers.gcc_analyzer, '#include <stdlib.h>\nvoid planted(char *p);\nvoid planted(char *p) {\n    free(p);\n    free(p);\n}\n'),
], ids=["clang_tidy", "cppcheck", "gcc_analyzer"])
def test_a_fault_is_found(analyser, code, tmp_path, monkeypatch):
    """Control: each analyser sees a fault of its kind in a file that is one of the project's to it."""
    planted = tmp_path / "planted.c"
    planted.write_text(code)
    monkeypatch.setattr(analysers, "sources", lambda: [planted])
    monkeypatch.setattr(analysers, "name", lambda path: "src/planted.c")
    assert analyser()
