"""Tracing, memory, descriptors, limits, scheduling and secrets of processes outside or of pid 1: 107 to 110, 113."""
import os

import pytest

TRACE = [["trace_seize", "PID"], ["trace_attach", "PID"], ["memory_read", "PID"], ["memory_write", "PID"],
         ["memory_advise", "PID"], ["descriptor_take", "PID", "1"]]
CHANGE = {"limit_set": ("files", [["16", "16"]]), "priority_set process": ("nice", 7),
          "io_priority_set process": ("io", "idle"), "scheduler_set": ("policy", "3"),
          "scheduler_attributes_set": ("policy", "3"), "affinity_set": ("cpus", None), "pages_migrate": (None, None),
          "pages_move": (None, None)}


def control(lab, words):
    """The control as root for the one call that takes CAP_SYS_NICE (none, where the tests aren't root's), else None:
    the legs do it as the user."""
    if words[0] != "memory_advise":
        return None
    if os.geteuid() != 0:
        return False
    user, lab.user = lab.user, type(lab.user)(0)
    done = lab.plain([lab.attacker, *words])
    lab.user = user
    assert done.verdict == "ok", f"control leg as root: {done}"
    return False


def aimed(words, pid):
    return [str(pid) if word == "PID" else word for word in words]


@pytest.mark.parametrize("words", TRACE, ids=lambda words: words[0])
def test_e107_e108_trace_host_process(lab, stage, words):
    """A process of the same user outside can't be traced, read, written or robbed of a descriptor: it isn't there."""
    first, second = stage.process(), stage.process()
    lab.legs(aimed(words, second.pid), {"ESRCH"}, control_argv=aimed(words, first.pid), witness=second.state,
             without=("landlock", "seccomp"), control=control(lab, aimed(words, first.pid)) is None)


@pytest.mark.parametrize("words", TRACE, ids=lambda words: words[0])
def test_e107_e108_trace_first_process(lab, stage, words):
    """pid 1 of the box is never dumpable and outside the Landlock domain: each alone refuses every way in. For
    process_madvise the kernel's word for that is EACCES."""
    expect = {"EACCES"} if words[0] == "memory_advise" else {"EPERM"}
    outside = aimed(words, stage.process().pid)
    lab.legs(aimed(words, 1), expect, control_argv=outside, without=("landlock", "seccomp"),
             control=control(lab, outside) is None)


def test_e108_compare(lab, stage):
    """kcmp is closed whatever it is aimed at, and a process outside isn't there when it is not closed."""
    first, second = stage.process(), stage.process()
    lab.legs(["process_compare", str(second.pid)], {"EPERM"}, control_argv=["process_compare", str(first.pid)])
    done = lab.run([lab.attacker, "process_compare", str(second.pid)], binary=lab.layers_off,
                   env={"PINFOLD_WITHOUT": "seccomp"})
    assert done.verdict == "ESRCH", done


@pytest.mark.parametrize("name", CHANGE)
def test_e109_limit_or_reschedule_host_process(lab, stage, name):
    """Limits, priorities, CPUs, memory nodes of a process outside stay as they are: it isn't there."""
    first, second = stage.process(), stage.process()
    words = [*name.split(), "PID"]
    before = first.state()
    lab.legs(aimed(words, second.pid), {"ESRCH"}, control_argv=aimed(words, first.pid), witness=second.state,
             without=("landlock", "seccomp"))
    field, value = CHANGE[name]
    if field:
        assert first.state()[field] != before[field], "the control's effect can't be seen"
    if value:
        assert first.state()[field] == value


@pytest.mark.parametrize("name", ["priority_set", "io_priority_set"])
def test_e109_reschedule_by_user(lab, stage, name):
    """`All processes of my user` ends at the box: the same user's processes outside keep their priorities."""
    first = stage.process()
    control = ["/usr/bin/unshare", "-Urpf", "--kill-child", "--mount-proc", "/bin/sh", "-c",
               f'"$0" wait_tagged x >/dev/null & "$0" {name} user 0; nice=$(cut -d" " -f19 /proc/$!/stat); '
               'io=$(ionice -p $!); kill -9 $!; case $nice$io in 7*|*idle) ;; *) echo untouched;; esac', lab.attacker]
    lab.legs([name, "user", str(lab.user.uid)], {"ok"}, control_argv=control, witness=first.state)


@pytest.mark.parametrize("file", ["environ", "cmdline"])
def test_e110_secrets_of_host_processes(lab, stage, file):
    """No process visible inside shows another's environment or arguments: not the host's, not pinfold's own."""
    victim = stage.process({"PINFOLD_TEST_SECRET": "s3cr3t"})
    needle = "s3cr3t" if file == "environ" else victim.tag
    lab.legs(["process_search", file, needle], {"ENOENT"}, without=("landlock", "seccomp"))


def test_e110_callers_environment_through_first_process(lab, stage):
    """What pinfold was started with, dropped for the command, can't be read from pid 1 either. The control reads its
    parent's environment."""
    control = ["/bin/sh", "-c", '"$0" process_search environ s3cr3t', lab.attacker]
    lab.legs(["process_search", "environ", "s3cr3t"], {"ENOENT"}, control_argv=control, without=("landlock",),
             env={"PINFOLD_TEST_SECRET": "s3cr3t"})


def test_e110_only_the_box_is_listed(lab, stage):
    """/proc inside lists pid 1 and the command's own processes and nothing else."""
    listing = ["/bin/sh", "-c", 'for d in /proc/[0-9]*; do echo "${d#/proc/}"; done']
    assert str(stage.process().pid) in lab.plain(listing).out.split(), "control leg"
    done = lab.run(listing)
    assert done.out.split() == ["1", "2"], done


def test_e109_limits_inside_still_work(lab):
    """What a process does to itself and to its children works: limits, nice, affinity, tracing of a child."""
    inside = 'ulimit -n 64; test "$(ulimit -n)" = 64 || exit 1; nice -n 5 true || exit 2; taskset 1 true || exit 3; ' \
             'sleep 9 & "$0" trace_seize $! || exit 4; "$0" limit_set $! || exit 5; kill -9 $!'
    for run in lab.plain, lab.run:
        done = run(["/bin/sh", "-c", inside, lab.attacker])
        assert done.code == 0, done
