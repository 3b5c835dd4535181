"""Run commands in boxes from Python, by libpinfold: one file, standard library only, Python 3.9 or later.

    import pinfold

    box = pinfold.run(["make", "test"], folder="/home/me/project", timeout=600)
    print(box.result.exit, box.result.confined, box.stdout.decode())

    with pinfold.Pinfold() as program:
        policy = program.policy('{"read": ["/srv/data"]}')
        with program.start(["make", "test"], policy=policy, stdout=file) as box:
            if not box.wait(timeout=60):
                box.kill()
            print(box.wait_result().receipt["guarantees"])

With asyncio: `done = await program.run_async([...])`, or `result = await box`. Leaving a box's `with` block, or the
death of this process by any signal, ends the box. pinfold(3) says what the fields mean. Objects may be shared by threads.
"""
from __future__ import annotations

import asyncio
import ctypes
import errno
import json
import os
import select
import signal as signals
import tempfile
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

Path = Union[str, "os.PathLike[str]"]
File = Any  # a descriptor's number, or something with fileno()

__all__ = ["Pinfold", "Policy", "Box", "Result", "Completed", "Error", "run"]


class Error(Exception):
    """Nothing was started: status 125 for what the caller can mend, 126 for what could not be done here."""

    def __init__(self, status: int, text: str, json_text: Optional[str] = None):
        super().__init__(text)
        self.status = status
        self.plan = json.loads(json_text) if json_text else None   # of explain, which guarantees are lacking


@dataclass(frozen=True)
class Result:
    """How a run ended."""
    outcome: str    # exited, signalled, timeout, terminated, not-found, not-executable, refused, usage, killed
    confined: str   # full, waived, broken, not-started; unknown when pinfold itself was killed
    exit: int       # as of `pinfold run`
    error: str      # why nothing was started or what went wrong
    messages: Sequence[str] = ()
    receipt: Optional[Dict[str, Any]] = field(default=None, repr=False)

    @property
    def ok(self) -> bool:
        """The command ended by itself with 0, and no guarantee was given up."""
        return self.outcome == "exited" and self.exit == 0 and self.confined == "full"


@dataclass(frozen=True)
class Completed:
    """What run() returns."""
    result: Result
    stdout: bytes
    stderr: bytes


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 2048)]


class _Descriptor(ctypes.Structure):
    _fields_ = [("descriptor", ctypes.c_int), ("number", ctypes.c_int)]


class _Run(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("arguments", ctypes.POINTER(ctypes.c_char_p)), ("policy", ctypes.c_void_p),
                ("profile", ctypes.c_char_p), ("folder", ctypes.c_char_p), ("workspace", ctypes.c_char_p),
                ("environment", ctypes.POINTER(ctypes.c_char_p)), ("variables", ctypes.POINTER(ctypes.c_char_p)),
                ("standard", ctypes.c_int * 3), ("descriptor_count", ctypes.c_size_t),
                ("descriptors", ctypes.POINTER(_Descriptor)), ("timeout_ms", ctypes.c_uint64)]


class _Result(ctypes.Structure):
    _fields_ = [("outcome", ctypes.c_char_p), ("confined", ctypes.c_char_p), ("exit", ctypes.c_int),
                ("error", ctypes.c_char_p), ("messages", ctypes.c_char_p), ("receipt", ctypes.c_char_p)]


def _load(name: str) -> ctypes.CDLL:
    library = ctypes.CDLL(name, use_errno=True)
    handle, err, out = ctypes.c_void_p, ctypes.POINTER(_Error), ctypes.POINTER(ctypes.c_void_p)
    text, number = ctypes.c_char_p, ctypes.c_int
    for function, returns, *takes in (
            ("version", text), ("open", number, out, text, err), ("close", None, handle),
            ("policy_parse", number, handle, out, text, ctypes.c_size_t, text, err),
            ("policy_read", number, handle, out, text, err), ("policy_free", None, handle),
            ("explain", number, handle, ctypes.POINTER(_Run), out, err),
            ("path", number, handle, ctypes.POINTER(_Run), number, ctypes.POINTER(text), out, err),
            ("doctor", number, handle, out, ctypes.POINTER(number), err),
            ("box_start", number, handle, ctypes.POINTER(_Run), out, err), ("box_descriptor", number, handle),
            ("box_wait", number, handle, number), ("box_kill", number, handle, number, number),
            ("box_result", ctypes.POINTER(_Result), handle), ("box_free", None, handle), ("text_free", None, handle)):
        symbol = getattr(library, "pinfold_" + function)
        symbol.restype, symbol.argtypes = returns, takes
    return library


def _encode(word: Path) -> bytes:
    """Its bytes as a C string, which would end at a NUL: another word than the one that was meant."""
    data = os.fsencode(word)
    if b"\0" in data:
        raise ValueError(f"embedded null byte: {word!r}")
    return data


def _list(words: Sequence[Path]) -> Any:
    return (ctypes.c_char_p * (len(words) + 1))(*[_encode(word) for word in words], None)


def _variables(variables: Mapping[str, str]) -> Any:
    for name in variables:
        if "=" in name:   # it would be another variable
            raise ValueError(f"not the name of a variable: {name!r}")
    return _list([f"{name}={value}" for name, value in variables.items()])


def _number(file: Optional[File]) -> int:
    return -1 if file is None else file if isinstance(file, int) else file.fileno()


def _bytes(path: Optional[Path]) -> Optional[bytes]:
    return None if path is None else _encode(path)


def _text(value: bytes) -> str:
    return value.decode(errors="backslashreplace")


class Policy:
    """A policy's text, checked. Kept as long as something uses it."""

    def __init__(self, library: ctypes.CDLL, handle: ctypes.c_void_p):
        self._library, self._handle = library, handle

    def __del__(self) -> None:
        self._library.pinfold_policy_free(self._handle)


class Box:
    """One run. Use it as a context manager, or call close()."""

    def __init__(self, library: ctypes.CDLL, handle: ctypes.c_void_p):
        self._library, self._handle = library, handle
        self._result: Optional[Result] = None

    def fileno(self) -> int:
        """Readable when the run has ended: for select, selectors and event loops. Not to be read."""
        return self._library.pinfold_box_descriptor(self._open())

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Wait at most this many seconds for the end; has it come?"""
        poll = select.poll()   # not in the library: there Ctrl-C would have to wait as well
        poll.register(self.fileno(), select.POLLIN)
        poll.poll(None if timeout is None else max(0.0, timeout) * 1000)
        ended = self._library.pinfold_box_wait(self._open(), 0)
        if ended < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return ended == 1

    def kill(self, signal: int = signals.SIGKILL, everything: bool = False) -> bool:
        """Send a signal to the command's process group, or to everything in the box. False: the run has ended."""
        if self._library.pinfold_box_kill(self._open(), int(signal), everything) == 0:
            return True
        number = ctypes.get_errno()
        if number == errno.ESRCH:
            return False
        raise OSError(number, os.strerror(number))

    @property
    def result(self) -> Optional[Result]:
        """How it ended; None while it runs."""
        if self._result is None:
            found = self._library.pinfold_box_result(self._open())
            if found:
                told = found.contents
                self._result = Result(_text(told.outcome), _text(told.confined), told.exit, _text(told.error),
                                      tuple(_text(told.messages).splitlines()),
                                      json.loads(told.receipt) if told.receipt else None)
        return self._result

    def wait_result(self) -> Result:
        self.wait()
        result = self.result
        if result is None:
            raise MemoryError("no memory for the result")
        return result

    def __await__(self) -> Any:
        return self._wait_in_loop().__await__()

    async def _wait_in_loop(self) -> Result:
        loop, number = asyncio.get_running_loop(), self.fileno()
        ended = loop.create_future()
        # of the same descriptor a loop knows one reader only, so each waiter has its own
        own = os.dup(number)
        loop.add_reader(own, lambda: ended.done() or ended.set_result(None))
        try:
            await ended
        finally:
            loop.remove_reader(own)
            os.close(own)
        return self.wait_result()

    def close(self) -> None:
        """End what still runs and free the box; what it ended with can still be read."""
        if self._handle:
            if self.wait(0):
                self.result   # noqa: B018  kept, since the library's is freed
            handle, self._handle = self._handle, None
            self._library.pinfold_box_free(handle)

    def _open(self) -> ctypes.c_void_p:
        if not self._handle:
            raise ValueError("the box is closed")
        return self._handle

    def __enter__(self) -> "Box":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.pinfold_box_free(self._handle)
            self._handle = None


class Pinfold:
    """An opened pinfold program. Both arguments are for tests: None takes what is installed."""

    def __init__(self, program: Optional[Path] = None, library: Path = "libpinfold.so.0"):
        self._library, self._handle = _load(os.fspath(library)), ctypes.c_void_p()
        err = _Error()
        if self._library.pinfold_open(ctypes.byref(self._handle), _bytes(program), ctypes.byref(err)):
            raise Error(err.status, _text(err.text))

    @property
    def version(self) -> str:
        return _text(self._library.pinfold_version())

    def policy(self, text: Union[str, bytes, Mapping[str, Any]], name: str = "policy") -> Policy:
        """A policy from JSON text, or from a dict that becomes JSON."""
        if isinstance(text, Mapping):
            text = json.dumps(text)
        if isinstance(text, str):
            text = text.encode()
        err, handle = _Error(), ctypes.c_void_p()
        if self._library.pinfold_policy_parse(self._open(), ctypes.byref(handle), text, len(text), _encode(name),
                                              ctypes.byref(err)):
            raise Error(err.status, _text(err.text))
        return Policy(self._library, handle)

    def policy_file(self, path: Path) -> Policy:
        err, handle = _Error(), ctypes.c_void_p()
        if self._library.pinfold_policy_read(self._open(), ctypes.byref(handle), _encode(path), ctypes.byref(err)):
            raise Error(err.status, _text(err.text))
        return Policy(self._library, handle)

    def start(self, arguments: Sequence[Path], **options: Any) -> Box:
        """Start a run; the options are those of _run."""
        run, keep = _run(arguments, **options)
        err, handle = _Error(), ctypes.c_void_p()
        if self._library.pinfold_box_start(self._open(), ctypes.byref(run), ctypes.byref(handle), ctypes.byref(err)):
            raise Error(err.status, _text(err.text))
        del keep
        return Box(self._library, handle)

    def explain(self, arguments: Sequence[Path] = (), **options: Any) -> Dict[str, Any]:
        """What start would do. Error with status 126 has the plan when it is known to lack a guarantee."""
        run, keep = _run(arguments, **options)
        err, out = _Error(), ctypes.c_void_p()
        failed = self._library.pinfold_explain(self._open(), ctypes.byref(run), ctypes.byref(out), ctypes.byref(err))
        del keep
        text = self._take(out)
        if failed:
            raise Error(err.status, _text(err.text), text)
        return json.loads(text or "null")

    def path(self, paths: Sequence[Path], write: bool = False, **options: Any) -> List[Dict[str, Any]]:
        """What becomes of each path when a command of that box reads it, or changes or creates it: see PATHS in
        pinfold(1). Advice of this moment for tools of one's own, not a wall."""
        run, keep = _run((), **options)
        words = (ctypes.c_char_p * (len(paths) + 1))(*map(_encode, paths), None)
        err, out = _Error(), ctypes.c_void_p()
        failed = self._library.pinfold_path(self._open(), ctypes.byref(run), int(write), words, ctypes.byref(out),
                                            ctypes.byref(err))
        del keep
        text = self._take(out)
        if failed:
            raise Error(err.status, _text(err.text))
        return json.loads(text or "{}")["paths"]

    def doctor(self) -> Dict[str, Any]:
        """What this host can hold; the key "starts" is set: would a run with the default policy start?"""
        err, out, starts = _Error(), ctypes.c_void_p(), ctypes.c_int()
        if self._library.pinfold_doctor(self._open(), ctypes.byref(out), ctypes.byref(starts), ctypes.byref(err)):
            raise Error(err.status, _text(err.text))
        return {**json.loads(self._take(out) or "{}"), "starts": bool(starts.value)}

    def run(self, arguments: Sequence[Path], input: bytes = b"", **options: Any) -> Completed:
        """Run to the end; output is kept in unnamed files, so that no amount of it can block the command."""
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            stdin.write(input)
            stdin.seek(0)
            with self.start(arguments, stdin=stdin, stdout=out, stderr=err, **options) as box:
                result = box.wait_result()
            out.seek(0), err.seek(0)
            return Completed(result, out.read(), err.read())

    async def run_async(self, arguments: Sequence[Path], input: bytes = b"", **options: Any) -> Completed:
        """The same in an event loop; cancelling it ends the box."""
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            stdin.write(input)
            stdin.seek(0)
            with self.start(arguments, stdin=stdin, stdout=out, stderr=err, **options) as box:
                result = await box
            out.seek(0), err.seek(0)
            return Completed(result, out.read(), err.read())

    def close(self) -> None:
        if self._handle:
            handle, self._handle = self._handle, None
            self._library.pinfold_close(handle)

    def _open(self) -> ctypes.c_void_p:
        if not self._handle:
            raise ValueError("closed")
        return self._handle

    def _take(self, text: ctypes.c_void_p) -> Optional[str]:
        if not text:
            return None
        value = ctypes.string_at(text).decode()
        self._library.pinfold_text_free(text)
        return value

    def __enter__(self) -> "Pinfold":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()


def _run(arguments: Sequence[Path], *, policy: Optional[Policy] = None, profile: Optional[str] = None,
         folder: Optional[Path] = None, workspace: Optional[Path] = None, environment: Optional[Mapping[str, str]] = None,
         variables: Optional[Mapping[str, str]] = None, stdin: Optional[File] = None, stdout: Optional[File] = None,
         stderr: Optional[File] = None, descriptors: Optional[Mapping[int, File]] = None,
         timeout: Optional[float] = None) -> Any:
    """The options of a run as the library takes them, and what must live as long. `descriptors`: {number in the box:
    file}. `environment`: what the policy may choose from (default: os.environ). `variables`: passed in any case."""
    if isinstance(arguments, (str, bytes)):
        raise TypeError(f"arguments: a list such as ['make', 'test'], or ['sh', '-c', {arguments!r}], not one text")
    given = descriptors or {}
    words = _list(arguments)
    base = _variables(os.environ if environment is None else environment)
    more = _variables(variables or {})
    others = (_Descriptor * len(given))(*[(_number(file), number) for number, file in given.items()])
    if timeout is not None and timeout <= 0:
        raise ValueError("timeout: above 0, or None")
    run = _Run(ctypes.sizeof(_Run), words, policy._handle if policy else None,
               _bytes(profile), _bytes(folder), _bytes(workspace), base, more,
               (_number(stdin), _number(stdout), _number(stderr)), len(given), others,
               max(1, int(timeout * 1000)) if timeout is not None else 0)
    return run, (words, base, more, others, policy)


def run(arguments: Sequence[Path], input: bytes = b"", **options: Any) -> Completed:
    """Run one command to its end with the installed pinfold."""
    with Pinfold() as program:
        return program.run(arguments, input, **options)
