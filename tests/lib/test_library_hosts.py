"""libpinfold in hosts of every kind (lab.c): what it leaves alone, and whose habits must not confuse it."""
import os
import shutil
import socket
import subprocess
import threading

import pytest

from harness import ROOT, Lab, users
from library import HOST, host


def ok(result):
    assert result.code == 0 and result.out.endswith("ok\n") and result.err == "", result


@pytest.mark.parametrize("words", [
    ["unchanged"],       # signals, mask, umask, folder, environment, limits, descriptors
    ["ignored", 20],     # SIGCHLD is ignored
    ["stolen", 40],      # a thread waits for all children
    ["closed"],          # 0 to 2 are closed
    ["few", 48],         # few open files
    ["forks", 10],       # copies of the host come into being at every moment, and stay
    ["in-child"],        # a copy of the host has no power over its boxes
    ["shared", 4],       # threads that use one box
    ["vanished"],        # pinfold is killed
    ["stopped"],         # pinfold is stopped
], ids=lambda words: words[0])
def test_host(lab, words):
    ok(host(lab, *words))


@pytest.mark.slow
@pytest.mark.parametrize("words", [["forks", 150], ["stolen", 1000], ["shared", 100], ["few", 120]],
                         ids=lambda words: words[0])
def test_host_for_long(lab, words):
    ok(host(lab, *words, timeout=600))


@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_boxes_from_eight_threads(lab, count):
    """The example in C, which is such a host."""
    result = lab.plain([HOST, str(count), lab.pinfold], timeout=300)
    assert (result.code, result.out, result.err) == (0, f"{count} boxes, 8 threads, 0 wrong\n", "")


@pytest.mark.slow
def test_a_start_costs_the_same_in_a_large_host(lab):
    """0.1 and 2 GiB; the quicker of three tries each, since the machine is shared."""
    def start(mib):
        tries = [host(lab, "large", mib, timeout=120) for _ in range(3)]
        return min(int(result.out.split()[1]) for result in tries)

    small, large = start(100), start(2048)
    print(f"start: {small} us with 100 MiB, {large} us with 2 GiB")
    assert large < 2 * small + 300


def compiled(folder, *flags):
    """lab.c and the library's sources in one program, built with these flags."""
    program = folder / "lab"
    sources = sorted((ROOT / "lib").glob("*.c"))
    subprocess.run(["gcc", "-std=c17", "-g", "-O1", "-D_GNU_SOURCE", '-DPINFOLD_VERSION="0"', '-DPINFOLD_PROGRAM="/none"',
                    f"-I{ROOT / 'include'}", *flags, ROOT / "tests/lib/lab.c", *sources, "-o", program, "-pthread"],
                   check=True)
    return program


@pytest.mark.parametrize("flags, variables", [
    (["-fsanitize=thread"], {"TSAN_OPTIONS": "exitcode=9"}),
    (["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"], {"ASAN_OPTIONS": "detect_leaks=1"}),
], ids=["thread", "address"])
def test_sanitized(flags, variables):
    lab = Lab(users()[0])
    try:
        program = compiled(lab.scratch.path, *flags)
        for words in (["shared", "2"], ["stolen", "10"], ["unchanged"], ["forks", "2"]):
            # without random addresses: gcc 12's thread sanitizer knows too few places for them
            result = lab.plain(["setarch", "-R", program, lab.pinfold, *words], env=variables, timeout=120)
            assert result.code == 0 and "Sanitizer" not in result.err, (words, result)
    finally:
        lab.close()


SHIM = r"""
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
/* pidfd_open is asked from the test, over descriptor SHIM: valgrind 3.19 doesn't know the call. */
long __real_syscall(long call, long a, long b, long c, long d);
long __wrap_syscall(long call, long a, long b, long c, long d) {
    char text[16];
    union { struct cmsghdr head; char bytes[CMSG_SPACE(sizeof(int))]; } control;
    if (call != SYS_pidfd_open)
        return __real_syscall(call, a, b, c, d);
    struct iovec part = {text, (size_t)snprintf(text, sizeof text, "%ld", a)};
    struct msghdr head = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (send(SHIM, text, part.iov_len, 0) < 0 || recvmsg(SHIM, &head, MSG_CMSG_CLOEXEC) != 1)
        _exit(8);
    if (!CMSG_FIRSTHDR(&head)) {
        errno = ESRCH;
        return -1;
    }
    return *(int *)CMSG_DATA(CMSG_FIRSTHDR(&head));
}
"""


def give_pidfds(server):
    """Answers the shim: a process id comes, its pidfd goes, or nothing when there is no such process."""
    while number := server.recv(16):
        try:
            pidfd = os.pidfd_open(int(number))
        except ProcessLookupError:
            server.send(b".")
            continue
        socket.send_fds(server, [b"."], [pidfd])
        os.close(pidfd)


@pytest.mark.parametrize("words", [["ignored", "1"], ["vanished"]], ids=lambda words: words[0])
def test_valgrind(words):
    """One start, wait and free: no error, no leak, no descriptor left."""
    assert shutil.which("valgrind"), "valgrind is not installed: tools/install-deps test"
    lab = Lab(users()[0])
    (lab.scratch.path / "shim.c").write_text(SHIM)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    threading.Thread(target=give_pidfds, args=[ours], daemon=True).start()
    number = theirs.fileno()
    try:
        program = compiled(lab.scratch.path, f"-DSHIM={number}", "-Wl,--wrap=syscall", lab.scratch.path / "shim.c")
        result = lab.plain(["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=all",
                            "--errors-for-leak-kinds=all", program, lab.pinfold, *words], timeout=120, pass_fds=[number])
        assert result.code == 0 and result.out == "ok\n", result
    finally:
        theirs.close()
        lab.close()
