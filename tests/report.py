"""A pytest plugin for tests/run: writes each test's outcome as one JSON line to the file named by PINFOLD_REPORT.

Works under xdist too: the controller, which has no workerinput, sees the reports of all workers.
"""
import json
import os


def reason(report):
    """The message of a skip, without the place it came from."""
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2].removeprefix("Skipped: ")
    return getattr(report, "wasxfail", "")


class Recorder:
    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")

    def record(self, report, outcome):
        row = {"id": report.nodeid, "outcome": outcome, "reason": reason(report)}
        print(json.dumps(row), file=self.file, flush=True)

    def pytest_runtest_logreport(self, report):
        # A test passes by its call; it fails or skips by any of setup, call and teardown.
        if report.when == "call" or not report.passed:
            self.record(report, report.outcome)

    def pytest_collectreport(self, report):
        if not report.passed:
            self.record(report, report.outcome)


def pytest_configure(config):
    path = os.environ.get("PINFOLD_REPORT")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(path))
