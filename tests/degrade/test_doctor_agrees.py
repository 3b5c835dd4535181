"""doctor against reality: on each host that the tests can make adverse, `pinfold run -- true` and `pinfold doctor` are
started under the same conditions, and must say the same: whether it starts, which step it fails at. What doctor names as
the mend is carried out where a test can do that, and then it must start."""
import contextlib
import json
import os
import re
import signal
import subprocess
import time

import pytest

from harness import Result, User
from core_pattern import core_pattern
from hosts import assert_refused, degraded, in_box, limited, namespace
from test_hosts import COMBINATIONS, LIMITS, MOUNTS, limited_by
from test_refusals import NO_NAMESPACES
from test_steps import WHOLE, root_and_one

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="setting up this host needs root")

POWERLESS = ",".join(f"{call}=EPERM" for call in ("mount", "fsopen", "fsconfig", "fsmount", "open_tree", "move_mount",
                                                  "mount_setattr"))

# What must stand in the cause and in the mend. The step is what run's refusal says as "can't ...".
FILTERED = {
    "namespaces refused": (NO_NAMESPACES[0], "user-namespace", "seccomp filter"),
    "namespaces used up": (NO_NAMESPACES[1], "user-namespace", r"sysctl -w user\.max_user_namespaces=\d+$"),
    "nested too deep": (NO_NAMESPACES[4], "user-namespace", "32 deep"),
    "powerless": (POWERLESS, "id-mapped-mounts|mounts", "seccomp filter|ordinary user"),
    "landlock absent": ("landlock_create_ruleset=ENOSYS", "landlock", "seccomp filter"),
    "landlock disabled": ("landlock_create_ruleset=EOPNOTSUPP", "landlock", "lsm="),
    "landlock refused": ("landlock_restrict_self=EPERM", "landlock", "seccomp filter"),
    "seccomp refused": ("seccomp-filter=EINVAL", "seccomp", "seccomp filter"),
    "seccomp without memory": ("seccomp-filter=ENOMEM", "seccomp", "memory"),
    "pivot_root": ("pivot_root=EPERM", "pivot-root", "seccomp filter"),
    "keyring": ("keyctl=EPERM", "keyring", "seccomp filter"),
    "key quota": ("keyctl=EDQUOT", "keyring", r"sysctl -w kernel\.keys\."),
    "close_range": ("close_range=ENOSYS", "descriptors", "seccomp filter"),
    "open files": ("pipe2=EMFILE,pipe=EMFILE", "life-pipe", "^ulimit -n"),
    "processes": ("clone3=EAGAIN,clone=EAGAIN,fork=EAGAIN,vfork=EAGAIN", "relay|user-namespace", "^ulimit -u"),
    "verify": ("mkdir=EACCES", "verify", "report this"),
}


def doctor(lab, *options, inner=(), outer=(), user=None, **more):
    argv = [*outer, *(user or lab.user).argv([*inner, lab.pinfold, "doctor", *options])]
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("cwd", lab.ws)
    done = subprocess.run([os.fspath(a) for a in argv], env=lab.environment(more.pop("env", None)), text=True,
                          errors="surrogateescape", stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20, **more)
    return Result(done)


def agree(lab, **host):
    """Run and doctor under the same conditions; returns what doctor told, or None where pinfold can't even begin."""
    ran = in_box(lab, command=["true"], **host)
    place = ["--workspace", lab.ws]
    told, words = doctor(lab, "--json", *place, **host), doctor(lab, *place, **host)
    assert told.code == ran.code == words.code, f"run: {ran}\ndoctor: {words}"
    if not told.out:   # pinfold could not protect itself, whatever it was to do
        assert ran.code == 126 and told.err == ran.err and words.out == "", (ran, told)
        return None
    report, first = json.loads(told.out), words.out.splitlines()[0]
    states = {name: one["state"] for name, one in report["guarantees"].items()}
    assert told.err == words.err == "" and report["status"] == ran.code
    where = re.compile(r"\(.*?\)")   # two processes may meet the same lack, and either may be the first to say so
    assert where.sub("", first) == where.sub("", report["verdict"])
    if ran.code == 0:
        assert set(states.values()) == {"held"} and report["missing"] == [] and report["complete"], report
        assert report["starts"] and report["cause"] is None and "every guarantee is held" in first, report
    else:
        assert not report["starts"], report
    if ran.code == 126:
        cause = [one for one in report["missing"] if one["step"] == report["cause"]]
        assert cause, f"the cause is not among what is missing: {report}"
        assert f"can't {cause[0]['cannot']} (" in ran.err and f"can't {cause[0]['cannot']} (" in first, (ran, report)
        assert "held" not in states.values() or report["complete"], report
        for one in report["missing"]:
            assert one["mend"]["text"] and one["mend"]["text"] in words.out, one
            assert one["guarantees"] and all(states[name] != "held" or one["no_box"] for name in one["guarantees"]), one
    return report


def named(report, step, mend):
    """The missing step that is the cause, with a mend that says this."""
    assert re.fullmatch(step, report["cause"]), report["cause"]
    cause = next(one for one in report["missing"] if one["step"] == report["cause"])
    assert re.search(mend, cause["mend"]["text"]), cause
    return cause


def test_an_undisturbed_host(lab):
    report = agree(lab)
    assert report["status"] == 0 and report["workspace"] == os.fspath(lab.ws) and not report["temporary"]


@pytest.mark.parametrize("host", FILTERED, ids=[name.replace(" ", "-") for name in FILTERED])
def test_filtered_hosts(lab, host):
    rules, step, mend = FILTERED[host]
    named(agree(lab, inner=degraded(rules)), step, mend)


@root_and_one
@pytest.mark.parametrize("rules", WHOLE.values(), ids=[name.replace(" ", "-") for name in WHOLE])
def test_a_step_that_always_fails(lab, rules):
    agree(lab, inner=degraded(rules))


@only_root
@pytest.mark.parametrize("mounts", MOUNTS)
def test_mounts_of_the_host(lab, mounts):
    agree(lab, outer=namespace(MOUNTS[mounts](lab)))


@only_root
def test_a_full_disk(lab):
    full = f"mount -t tmpfs -o size=64k,mode=777 none {lab.ws}; dd if=/dev/zero of={lab.ws}/fill bs=4k || true"
    assert agree(lab, outer=namespace(full))["status"] == 0


@pytest.mark.parametrize("limit", [one for one in LIMITS if not re.match("nproc=[235]", one)])   # counts what others start
def test_small_limits(lab, limit):
    agree(lab, inner=limited_by(limit))


@root_and_one
@pytest.mark.parametrize("closed", COMBINATIONS, ids=lambda c: "-".join(map(str, c)))
def test_closed_descriptors(lab, closed):
    """Where standard output is closed there is nobody to be told: the status says it."""
    inner = ["sh", "-c", 'exec "$@" ' + " ".join(f"{n}{'<' if n == 0 else '>'}&-" for n in closed), "sh"]
    ran, told = in_box(lab, command=["true"], inner=inner), doctor(lab, inner=inner)
    assert told.code == ran.code, (ran, told)
    assert told.out.startswith("the default policy starts here") or 1 in closed, told


@only_root
@pytest.mark.parametrize("mask", ["mount --bind /dev/null /proc/interrupts", "mount -t tmpfs -o ro none /proc/tty",
                                  "mount --bind /proc/sys /proc/sys; mount -o remount,bind,ro /proc/sys"])
def test_a_masked_proc_and_its_mend(lab, mask):
    cause = named(agree(lab, outer=namespace(mask)), "proc", "^umount /proc/")
    assert cause["no_box"] and cause["mend"]["kind"] == "root"
    assert agree(lab, outer=namespace(f"{mask}; {cause['mend']['text']}"))["status"] == 0


@only_root
@pytest.mark.parametrize("kind", ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"])
def test_a_limit_of_namespaces_and_its_mend(lab, kind):
    """In a user namespace of its own, where the limit can be set; root has nothing there to be mapped to."""
    limit, step = f"max_{kind}_namespaces", {"mnt": "mount"}.get(kind, kind)
    report = agree(lab, outer=limited(limit, 0))
    missing = {one["step"]: one for one in report["missing"]}
    mend = missing[f"{step}-namespace"]["mend"]
    assert mend["kind"] == "root" and re.fullmatch(rf"sysctl -w user\.{limit}=\d+", mend["text"]), mend
    assert report["cause"] == f"{step}-namespace" or lab.user.uid == 0, report
    mended = agree(lab, outer=[*limited(limit, 0), "sh", "-c", f'{mend["text"]} >/dev/null && exec "$@"', "sh"])
    if lab.user.uid:
        assert mended["status"] == 0, mended
        return
    named(mended, "id-mapped-mounts", "as an ordinary user")


@only_root
def test_all_that_is_missing_is_found_at_once(lab):
    rules = "keyctl=EPERM,landlock_create_ruleset=ENOSYS,seccomp-filter=EINVAL"
    report = agree(lab, outer=limited("max_net_namespaces", 0), inner=degraded(rules))
    found = {one["step"] for one in report["missing"]}
    assert {"keyring", "landlock", "seccomp", "net-namespace"} <= found and report["complete"], report
    alone = agree(lab, inner=degraded(f"{NO_NAMESPACES[0]},{rules}"))   # no box at all: the inner half by itself
    assert {one["step"] for one in alone["missing"]} == {"user-namespace", "keyring", "landlock", "seccomp"}, alone
    states = {name: one["state"] for name, one in alone["guarantees"].items()}
    assert not alone["complete"] and states["kernel-surface"] == states["ipc"] == "missing", states
    assert states["environment"] == states["process"] == "unknown", states


def mended_by_a_shell(lab, soft, mend):
    """Below a soft limit, what is named is typed into the caller's shell."""
    report = agree(lab, inner=["prlimit", soft])
    cause = next(one for one in report["missing"] if one["step"] == report["cause"])
    assert cause["mend"] == {"kind": "shell", "text": mend}, cause
    shell = ["prlimit", soft, "bash", "-c", f'{mend} && exec "$@"', "bash"]
    assert agree(lab, inner=shell)["status"] == 0


def test_few_open_files_and_the_mend(lab):
    mended_by_a_shell(lab, "--nofile=9:4096", "ulimit -n 1024")


def test_few_processes_and_the_mend(lab):
    if lab.user.uid:   # root is not bound by it
        mended_by_a_shell(lab, "--nproc=1:8192", "ulimit -u 4096")


@only_root
def test_a_file_system_without_mapped_owners_and_its_mend(lab):
    """overlayfs can't map owners, which only a root caller needs."""
    layers = "mkdir /mnt/lower /mnt/upper /mnt/work; chmod 777 /mnt/lower /mnt/upper"
    host = namespace(f"mount -t tmpfs none /mnt; {layers}; mount -t overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,"
                     f"workdir=/mnt/work none {lab.ws}; chmod 777 {lab.ws}")
    report = agree(lab, outer=host)
    if lab.user.uid == 0:
        cause = named(report, "id-mapped-mounts", f"^run pinfold as an ordinary user, or move {lab.ws} to ext4")
        assert cause["guarantees"] == ["privilege"] and report["caller"]["root"] == "root-kept"
        assert report["guarantees"]["privilege"]["state"] == "missing" and report["complete"]
        report = json.loads(doctor(lab, "--json", outer=host, user=User(1000)).out)
    assert report["status"] == 0, report


@only_root
def test_a_core_handler_and_its_mend(lab):
    """A hard core limit of 0 can't be raised to the 1 that keeps the kernel from starting a handler."""
    none = ["prlimit", "--core=0:0"]
    with core_pattern("|/bin/false"):
        named(agree(lab, inner=none), "limits", r"^sysctl -w kernel\.core_pattern=core$")
        warnings = {one["name"] for one in agree(lab)["warnings"]}
        assert "core-pattern" in warnings
    with core_pattern("core"):
        assert agree(lab, inner=none)["status"] == 0


CHROOT = "mount --rbind / /mnt; set -- chroot /mnt \"$@\""


@only_root
def test_a_chroot(lab):
    back = ["sh", "-c", 'cd "$0" && exec "$@"', lab.ws]
    report = agree(lab, inner=back, outer=namespace(CHROOT))
    named(report, "user-namespace", "outside the chroot")
    assert report["host"]["kind"] == "chroot", report["host"]
    assert agree(lab, inner=back, outer=namespace("mount --rbind / /mnt"))["status"] == 0


# A container as Docker makes it by default: namespaces, a masked /proc, a filter, few capabilities.
MASKED = "mount -t proc proc /proc; mount --bind /dev/null /proc/interrupts; mount -t tmpfs -o ro none /proc/tty"
PROFILE = "clone3=ENOSYS,clonens=EPERM,unsharens=EPERM,keyctl=EPERM,add_key=EPERM,request_key=EPERM,mount=EPERM," \
          "pivot_root=EPERM,umount2=EPERM"
FEW = ["setpriv", "--bounding-set=-all,+chown,+dac_override,+setuid,+setgid,+kill,+net_bind_service,+setpcap"]


def contained(script):
    quiet = f'{{ {script}; }} >/dev/null 2>&1\nexec "$@"'
    return ["unshare", "--mount", "--pid", "--fork", "--ipc", "--uts", "--cgroup", "--propagation", "private", "sh",
            "-ec", quiet, "sh"]


@only_root
def test_a_docker_like_profile(lab):
    host = {"outer": contained(MASKED), "inner": [*(FEW if lab.user.uid == 0 else []), *degraded(PROFILE)]}
    report = agree(lab, **host)
    assert report["host"]["docker_like"] and "with a Docker-like profile" in report["host"]["words"], report["host"]
    sources = " ".join(one["source"] for one in report["host"]["evidence"])
    assert "Seccomp" in sources and "mountinfo" in sources and "/proc/self/ns/pid" in sources, sources
    assert {one["step"] for one in report["missing"]} >= {"user-namespace", "keyring"}, report["missing"]
    named(report, "user-namespace", r"docker run --security-opt seccomp=unconfined.* --security-opt systempaths=unc")
    assert agree(lab, outer=contained("mount -t proc proc /proc"))["status"] == 0   # unconfined


MANAGERS = {
    "podman": ("echo rootless=1 >/run/.containerenv", "Podman container, rootless", "podman run .*unmask=ALL"),
    "systemd-nspawn": ("mkdir /run/systemd; echo systemd-nspawn >/run/systemd/container", "systemd-nspawn container",
                       "systemd-nspawn"),
    "kubernetes": ("mkdir -p /run/secrets/kubernetes.io/serviceaccount", "Kubernetes pod", "procMount: Unmasked"),
    "lxc": ("mkdir -p /run/systemd; echo lxc >/run/systemd/container", "LXC container", "security.nesting=true"),
    "docker": ("mkdir -p /run/host; echo docker >/run/host/container-manager", "Docker container",
               "docker run .*systempaths=unconfined"),
}


@only_root
@pytest.mark.parametrize("manager", MANAGERS)
def test_containers_that_name_themselves(lab, manager):
    files, words, mend = MANAGERS[manager]
    report = agree(lab, outer=namespace(f"mount -t tmpfs none /run; chmod 755 /run; {files}; "
                                        "mount --bind /dev/null /proc/interrupts"))
    assert report["host"]["kind"] == manager and report["host"]["words"].startswith(words), report["host"]
    assert named(report, "proc", mend)["mend"]["kind"] == "container"


@only_root
def test_a_user_namespace_and_a_service(lab):
    report = agree(lab, outer=limited("max_net_namespaces", 100))
    assert report["host"]["kind"] == "user-namespace", report["host"]
    words = json.loads(doctor(lab, "--json", env={"GITHUB_ACTIONS": "true"}).out)["host"]
    assert words["ci"] == "GitHub Actions" and words["words"].endswith(", in GitHub Actions"), words


def folders_of(lab):
    """The folders of a doctor that runs as this user now."""
    found = []
    for place in ("/tmp", "/var/tmp"):
        for name in os.listdir(place):
            path = os.path.join(place, name)
            with contextlib.suppress(FileNotFoundError):
                if name.startswith("pinfold-doctor-") and os.stat(path).st_uid == lab.user.uid:
                    found.append(path)
    return found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGALRM])
def test_a_signal_leaves_no_folder(lab, number):
    """In a folder that can't be a workspace; the launch is held up, and pinfold ended meanwhile."""
    argv = lab.user.argv([*degraded("pivot_root=delay:2000"), lab.pinfold, "doctor", "--json"])
    with subprocess.Popen(argv, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          env=lab.environment(), text=True) as started:
        deadline = time.monotonic() + 5
        while not folders_of(lab):   # this one's, or another test's: then the wait below is what counts
            assert time.monotonic() < deadline, "no folder was made"
            time.sleep(0.01)
        time.sleep(0.4)
        started.send_signal(number)
        told = json.loads(started.communicate(timeout=10)[0])
    assert started.returncode == 125 and "interrupted by a signal" in told["instead"], told
    assert told["temporary"] and not os.path.exists(told["workspace"]), told


def test_refusals_look_as_they_did(lab):
    """What doctor shares with run did not change run: it still refuses in one line."""
    assert_refused(lab, in_box(lab, inner=degraded(NO_NAMESPACES[0])), "user namespace")
