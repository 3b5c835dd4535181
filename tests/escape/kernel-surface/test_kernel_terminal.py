"""Terminal requests as calls, filters on top of the filter, and bash's look at its stdin: 141, 142, 158 to 160."""
import socket
import subprocess
from pathlib import Path

import batch
import pytest

TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS = 0x5412, 0x541c, 0x5423, 0x541d
HIGH = 1 << 32


def open_to_all():
    switch = Path("/proc/sys/dev/tty/legacy_tiocsti")
    return not switch.exists() or switch.read_text().strip() == "1"


def test_e158_push_input(lab):
    """Nothing is typed into a terminal, not even into the box's own. The control types into a terminal of its own; a
    host that has switched that off for users (dev.tty.legacy_tiocsti) refuses with EIO, then it must be root's."""
    batch.legs(lab, [["terminal_request", hex(TIOCSTI)]], {"EPERM"}, root=not open_to_all())


def test_e159_push_input_above_32_bits(lab):
    """Bits above the 32 that the kernel looks at don't hide the request."""
    attacks = [["terminal_request", hex(high | TIOCSTI)] for high in (HIGH, 0x7fffffff << 32, 1 << 62)]
    batch.legs(lab, attacks, {"EPERM"}, root=not open_to_all())


def test_e160_line_discipline(lab):
    """No line discipline is set, not even the one that is there."""
    batch.legs(lab, [["terminal_request", hex(request)] for request in (TIOCSETD, HIGH | TIOCSETD)], {"EPERM"})


def test_e160_requests_on_anything(lab):
    """The requests are refused by their number on any descriptor; outside, the kernel says that it is no terminal."""
    attacks = [["ioctl_reach", fd, hex(high | request)] for request in (TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS)
               for fd in ("0", "1", "-1", "99") for high in (0, HIGH)]
    batch.legs(lab, attacks, {"EPERM"})


def test_requests_that_programs_need(lab):
    """Size, attributes and foreground group of a terminal of one's own are asked for as usual."""
    batch.legs(lab, [["terminal_request", hex(request)] for request in (0x5401, 0x5413, 0x540f, 0x541b)], {"ok"})


def test_e141_filters_stack(lab):
    """A sandbox inside can put a filter, a listener and Landlock layers of its own on itself; layers end with E2BIG."""
    batch.legs(lab, [["filter_stack"], ["filter_stack", "8"], ["filter_sizes"], ["landlock_stack"]], {"ok"})
    layers = [lab.plain([lab.attacker, "landlock_stack"]), lab.run([lab.attacker, "landlock_stack"])]
    counts = [int(done.out.split()[1]) for done in layers]
    assert counts[1] < counts[0] and all("E2BIG" in done.out for done in layers), layers


def bash_with_socket(lab, argv, mode):
    """Runs argv with a connected socket as its standard input; returns what it printed."""
    if mode == "tcp":
        server = socket.create_server(("127.0.0.1", 0))
        near = socket.create_connection(server.getsockname())
        far = server.accept()[0]
        server.close()
    else:
        near, far = socket.socketpair()
    far.sendall(b"from-stdin\n")
    far.shutdown(socket.SHUT_WR)
    with near, far:
        done = subprocess.run(lab.user.argv(argv), cwd=lab.ws, env=lab.environment(), stdin=near, timeout=30,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.stdout, done.stderr


@pytest.mark.parametrize("mode", ["tcp", "unix"])
def test_e142_bash_with_a_socket(lab, mode):
    """bash takes a socket on its stdin for a remote login and runs ~/.bashrc, here one that the box can read. Inside,
    stdin is a relay and asking for its peer says so in the kernel's own words."""
    rc = lab.file(lab.home / ".bashrc", "echo from-bashrc\n")
    command = ["/usr/bin/env", "-u", "SHLVL", "/bin/bash", "-c", "read -r line; echo \"$line\""]
    out, err = bash_with_socket(lab, command, mode)
    assert out == "from-bashrc\nfrom-stdin\n", f"control leg: {out} {err}"
    front = [lab.pinfold, "run", "--workspace", lab.ws, "--read", rc, "--"]
    out, err = bash_with_socket(lab, [*front, *command], mode)
    assert out == "from-stdin\n", (out, err)
    readable = lab.run(["/bin/cat", rc], "--read", rc)
    assert readable.out == "echo from-bashrc\n", readable
