"""Two boxes in one workspace: the end of one, by itself or by SIGKILL, does not unmask or disturb the other."""
import subprocess
import time

import pytest

from hosts import MARKER, STATE, State, difference, normal
from survivors import Watch


class Waiting:
    """A box that tells its state, waits for a line, and tells it again."""

    SCRIPT = ': >$3; sh -c "$0" sh "$1" "$2"; echo half; read line; sh -c "$0" sh "$1" "$2"; echo end'

    def __init__(self, lab, state, name):
        argv = [lab.pinfold, "run", "--workspace", lab.ws, "--read", state.granted, "--", "sh", "-c", self.SCRIPT,
                f"exec 2>&1\n{STATE}", state.granted, state.hidden, name]
        self.started = subprocess.Popen(lab.user.argv(argv), cwd=lab.ws, env=lab.environment(), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.first = normal("".join(iter(self.started.stdout.readline, "half\n")))
        assert "text of granted" in self.first and "text of hidden" not in self.first, self.first

    def kill(self):
        self.started.kill()
        self.started.communicate()

    def finish(self):
        """The state told after the wait, when nothing went wrong."""
        out, err = self.started.communicate("go\n", timeout=20)
        assert self.started.returncode == 0 and err == "" and out.endswith("end\n"), (self.started.returncode, out, err)
        return normal(out.removesuffix("end\n"))


@pytest.mark.parametrize("victim", [0, 1])
@pytest.mark.parametrize("how", ["kill", "finish"])
def test_one_ends_the_other_holds(lab, victim, how):
    state = State(lab)
    with Watch(lab) as watch:
        boxes = [Waiting(lab, state, name) for name in ("one", "two")]
        assert (lab.ws / "one").exists() and (lab.ws / "two").exists(), "both write to the workspace"
        gone, stays = boxes[victim], boxes[1 - victim]
        mine = watch.alive()
        getattr(gone, how)()
        time.sleep(0.2)
        assert watch.alive() < mine, "control: something of the first has ended"
        assert stays.started.poll() is None, "the other box ended too"
        second = stays.finish()
        assert second == stays.first, difference(stays.first, second)
        assert not [p for p in watch.problems() if "HOLE" in p]


def test_many_at_once(lab):
    """Started and killed at once: those that are left all tell the same as one alone."""
    state = State(lab)
    with Watch(lab) as watch:
        boxes = [Waiting(lab, state, f"{MARKER}-{n}") for n in range(8)]
        for box in boxes[::2]:
            box.kill()
        for box in boxes[1::2]:
            second = box.finish()
            assert second == box.first, difference(box.first, second)
        assert not [p for p in watch.problems() if "HOLE" in p]
