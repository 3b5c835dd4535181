"""Not less is reached by tests than was: a floor for each folder (tools/coverage)."""
import importlib.machinery
import importlib.util

import pytest

from harness import ROOT

loader = importlib.machinery.SourceFileLoader("coverage", str(ROOT / "tools" / "coverage"))
coverage = importlib.util.module_from_spec(importlib.util.spec_from_loader("coverage", loader))
loader.exec_module(coverage)

FLOORS = {"cli": 90, "src/base": 92, "src/box": 87, "src/linux": 78, "src/plan": 94, "src/policy": 91,
          "src/supervise": 85}   # percent


@pytest.mark.slow
def test_each_folder_is_reached():
    reached = {folder: 100 * covered // total for folder, (total, covered) in coverage.folders(coverage.measure()).items()}
    print(reached)
    assert set(reached) == set(FLOORS)
    assert not {folder: percent for folder, percent in reached.items() if percent < FLOORS[folder]}
