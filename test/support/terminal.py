"""A terminal of its own for a program, and whoever sits at it."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import termios
import time

PATIENCE = 120.0


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, command, environment):
        self._master, slave = pty.openpty()
        self.settings = termios.tcgetattr(self._master)
        self._process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment,
            start_new_session=True,
        )  # fmt: skip
        self._slave = slave
        self.seen = ''

    def wait_for(self, words):
        """Read until the words were printed; what follows them is kept."""
        deadline = time.monotonic() + PATIENCE
        while words not in self.seen:
            left = deadline - time.monotonic()
            assert left > 0, f'{words!r} was not printed: {self.seen[-3000:]}'
            if select.select([self._master], [], [], left)[0]:
                self.seen += os.read(self._master, 4096).decode('utf-8', 'replace')
        before, _, self.seen = self.seen.partition(words)
        return before

    def type(self, keys):
        os.write(self._master, keys.encode())

    def interrupt(self):
        """Exit status after SIGINT, and whether the terminal is as it was."""
        self._process.send_signal(signal.SIGINT)
        while self._process.poll() is None:
            if select.select([self._master], [], [], 0.2)[0]:
                self.seen += os.read(self._master, 4096).decode('utf-8', 'replace')
        same = termios.tcgetattr(self._slave)[:4] == self.settings[:4]
        return self._process.returncode, same

    def close(self):
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._slave)
        os.close(self._master)
