"""A headless Chromium, driven over its debugging pipe with nothing but the standard library."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

# Works as root, without a graphics card and with little shared memory; asks nobody anything.
OPTIONS = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
    "--no-default-browser-check --disable-background-networking --disable-component-update "
    "--disable-extensions --disable-sync --mute-audio --hide-scrollbars --remote-debugging-pipe"
).split()


def chromium() -> str | None:
    """Where the browser is, if it is installed."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


class Browser:
    """One tab. Ends with its block."""

    def __init__(self, profile: Path, width: int = 1280, height: int = 900) -> None:
        self._numbers = itertools.count(1)
        self._received = b""
        command_out, self._commands = _pipe()
        self._answers, answer_in = _pipe()
        # The browser reads from 3 and writes to 4.
        redirected = f'exec "$@" 3<&{command_out} 4>&{answer_in} {command_out}<&- {answer_in}<&-'
        self._process = subprocess.Popen(
            ["bash", "-c", redirected, "bash", chromium(), *OPTIONS, f"--user-data-dir={profile}"],
            pass_fds=(command_out, answer_in),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(command_out)
        os.close(answer_in)
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self.call("Page.enable")
        self.resize(width, height)

    @property
    def pid(self) -> int:
        """Its process, and the session of all that it starts."""
        return self._process.pid

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)  # its own session: nobody else's
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give a command of the DevTools protocol and wait for its answer."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while (answer := self._receive()).get("id") != number:
            pass  # an event
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _receive(self, timeout_s: float = 60) -> dict[str, Any]:
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._answers], [], [], timeout_s)
            more = os.read(self._answers, 1 << 20) if ready else b""
            if not more:
                raise RuntimeError("the browser does not answer")
            self._received += more
        message, _, self._received = self._received.partition(b"\0")
        return json.loads(message)

    def resize(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def open(self, url: str) -> None:
        """Go there, and wait until everything that the page needs is there."""
        self.call("Page.navigate", url=url)
        self.wait_for(f"location.href === {url!r} && document.readyState === 'complete'")

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def wait_for(self, expression: str, timeout_s: float = 30) -> Any:
        """Wait until an expression is true, and give its value."""
        ends = time.monotonic() + timeout_s
        while not (value := self.evaluate(expression)):
            if time.monotonic() > ends:
                raise TimeoutError(f"never true: {expression}\n{self.text('body')}")
            time.sleep(0.1)
        return value

    def text(self, selector: str) -> str:
        """What a person reads there."""
        return self.evaluate(f"document.querySelector({selector!r})?.innerText ?? ''")


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are not among the numbers that the browser is given."""
    ends = []
    for end in os.pipe():
        ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
        os.close(end)
    return ends[0], ends[1]
