"""Random trees of folders, files and symlinks, random paths into them, and what a command in the box meets there."""
import json
import os

NAMES = ("a", "b", "c", "dd", "e e", "n\nl", "x")
ELSEWHERE = ("/etc/passwd", "/etc/shadow", "/usr", "/tmp", "/tmp/q", "/proc/self/root", "/proc/1/root", "/dev/null", "/",
             "/proc/self/cwd", "nowhere", ".", "..", "/run", "/var/lib", "/sys", "/opt/new", "/usr/new")

# Does what `pinfold path` speaks of: reads or lists, writes to what is there, makes what isn't.
DOES = r"""
import errno, json, os, stat, sys

def touch(path):
    try:
        there = os.stat(path)
    except FileNotFoundError:
        there = None
    if there and stat.S_ISDIR(there.st_mode):
        path, there = path.rstrip("/") + "/made-by-the-test", None
    flags = os.O_WRONLY | os.O_NONBLOCK | (0 if there else os.O_CREAT)
    name = path if there else path.rstrip("/")
    os.close(os.open(name, flags, 0o644))
    if not there:
        os.unlink(os.path.realpath(name))

def attempt(act):
    try:
        act()
    except OSError as problem:
        return errno.errorcode[problem.errno]

with open(sys.argv[1], encoding="utf-8") as file:
    paths = json.load(file)
json.dump([(attempt(lambda: os.close(os.open(p, os.O_RDONLY | os.O_NONBLOCK))), attempt(lambda: touch(p)))
           for p in paths], sys.stdout)
"""


class Tree:
    def __init__(self, lab, chance):
        self.chance, self.read = chance, lab.outside / "read"
        self.lab, self.folders = lab, [os.fspath(lab.ws), os.fspath(lab.outside), os.fspath(self.read)]
        self.read.mkdir(), lab.own(self.read)
        for _ in range(60):
            self.make(os.mkdir) and self.folders.append(self.last)
        for _ in range(60):
            self.make(lambda path: os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))) and \
                os.chmod(self.last, chance.choice((0o644, 0o600, 0o444, 0, 0o755)))
        for _ in range(80):
            self.make(lambda path: os.symlink(self.target(), path), "l")
        for folder in self.folders[3:]:
            if chance.random() < 0.1:
                os.chmod(folder, chance.choice((0o555, 0, 0o711, 0o500)))

    def make(self, how, more=""):
        self.last = f"{self.chance.choice(self.folders)}/{self.chance.choice(NAMES)}{more}"
        try:
            how(self.last)
        except OSError:
            return False
        self.lab.own(self.last)
        return True

    def target(self):
        kind = self.chance.random()
        if kind < 0.5:
            return f"{self.chance.choice(self.folders)}/{self.chance.choice(NAMES)}"
        if kind < 0.7:
            return "../" * self.chance.randint(0, 5) + self.chance.choice(NAMES)
        return self.chance.choice(ELSEWHERE)

    def paths(self, count):
        starts = ["", *[f"{folder}/" for folder in self.folders[:3]], "/", "./", "../", "/proc/self/cwd/",
                  f"/proc/self/root{self.folders[0]}/"]
        parts = [*NAMES, *[f"{name}l" for name in NAMES], "..", ".", "etc", "usr", "tmp", "var", "proc", "dev", "null",
                 "passwd", "shadow", "lib", "q"]
        found = []
        for _ in range(count):
            start = self.chance.choice(starts) if self.chance.random() < 0.6 else f"{self.chance.choice(self.folders)}/"
            names = [self.chance.choice(parts) for _ in range(self.chance.choice((0, 1, 1, 1, 2, 2, 3, 5)))]
            found.append((start + "/".join(names) + self.chance.choice(("", "", "", "", "/"))) or ".")
        return found


def in_the_box(lab, paths, folder, options):
    """[(errno's name or None of reading, the same of writing)] for each path, by a command in the box."""
    file = lab.file(folder / "paths.json", json.dumps(paths))
    result = lab.run(["/usr/bin/python3", "-c", DOES, file], *options, timeout=120)
    assert result.code == 0 and result.err == "", result
    return json.loads(result.out)
