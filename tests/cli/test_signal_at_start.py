"""A signal at any moment of a launch: "nothing was started" is said only when nothing was."""
import os
import random
import signal
import subprocess
import time

import pytest


def whole_run(lab, argv):
    """How long an undisturbed run takes here and now, in seconds: how fast the machine is doesn't matter."""
    began = time.monotonic()
    for _ in range(3):
        subprocess.run(argv, cwd=lab.ws, env=lab.environment(), stdin=subprocess.DEVNULL, check=True, timeout=60)
        (lab.ws / "marked").rmdir()
    return (time.monotonic() - began) / 3


@pytest.mark.parametrize("count", [20, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_refusal_is_the_truth(lab, number, count):
    seed = os.environ.get("PINFOLD_SEED") or str(random.randrange(1 << 32))
    print(f"seed: PINFOLD_SEED={seed}")
    moments, codes = random.Random(f"{seed} {number}"), []
    argv = lab.user.argv([lab.pinfold, "run", "--workspace", lab.ws, "--", "mkdir", "marked"])
    whole = whole_run(lab, argv)
    for _ in range(count):
        with subprocess.Popen(argv, cwd=lab.ws, env=lab.environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as pinfold:
            time.sleep(moments.uniform(0, whole))
            pinfold.send_signal(number)
            err = pinfold.communicate(timeout=20)[1]
        started = (lab.ws / "marked").exists()
        if started:
            (lab.ws / "marked").rmdir()
        assert not (started and "nothing was started" in err), err
        assert not (started and pinfold.returncode == 126), err
        assert pinfold.returncode in (0, 126, 128 + number, 137, -number), (pinfold.returncode, err)
        codes.append(pinfold.returncode)
    # before main is reached the signal is fatal; after the end of the launch it is the command's
    assert len(set(codes)) > 1, f"all moments were alike: {codes}"
