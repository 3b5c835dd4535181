"""Who can see a mutant: the tests for each source file, in the order of what they cost.

First a trivial run, since a launch that verify or anything else refuses is a mutant found out; then the unit tests and
golden plans that the file is linked into; then these parts of the suite (pytest's words, from tests/), the first row
that fits; last EVERYTHING.
"""
import re

EARLY = "degrade/test_steps.py -k (always_fails or lie)"
NEAR = (
    (r"seccomp", ("escape/kernel-surface", "escape/ipc escape/fs-metadata escape/privilege escape/process",
                  "escape/net-egress escape/unix-socket work/test_cases_kernel.py")),
    (r"landlock", ("escape/fs-write escape/unix-socket escape/fs-read/test_devices.py",
                   "escape/process escape/net-local degrade/test_refusals.py degrade/test_waivers.py")),
    (r"secret|whiteout|expand|floor|pattern", ("degrade/test_secrets.py cli/test_deny.py", "escape/fs-secret")),
    (r"verify|witness", ("degrade/test_lies.py", "degrade/test_discard.py", EARLY, "cli/test_environment.py")),
    (r"steps\.def", ("cli/test_doctor.py -k rests_on", "degrade/test_waivers.py degrade/test_refusals.py")),
    (r"compile|plan/plan", ("escape/fs-read escape/fs-write",
                            "cli/test_modes.py cli/test_cwd.py degrade/test_waivers.py")),
    (r"mount|overlay|lookup", ("degrade/test_lies.py", "degrade/test_discard.py degrade/test_hosts.py",
                               "escape/fs-write escape/fs-read escape/ipc escape/privilege", "work/test_discarded_work.py",
                               EARLY)),
    (r"confine|harden|userns", ("cli/test_own_processes.py degrade/test_each_process.py degrade/test_lies.py",
                                "degrade/test_hosts.py escape/privilege", "escape/process degrade/test_refusals.py",
                                EARLY)),
    (r"relay|channels|fds", ("cli/test_own_processes.py degrade/test_each_process.py", "escape/descriptors",
                             "degrade/test_refusals.py degrade/test_hosts.py",
                             "cli/test_delivery.py work/test_cases_streams.py work/test_cases_tty.py", EARLY)),
    (r"policy_file|owner|trust|box/layers|workspace",
     ("cli/test_policy_trust.py cli/test_policy_layers.py",
      "cli/test_policy_broken.py cli/test_policy_never.py degrade/test_policy_calls.py")),
    (r"receipt|reach", ("cli/test_receipt_place.py cli/test_receipt_forgery.py",
                        "cli/test_receipt.py cli/test_tie.py")),
    (r"box/own", ("cli/test_tie.py cli/test_receipt_forgery.py", "lib/test_ties.py")),
    (r"bans|roots", ("cli/test_policy_never.py cli/test_workspace_refused.py",
                     "cli/test_modes.py cli/test_policy_layers.py")),
    (r"probe", ("escape/unix-socket escape/descriptors", "degrade/test_refusals.py degrade/test_doctor_agrees.py")),
    (r"init|launch|command|message|native|netns|box/box|alone",
     ("degrade/test_each_process.py cli/test_own_processes.py degrade/test_lies.py", "work/test_cases_tty.py",
      "degrade/test_refusals.py escape/no-survivors escape/descriptors escape/process/test_process_core.py", EARLY)),
    (r"", ("cli",)),
)
EVERYTHING = ("degrade", "escape", "cli", "work", "golden")



def near(file):
    return next(rows for pattern, rows in NEAR if re.search(pattern, file))


def users(file):
    """One user will do, but where root's launch is another one; all come in EVERYTHING."""
    return "not user-65534" if re.search(r"userns|mount_new|channels", file) else "not user-root and not user-65534"
