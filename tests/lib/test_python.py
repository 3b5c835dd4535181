"""examples/pinfold.py, the module for Python: every function of the library by way of it, as each user."""
import json
import os

import pytest

from library import python

HAVE = "subprocess.run([%r, '--help'], capture_output=True, text=True).stdout"


def told(result):
    assert result.code == 0 and result.err == "", result
    return json.loads(result.out)


def test_run(lab):
    seen = told(python(lab, """
import json
done = program.run(["sh", "-c", "cat; echo err >&2; echo $FOO; pwd; exit 4"], b"in\\n", variables={"FOO": "a b", "X": ""},
                   timeout=30)
print(json.dumps([done.stdout.decode(), done.stderr.decode(), done.result.exit, done.result.outcome, done.result.confined,
                  done.result.error, done.result.ok, done.result.receipt["exit"], done.result.receipt["environment"]]))
"""))
    environment = seen.pop()
    assert seen == [f"in\na b\n{lab.ws}\n", "err\n", 4, "exited", "full", "", False, 4]
    assert "FOO" in json.dumps(environment)


def test_values_of_variables_are_not_in_an_argument_list(lab):
    seen = told(python(lab, """
import json, pathlib, os, time
with program.start(["sleep", "60"], variables={"TOKEN": "s3cret"}, environment={"PATH": os.environ["PATH"], "LD_X": "y"}) as box:
    child = pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()[0]
    time.sleep(0.2)   # it gives itself its name
    words = pathlib.Path(f"/proc/{child}/cmdline").read_text()
    name = pathlib.Path(f"/proc/{child}/comm").read_text()
print(json.dumps(["s3cret" in words, "TOKEN" in words, name]))
"""))
    assert seen == [False, True, "pinfold\n"]


@pytest.mark.parametrize("arguments, status, outcome, error", [
    (["no-such-command"], 127, "not-found", "No such file"), (["/etc/passwd"], 126, "not-executable", "denied"),
    (["sh", "-c", "kill -9 $$"], 137, "signalled", ""), (["sleep", "60"], 124, "timeout", "")])
def test_ends(lab, arguments, status, outcome, error):
    seen = told(python(lab, f"""
import json
result = program.run({arguments!r}, timeout=0.3 if {outcome!r} == "timeout" else None).result
print(json.dumps([result.exit, result.outcome, result.error, result.receipt["outcome"], result.confined]))
"""))
    assert error in seen.pop(2) and seen == [status, outcome, outcome, "full"]


def test_a_wrong_run_is_told(lab):
    """What only pinfold can know is in the result; what the library knows is an error; nothing starts."""
    seen = told(python(lab, """
import json
result = program.run(["touch", "mark"], workspace="/").result
said = [[result.exit, result.outcome, result.confined, result.error]]
for options in ({"folder": "/no-such"}, {"folder": "/etc/passwd"}, {"stdout": 99}, {"variables": {"": "x"}},
                {"descriptors": {2: 1}}, {"descriptors": {256: 1}}, {"descriptors": {3: -1}},
                {"descriptors": {n: 1 for n in range(3, 40)}}):
    try:
        program.start(["touch", "mark"], **options)
    except pinfold.Error as error:
        said.append([error.status, str(error)])
for words in ([], ["x" * 3000000]):
    try:
        program.start(words)
    except pinfold.Error as error:
        said.append([error.status, str(error)])
print(json.dumps(said))
"""))
    assert seen.pop(0)[:3] == [125, "usage", "not-started"] and not (lab.ws / "mark").exists()
    words = ["not there", "not a folder", "99 is not open", "NAME=VALUE", "number 2", "number 256", "-1 is not open",
             "at most 32", "no command", "too large"]
    assert len(seen) == len(words) and all(s == 125 and w in text for (s, text), w in zip(seen, words)), seen


def test_a_folder_that_may_not_be_entered(lab):
    """It can be opened by its path, and is told as the folder that it is, not as a fault of the program."""
    closed = lab.outside / "closed"
    closed.mkdir()
    lab.own(closed)
    closed.chmod(0)
    seen = told(python(lab, f"""
import json
try:
    said = [0, program.run(["true"], folder={str(closed)!r}, workspace={str(lab.ws)!r}).result.error]
except pinfold.Error as error:
    said = [error.status, str(error)]
print(json.dumps(said))
"""))
    if lab.user.uid == 0:
        assert seen[0] == 0   # root may enter it; whether it is in a root of the box is pinfold's to say
    else:
        assert seen[0] == 125 and str(closed) in seen[1] and "enter it" in seen[1], seen


def test_words_that_c_would_take_for_others(lab):
    """A NUL ends a string in C, a text is a sequence of its letters, a name ends at its first =."""
    seen = told(python(lab, """
import json
said = []
for words, options in ((["touch", "mark\\0x"], {}), ("touch", {}), (b"touch", {}), (["true"], {"folder": "/usr\\0x"}),
                       (["true"], {"workspace": "/usr\\0x"}), (["true"], {"profile": "default\\0x"}),
                       (["true"], {"variables": {"A": "b\\0c"}}), (["true"], {"variables": {"A=B": "c"}})):
    try:
        said.append(program.run(words, **options).result.outcome)
    except (TypeError, ValueError) as error:
        said.append(type(error).__name__)
try:
    program.policy_file("/etc/passwd\\0x")
except (ValueError, pinfold.Error) as error:
    said.append(type(error).__name__)
print(json.dumps(said))
"""))
    assert seen == ["ValueError", "TypeError", "TypeError"] + ["ValueError"] * 6
    assert not (lab.ws / "mark").exists()


def test_descriptors(lab):
    """A pipe is 5 inside, whatever it is outside; none but those given is there."""
    seen = told(python(lab, """
import json, os
read, write = os.pipe()
os.set_inheritable(os.dup(read), True)   # the host's own, which a careless program would hand on
done = program.run(["sh", "-c", "echo by five >&5; ls /proc/self/fd"], descriptors={5: write})
os.close(write)
print(json.dumps([done.stdout.decode().split()[:5], os.read(read, 100).decode(), os.read(read, 1).decode()]))
"""))
    assert seen == [["0", "1", "2", "3", "5"], "by five\n", ""]


def test_kill_and_wait(lab):
    seen = told(python(lab, """
import json, signal, time, os
said = []
read, write = os.pipe()
with program.start(["sh", "-c", "trap 'exit 3' USR1; echo up; while :; do sleep 0.02; done"], stdout=write) as box:
    os.read(read, 1)
    said += [box.wait(0.1), box.result, box.kill(signal.SIGUSR1), box.wait(20), box.result.exit, box.kill()]
said.append(box.result.exit)
since = time.monotonic()
with program.start(["sleep", "60"]) as box:
    pass
said.append(time.monotonic() - since < 10)
for number in (0, 65, -1):
    with program.start(["true"]) as box:
        try:
            box.kill(number)
        except OSError as error:
            said.append(error.errno)
print(json.dumps(said))
"""))
    assert seen == [False, None, True, True, 3, False, 3, True, 22, 22, 22]


def test_asyncio(lab):
    """Many at once, one awaited twice, one given up."""
    seen = told(python(lab, """
import asyncio, json, os, time
async def main():
    boxes = [program.start(["sh", "-c", f"sleep 0.3; exit {n}"]) for n in range(6)]
    since = time.monotonic()
    results = await asyncio.gather(*boxes, boxes[0])
    took = time.monotonic() - since
    slow = program.start(["sleep", "60"])
    try:
        await asyncio.wait_for(slow, 0.1)
    except asyncio.TimeoutError:
        slow.kill()
    done = await asyncio.gather(*[program.run_async(["cat"], str(n).encode()) for n in range(4)])
    return [result.exit for result in results], took < 3, (await slow).exit, [one.stdout.decode() for one in done]
before = len(os.listdir("/proc/self/fd"))
seen = asyncio.run(main())
print(json.dumps([*seen, len(os.listdir("/proc/self/fd")) - before]))
"""))
    assert seen == [[0, 1, 2, 3, 4, 5, 0], True, 137, ["0", "1", "2", "3"], 0]


def test_explain(lab):
    seen = told(python(lab, """
import json
plan = program.explain(["true"], timeout=5)
try:
    program.explain(["true"], workspace="/")
except pinfold.Error as error:
    said = [error.status, error.plan]
print(json.dumps([plan["workspace"], plan["limits"], len(plan["guarantees"]), *said]))
"""))
    assert seen[0] == os.fspath(lab.ws) and 5000 in seen[1].values() and seen[2] > 10 and seen[3:] == [125, None]


def test_explain_of_a_host_that_lacks_something(lab):
    """126 with the plan: the program is stood in for by one that answers so."""
    program = lab.file(lab.outside / "lacking", "#!/bin/sh\necho '{\"guarantees\": {}}'\n"
                       "printf 'pinfold-report 1\\nerror refused: no\\nexit 126\\n' >&${2#fd:}\nexit 126\n", 0o755)
    seen = told(python(lab, f"""
import json, os
other = pinfold.Pinfold({os.fspath(program)!r}, program._library._name)
try:
    other.explain(["true"])
except pinfold.Error as error:
    print(json.dumps([error.status, str(error), error.plan]))
"""))
    assert seen == [126, "refused: no", {"guarantees": {}}]


@pytest.mark.parametrize("script", ["exit 0", "echo '{}'; exit 0", "printf 'pinfold-report 2\\nexit 0\\n' >&${2#fd:}",
                                    "printf 'pinfold-report 1\\nexit 0' >&${2#fd:}", "kill -9 $$",
                                    "printf 'pinfold-report 1\\nexit 300\\n' >&${2#fd:}"])
def test_a_program_without_a_report_is_believed_nothing(lab, script):
    program = lab.file(lab.outside / "silent", f"#!/bin/sh\n{script}\n", 0o755)
    seen = told(python(lab, f"""
import json
other = pinfold.Pinfold({os.fspath(program)!r}, program._library._name)
result = other.run(["true"]).result
said = [result.exit, result.outcome, result.confined, result.receipt, "could not tell" in result.error]
try:
    other.explain(["true"])
except pinfold.Error as error:
    said += [error.status, "without an answer" in str(error)]
print(json.dumps(said))
"""))
    assert seen == [137, "killed", "unknown", None, True, 126, True]


CHECKER = r"""#!/usr/bin/python3
import fcntl, os, sys
report, policy = (int(word[3:]) for word in (sys.argv[2], sys.argv[4]))
assert sys.argv[3] == "check" and fcntl.fcntl(policy, 1034) == 15   # F_GET_SEALS: all of them
text = os.read(policy, 1 << 21)
assert sorted(map(int, os.listdir("/proc/self/fd")))[:3] == [0, 1, 2]
wrong = b"wrong" in text
os.write(report, b"pinfold-report 1\n" + (b"error fd:%d:2:5: unknown key; see fd:%d:\n" % (policy, policy) if wrong else b"")
         + b"exit %d\n" % (125 if wrong else 0))
"""


def test_policies_travel_sealed_and_errors_have_their_name(lab):
    program = lab.file(lab.outside / "checker", CHECKER, 0o755)
    good, bad = lab.file(lab.outside / "good.json", "{}"), lab.file(lab.outside / "bad.json", "wrong")
    seen = told(python(lab, f"""
import json, os
other = pinfold.Pinfold({os.fspath(program)!r}, program._library._name)
other.policy("{{}}"), other.policy({{"read": []}}), other.policy_file({os.fspath(good)!r}), other.policy("")
said = []
for make in (lambda: other.policy("wrong", "harness"), lambda: other.policy(b"wrong"),
             lambda: other.policy_file({os.fspath(bad)!r}), lambda: other.policy(b" " * (1 << 20) + b" "),
             lambda: other.policy_file("/no-such"), lambda: other.policy_file("/etc"), lambda: other.policy_file("/dev/zero")):
    try:
        said.append([0, make()])
    except pinfold.Error as error:
        said.append([error.status, str(error)])
print(json.dumps(said))
"""))
    assert [status for status, _ in seen] == [125] * 7, seen
    starts = ["harness:2:5: unknown key", "policy:2:5:", f"{bad}:2:5:", "policy: larger", "/no-such: No such", "/etc: not a",
              "/dev/zero: not a"]
    assert all(text.startswith(start) for (_, text), start in zip(seen, starts)), seen


def test_policy(lab):
    """The program's own check, and a run with the policy."""
    seen = told(python(lab, """
import json
said = []
for text in ('{"env": ["GIVEN"]}', '{"env": ["GIVEN"],\\n "raed": []}'):
    try:
        policy = program.policy(text, "harness")
        done = program.run(["sh", "-c", "echo $GIVEN"], policy=policy, environment={"PATH": "/usr/bin:/bin", "GIVEN": "yes"})
        said.append([done.result.exit, done.stdout.decode(), done.result.error])
    except pinfold.Error as error:
        said.append([error.status, str(error)])
print(json.dumps(said))
"""))
    assert seen[0] == [0, "yes\n", ""] and seen[1][0] == 125 and seen[1][1].startswith("harness:2:2:"), seen


def test_doctor(lab):
    seen = told(python(lab, """
import json
try:
    print(json.dumps([0, program.doctor()["starts"]]))
except pinfold.Error as error:
    print(json.dumps([error.status, str(error)]))
"""))
    assert seen == [0, True], seen


@pytest.mark.parametrize("starts", [True, False])
def test_doctor_answers(lab, starts):
    """The program is stood in for."""
    status = 0 if starts else 126
    error = "" if starts else "error refused\\n"
    program = lab.file(lab.outside / "doctor", "#!/bin/sh\n[ \"$3 $4\" = 'doctor --json' ] && echo '{\"host\": 1}'\n"
                       f"printf 'pinfold-report 1\\n{error}exit {status}\\n' >&${{2#fd:}}\n", 0o755)
    seen = told(python(lab, f"""
import json
print(json.dumps(pinfold.Pinfold({os.fspath(program)!r}, program._library._name).doctor()))
"""))
    assert seen == {"host": 1, "starts": starts}


@pytest.mark.parametrize("case, status, word", [
    ("pinfold", 125, "not absolute"), ("/no/such", 126, "not there"), ("/etc", 126, "not a program"),
    ("/etc/passwd", 126, "not a program"), ("writable", 126, "others"), ("set-id", 126, "set-user-ID"),
    ("foreign", 126, "others")])
def test_programs_that_are_not_opened(lab, case, status, word):
    path = case
    if "/" not in case and case != "pinfold":
        path = os.fspath(lab.file(lab.outside / case, "#!/bin/sh\n", 0o775 if case == "writable" else 0o755))
        if case == "set-id":
            os.chmod(path, 0o4755)   # which a change of the owner took away
        if case == "foreign":
            if os.geteuid() != 0:
                return
            os.chown(path, 12345, 12345)
    seen = told(python(lab, f"""
import json
try:
    pinfold.Pinfold({path!r}, program._library._name)
except pinfold.Error as error:
    print(json.dumps([error.status, str(error)]))
"""))
    assert seen[0] == status and word in seen[1] and path in seen[1]


def test_nothing_of_the_environment_leads_elsewhere(lab):
    """No variable names another program, policy or layer."""
    fake = lab.file(lab.outside / "bin" / "pinfold", "#!/bin/sh\ntouch mark\n", 0o755)
    variables = {name: os.fspath(fake) for name in ("PINFOLD", "PINFOLD_PROGRAM", "PINFOLD_PATH", "PINFOLD_BIN")}
    variables["PATH"] = f"{fake.parent}:/usr/bin:/bin"
    result = python(lab, """
print(program.run(["true"]).result.confined)
try:
    print(pinfold.Pinfold(None, program._library._name)._handle)
except pinfold.Error as error:
    print("not installed", error)
""", env=variables)
    assert result.out.startswith("full\n") and not (lab.ws / "mark").exists(), result


def test_interrupted_wait(lab):
    """Ctrl-C ends a wait in Python."""
    seen = told(python(lab, """
import json, os, signal, threading, time
with program.start(["sleep", "60"]) as box:
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    since = time.monotonic()
    try:
        box.wait(30)
    except KeyboardInterrupt:
        print(json.dumps(time.monotonic() - since < 10))
"""))
    assert seen is True


def test_path(lab):
    """What the library says of paths is what pinfold path says."""
    lab.file(lab.ws / "a"), lab.file(lab.outside / "b")
    done = python(lab, f"""
words = ["a", b"{lab.outside}/b", "/no/such"]
print([one["verdict"] for one in program.path(words)], [one["verdict"] for one in program.path(["a", "new"], write=True)])
print(program.path(["a"], policy=program.policy('{{"mode": "readonly"}}'), write=True)[0]["grant"])
for wrong in ([], [""]):
    try:
        program.path(wrong)
    except pinfold.Error as problem:
        print(problem.status, problem)
""")
    assert done.out.splitlines() == ["['allowed', 'denied', 'absent'] ['allowed', 'allowed']",
                                     "{'option': '--mode', 'value': 'direct'}",
                                     "125 no path; type pinfold path read FILE...", "125 read: the path is empty"], done
