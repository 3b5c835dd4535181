"""What the kernel answers inside: errnos that programs expect, limits as outside, shared memory, /proc and /sys."""
import os

import pytest

from workbench import PATH, PYTHON, box_argv, eventually, keeps, node_keeps, python_keeps, raw, shell, started

PROBE = """if True:
    import ctypes, errno, os, sys
    from errno import EBADF, EFAULT, EINVAL, ENOSYS, EPERM
    c = ctypes.CDLL(None, use_errno=True); bad = []; z = ctypes.c_long
    for name, number, good in (
            ("io_uring_setup", 425, {ENOSYS, EPERM, EFAULT, EINVAL}), ("faccessat2", 439, {ENOSYS, EFAULT}),
            ("openat2", 437, {ENOSYS, EINVAL, EFAULT}), ("clone3", 435, {ENOSYS, EINVAL, EFAULT}),
            ("statx", 332, {ENOSYS, EFAULT, EINVAL, EBADF}), ("futex_waitv", 449, {ENOSYS, EINVAL}),
            ("close_range", 436, {0, ENOSYS, EINVAL}), ("rseq", 334, {ENOSYS, EINVAL, EFAULT}),
            ("pidfd_open", 434, {EINVAL}), ("landlock_create_ruleset", 444, {EINVAL, EFAULT, EPERM, ENOSYS}),
            ("unknown", 9999, {ENOSYS})):
        pid = os.fork()
        if pid == 0:
            a = (900, 901) if name == "close_range" else (-1, 0)
            r = c.syscall(z(number), z(a[0]), z(a[1]), z(0), z(0), z(0), z(0))
            os._exit(ctypes.get_errno() if r == -1 else 0)
        s = os.waitpid(pid, 0)[1]
        if os.WIFSIGNALED(s): bad.append(f"{name} killed by {os.WTERMSIG(s)}")
        elif os.WEXITSTATUS(s) not in good: bad.append(f"{name} errno {os.WEXITSTATUS(s)}")
    sys.exit("; ".join(bad) or 0)
    """


def test_newer_calls_get_an_errno_and_never_kill(lab):
    python_keeps(lab, PROBE)
    lab.file(lab.ws / "f")
    node_keeps(lab, "require('fs').promises.readFile('f').then(() => {})")


def test_tracing_ones_own_processes(lab):
    keeps(lab, ["strace", "-f", "-o", "/dev/null", "sh", "-c", "true; true"])
    assert "exited normally" in keeps(lab, ["gdb", "-nx", "-batch", "-ex", "run", "--args", "/bin/true"]).out


def test_address_sanitizer_and_leak_check(lab):
    lab.file(lab.ws / "l.c", "#include <stdlib.h>\nint main(int n, char **v) { char *p = malloc(9); *p = 1;"
                             " if (n < 2) free(p); p = 0; return v == 0; }\n")
    keeps(lab, ["sh", "-c", "gcc -fsanitize=address l.c -o l && ./l && ! ./l leak 2>err && grep -q LeakSanitizer err"])


def test_no_tracing_of_processes_outside(lab):
    with started(lab, ["sleep", "30"], boxed=False) as victim:
        lines = lambda: open(f"/proc/{victim.pid}/status").read().splitlines()
        status = lambda: [line for line in lines() if line.startswith("TracerPid:")]
        with started(lab, ["strace", "-p", str(victim.pid), "-o", "/dev/null"], boxed=False) as tracer:
            assert eventually(lambda: status() == [f"TracerPid:\t{tracer.pid}"]), "control: cannot trace without a box"
        assert eventually(lambda: status() == ["TracerPid:\t0"])
        result = lab.run(["strace", "-p", str(victim.pid), "-o", "/dev/null"])
        assert result.code != 0 and status() == ["TracerPid:\t0"], result


def test_limits_are_inherited_unchanged(lab):
    script = "for l in -v -u -n -s -f -Hn -Hs -l -i -q -t -m; do ulimit $l; done"
    keeps(lab, ["bash", "-c", script], same=True)
    inner = box_argv(lab, ["bash", "-c", "ulimit -n; ulimit -f"])
    assert raw(lab, ["bash", "-c", 'ulimit -n 200; ulimit -f 5000; exec "$@"', "bash", *inner]).stdout == b"200\n5000\n"


def test_large_reservations(lab):
    node_keeps(lab, "new WebAssembly.Memory({initial: 1, maximum: 65536, shared: true})")
    keeps(lab, ["java", "-Xmx2g", "-version"])
    python_keeps(lab, "import mmap; m = mmap.mmap(-1, 8 << 30); m[0] = 1")


def test_process_priority_and_affinity_as_outside(lab):
    keeps(lab, ["sh", "-c", "nice; nice -n 5 nice; taskset -cp $$ | sed s/.*://; umask"], same=True)


def test_errno_of_privileged_calls(lab):
    """Programs that ask for rights they don't have get EPERM, as outside."""
    code = """if True:
        import errno, os, sys
        def result(f, *a):
            try: f(*a); return "ok"
            except OSError as e: return errno.errorcode[e.errno]
        open("f", "w").close(); other = int(sys.argv[1])
        print(result(os.setuid, other), result(os.chown, "f", other, other), result(os.setgroups, [other]))
        """
    if lab.user.uid == 0:   # root inside has no rights over other ids either; outside it has, so there is no control
        assert lab.run([PYTHON, "-c", code, "1000"]).out == "EPERM EPERM EPERM\n"
    else:
        assert python_keeps(lab, code, args=["0"], same=True).out == "EPERM EPERM EPERM\n"


def test_semaphores_and_shared_memory(lab):
    python_keeps(lab, """if True:
        import multiprocessing as m
        m.Semaphore(); m.Lock(); p = m.Pool(2); assert sum(p.map(abs, range(100))) == 4950; p.close()
        from multiprocessing import shared_memory as s
        x = s.SharedMemory(create=True, size=1 << 20); x.buf[0] = 1; x.close(); x.unlink()
        m.set_start_method("forkserver", force=True); q = m.Manager().list([1]); assert q[0] == 1
        """)


def test_shared_memory_is_private_and_large(lab):
    size = lambda run: int(run(["df", "--output=avail", "-k", "/dev/shm"], env={"PATH": PATH}).out.split()[-1])
    outside = size(lab.plain)
    assert size(lab.run) >= min(outside * 9 // 10, 1_000_000)
    left = f"/dev/shm/left-{os.getpid()}-{lab.user.uid}"
    assert shell(lab, f"stat -c %a /dev/shm; ls -A /dev/shm; echo x >{left}").out == "1777\n"
    assert not os.path.exists(left)
    python_keeps(lab, """if True:
        from multiprocessing import shared_memory as s
        x = s.SharedMemory(create=True, size=256 << 20)
        for i in range(0, 256 << 20, 4096): x.buf[i] = 1
        x.close(); x.unlink()
        """)


@pytest.mark.parametrize("path", [
    "meminfo", "cpuinfo", "stat", "loadavg", "uptime", "version", "filesystems", "self/cgroup", "self/mountinfo",
    "self/mounts", "self/maps", "self/limits", "self/status", "self/exe", "sys/kernel/osrelease",
    "sys/kernel/random/uuid", "sys/vm/overcommit_memory", "sys/kernel/pid_max", "sys/fs/file-max",
    "sys/net/core/somaxconn"])
def test_proc_has_what_programs_read(lab, path):
    keeps(lab, ["sh", "-c", f"head -c 100 /proc/{path} >/dev/null"])


def test_processors_memory_and_processes(lab):
    keeps(lab, ["nproc"], same=True)
    keeps(lab, ["sh", "-c", "cat /sys/devices/system/cpu/online; getconf _NPROCESSORS_ONLN"], same=True)
    node_keeps(lab, "const o = require('os');"
                    "process.exit(o.cpus().length > 0 && o.totalmem() > 0 && o.loadavg().length == 3 ? 0 : 1)")
    keeps(lab, ["sh", "-ec", "for p in 'ps -e' lscpu free df; do $p >/dev/null; done; test -e /proc/$$/exe"])


def test_other_processes_environment_is_closed(lab):
    with started(lab, ["sleep", "30"], boxed=False) as victim:
        assert lab.plain(["cat", f"/proc/{victim.pid}/environ"]).code == 0
        # the number may be taken inside only by a process of the box
        result = shell(lab, f"cat /proc/{victim.pid}/cmdline | tr '\\0' ' '")
        assert "sleep" not in result.out, result
