"""A small terminal for tests: runs a program on a pty of its own, types at it, resizes it, reads what it prints."""
import fcntl
import os
import select
import struct
import subprocess
import termios
import time


class Terminal:
    """A program on a fresh pty. The program leads its own session and the pty is its controlling terminal.

    argv   the program
    owner  uid that shall own the terminal's device, as login would set it
    size   rows and columns
    """

    def __init__(self, argv, owner=0, size=(24, 80), **popen):
        self.master, slave = os.openpty()
        self.output = b""
        self._resize(slave, size)
        os.fchown(slave, owner, -1)

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(argv, stdin=slave, stdout=slave, stderr=slave, preexec_fn=take_terminal,
                                        **popen)
        os.close(slave)

    @staticmethod
    def _resize(fd, size):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))

    def resize(self, rows, columns):
        self._resize(self.master, (rows, columns))

    def type(self, data):
        os.write(self.master, data)

    def settings(self):
        """The terminal's settings now (termios.tcgetattr)."""
        return termios.tcgetattr(self.master)

    def _read(self, seconds):
        """Take in what comes within so many seconds; False at the end of the output."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:   # EIO: no process has the terminal open any more
            return False
        self.output += data
        return bool(data)

    def expect(self, text, seconds=15):
        """Read until this text was printed."""
        end = time.monotonic() + seconds
        while text not in self.output:
            going = self._read(0.05)
            if text in self.output:
                return
            assert going and time.monotonic() < end, f"{text!r} never came; the terminal shows {self.output!r}"

    def finish(self, seconds=15):
        """Wait for the end: (status as a shell gives it, all output with plain line ends)."""
        end = time.monotonic() + seconds
        while self._read(0.05):
            if time.monotonic() > end:
                self.close()
                raise AssertionError(f"still running after {seconds} s; the terminal shows {self.output!r}")
            if self.process.poll() is not None and not select.select([self.master], [], [], 0.1)[0]:
                break
        code = self.process.wait(max(0.1, end - time.monotonic()))
        self.close()
        return (128 - code if code < 0 else code), self.output.replace(b"\r\n", b"\n").decode(errors="replace")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.master >= 0:
            os.close(self.master)
            self.master = -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
