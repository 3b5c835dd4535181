"""What relay, pid 1 and command do to confine themselves, counted: what nobody can see from outside, such as Landlock on
the relay, must at least be asked for."""
import pytest

from hosts import degraded, in_box
from rounds import calls_before_command

ASKED = {
    "landlock_restrict_self": 2,   # relay, command
    "seccomp": 2,                  # relay, command
    "prctl@0:38": 2,               # no_new_privs: relay, pid 1
    "capset": 3,                   # relay, pid 1, command
    "prctl@0:47": 2,               # ambient set: relay, pid 1
    "prctl@0:1": 3,                # parent death signal: relay; pid 1 as it is and with its ids
    "prctl@0:4": 5,                # dumpable: supervisor thrice, relay, pid 1
    "setsid": 1,
    "unshare": 2,                  # pid 1: the network, all others
}


@pytest.mark.parametrize("call", ASKED)
def test_each_confines_itself(lab, call):
    assert calls_before_command(lab, call) == ASKED[call]


def test_a_launch_that_fails_when_the_command_may_have_begun_says_so(lab):
    """The last message before exec can't be sent: nothing ran, but the supervisor can't know, and must not say 126."""
    told = [in_box(lab, inner=degraded(f"sendmsg#{count}=EPERM,until-execve"))
            for count in range(calls_before_command(lab, "sendmsg") + 1, 0, -1)]
    assert [one for one in told if one.code == 137 and "ended as the command began" in one.err], told
