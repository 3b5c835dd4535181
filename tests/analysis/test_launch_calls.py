"""Each system call on the way to the command stands in HACKING.md, in "A launch, in order": what strace sees against it."""
import re

import pytest

import harness
from workbench import PATH

SECTION = re.search(r"^## A launch, in order\n(.*?)^\*\*A rehearsal", (harness.ROOT / "HACKING.md").read_text(), re.DOTALL | re.MULTILINE)[1]
# The kernel's names of calls that a C library gives another one.
SAME = {"newfstatat": "fstatat", "rt_sigaction": "sigaction", "rt_sigprocmask": "sigprocmask", "signalfd4": "signalfd",
        "prlimit64": "setrlimit", "ppoll": "poll", "pread64": "read", "clone": "fork", "sendto": "send", "recvfrom": "recv",
        "faccessat2": "faccessat", "dup2": "dup3", "umount": "umount2"}


def told():
    return {word for span in re.findall(r"`([^`]+)`", SECTION) for word in re.findall(r"^[a-z_0-9]+", span)}


def calls(lab, options, script):
    """The calls of a launch: all processes of pinfold, up to each one's execve of the command."""
    trace = lab.outside / "trace"
    line = ["strace", "-f", "-qq", "-o", trace, lab.pinfold, "run", "--workspace", lab.ws, *options, "--", "/bin/true"]
    done = lab.plain(["sh", "-c", script, "sh", *line], env={"PATH": PATH})
    assert done.code == 0, done
    rows = re.findall(r"^(\d+) +(?:<\.\.\. )?(\w+)(?:\(| resumed)(.*)", trace.read_text(), re.MULTILINE)
    seen, begun = set(), set()
    for pid, call, rest in rows[1:]:   # the first is strace's own start of pinfold
        if pid not in begun and call != "restart_syscall":   # that one is the kernel's, after a stop
            seen.add(call if not call.startswith("syscall_") else str(int(call.removeprefix("syscall_"), 16)))
        if call == "execve" and rest.endswith("= 0"):
            begun.add(pid)
    assert len(begun) == 1, f"the command was not seen to begin once: {begun}"
    return seen


@pytest.mark.parametrize("script", ['"$@"', '"$@" </dev/null | cat', 'script -qec "$*" /dev/null'], ids=["plain", "pipe", "terminal"])
@pytest.mark.parametrize("options", [[], ["--mode", "discard"], ["--mode", "readonly"], ["--receipt", "RECEIPT"]], ids="-".join)
def test_each_call_of_a_launch_has_its_reason(lab, options, script):
    options = [lab.outside / "receipt.json" if word == "RECEIPT" else word for word in options]
    seen = calls(lab, options, script)
    missing = sorted(call for call in seen if call not in told() and SAME.get(call) not in told())
    assert not missing, f"HACKING.md, A launch, in order: no reason for {', '.join(missing)}"
