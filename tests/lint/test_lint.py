"""The rules of the project as tests, one for each: those of tests/lint/run that need no analyser."""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rules_code  # noqa: E402
import rules_manuals  # noqa: E402
import rules_messages  # noqa: E402
import rules_spine  # noqa: E402


RULES = rules_code.RULES + rules_spine.RULES + rules_manuals.RULES + rules_messages.RULES


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule(rule):
    findings = rule()
    assert not findings, "\n" + "\n".join(findings)
