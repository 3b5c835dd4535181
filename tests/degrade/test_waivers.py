"""Guarantees given up by name on a host that can't hold them, and on one that can.

A run is allowed only when every guarantee that needs the missing layer is waived; the receipt then tells exactly those
as waived. Waiving never switches off a layer that can be had.
"""
import itertools
import os

import pytest

from hosts import MARKER, State, assert_refused, degraded, difference, limited, nothing_ran

ALL = ["fs-read", "fs-write", "fs-metadata", "fs-secret", "fs-protect", "fs-settle", "net-egress", "net-local", "unix-socket", "process", "ipc", "privilege",
       "kernel-surface", "environment", "descriptors", "no-survivors"]

NEVER = {"environment", "descriptors"}
WAIVABLE = [name for name in ALL if name not in NEVER]

# The condition, and the guarantees that need what it takes away.
LAYERS = {
    "landlock": (degraded("landlock_create_ruleset=ENOSYS"), ["fs-write", "descriptors"]),
    "seccomp": (degraded("seccomp-filter=EINVAL"), ["kernel-surface", "privilege"]),
    "keyring": (degraded("keyctl=ENOSYS"), ["ipc"]),
    "limits": (degraded("prlimit64=EPERM,setrlimit=EPERM"), ["privilege"]),
    "capabilities": (degraded("capset=EPERM"), ["privilege"]),
    "session": (degraded("setsid=EPERM"), ["process"]),
    "descriptors": (degraded("close_range=ENOSYS"), ["descriptors"]),
}


def waive(names):
    return [word for name in names for word in ("--waive", name)]


@pytest.fixture
def state(lab):
    return State(lab)


def assert_receipt_tells(state, waived):
    receipt, states = state.guarantees()
    assert sorted(states) == sorted(ALL)
    assert {name for name, one in states.items() if one == "waived"} == set(waived), receipt
    assert set(states.values()) <= {"held", "waived"} and receipt["confined"] == "waived", receipt


def assert_refused_or_held(lab, result, reference):
    """Held by another layer or a fallback: then nothing inside differs."""
    if result.code == 126:
        assert_refused(lab, result)
        return
    assert result.out == reference.out, f"HOLE: the box differs:\n{difference(reference.out, result.out)}"
    (lab.ws / MARKER).unlink()


@pytest.mark.parametrize("layer", LAYERS)
def test_no_run_while_one_guarantee_is_not_waived(lab, state, layer):
    inner, needed = LAYERS[layer]
    reference = state.undisturbed()
    waivable = [name for name in needed if name not in NEVER]
    for count in range(len(waivable) + bool(NEVER & set(needed))):
        for some in itertools.combinations(waivable, count):
            assert_refused_or_held(lab, state.run(inner=inner, options=waive(some)), reference)


@pytest.mark.parametrize("layer", LAYERS)
def test_waiving_what_does_not_need_the_layer_does_not_help(lab, state, layer):
    inner, needed = LAYERS[layer]
    reference = state.undisturbed()
    others = [name for name in WAIVABLE if name not in needed]
    assert_refused_or_held(lab, state.run(inner=inner, options=waive(others)), reference)


@pytest.mark.parametrize("layer", [name for name, (_, needed) in LAYERS.items() if not NEVER & set(needed)])
def test_with_all_waived_it_runs_or_refuses_and_the_receipt_tells(lab, state, layer):
    inner, needed = LAYERS[layer]
    reference = state.undisturbed()
    result = state.run(inner=inner, options=waive(needed))
    if result.code == 126:
        assert_refused(lab, result)
        return
    assert (lab.ws / MARKER).exists()
    assert_receipt_tells(state, needed)
    changed = difference(reference.out, result.out)
    assert " host\n" not in f"{changed}\n" and "text of hidden" not in changed, changed


@pytest.mark.skipif(os.geteuid() != 0, reason="setting up this host needs root")
def test_no_network_namespace_waived(lab, state):
    needed = ["net-egress", "net-local", "unix-socket"]
    if lab.user.uid == 0:
        needed.append("privilege")   # root in a user namespace of its own: its id maps allow no unprivileged id
    outer = limited("max_net_namespaces", 0)
    for some in itertools.combinations(needed, len(needed) - 1):
        assert_refused(lab, state.run(outer=outer, options=waive(some)))
    result = state.run(outer=outer, options=waive(needed))
    if result.code == 126:
        assert_refused(lab, result)
        return
    assert (lab.ws / MARKER).exists()
    assert_receipt_tells(state, needed)


@pytest.mark.parametrize("name", WAIVABLE)
def test_waiving_switches_no_layer_off(lab, state, name):
    reference = state.undisturbed()
    result = state.run(inner=degraded("acct=EPERM"), options=waive([name]))
    assert result.out == reference.out, difference(reference.out, result.out)
    assert_receipt_tells(state, [name])


def test_waiving_everything_switches_no_layer_off(lab, state):
    reference = state.undisturbed()
    result = state.run(inner=degraded("acct=EPERM"), options=waive(WAIVABLE))
    assert result.out == reference.out, difference(reference.out, result.out)
    assert_receipt_tells(state, WAIVABLE)


@pytest.mark.parametrize("name", sorted(NEVER))
def test_some_are_never_waived(lab, state, name):
    result = state.run(options=waive([name]))
    assert nothing_ran(lab, result) and result.code == 125 and "can't be waived" in result.err, result


@pytest.mark.parametrize("name", ["FS-READ", "fs-rea", "fs-read ", "all", "", "*", "fs-read,fs-write"])
def test_a_misspelt_waiver_is_a_usage_error(lab, state, name):
    result = state.run(options=["--waive", name])
    assert nothing_ran(lab, result) and result.code == 125 and result.err.startswith("pinfold: "), result


def test_the_environment_waives_nothing(lab, state):
    env = {"PINFOLD_WAIVE": "fs-write,descriptors", "PINFOLD_WITHOUT": "landlock", "PINFOLD_UNSAFE": "1"}
    result = state.run(inner=degraded("landlock_create_ruleset=ENOSYS"), env=env)
    assert_refused(lab, result)
    reference = state.undisturbed()
    assert state.run(inner=degraded("acct=EPERM"), env=env).out == reference.out
