"""Fixtures of the escape tests: a network outside, and a stage for victims. Both end with the test."""
import pytest
from net_outside import OutsideNet
from victims import Stage


@pytest.fixture
def net(lab):
    one = OutsideNet(lab)
    yield one
    one.close()


@pytest.fixture
def stage(lab):
    one = Stage(lab)
    yield one
    one.close()
