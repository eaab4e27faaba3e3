"""A Java process that serves its objects to this one: begun, asked and ended within a time.

The package starts its Java without a password and waits for it for ever; here whoever asks must
know a token, every question has a deadline, and no process is left behind. The Java end listens on
the loopback address alone.
"""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, IO, TypeVar

from reactree_core.errors import ConfigurationError, ReactreeError, SkillError

T = TypeVar('T')

#: Seconds until Java has to say where it listens.
START = 60.0
#: Seconds for a question; making the longest gold path takes about ten on a busy machine.
ANSWER = 120.0
_PACKAGES = 'pip install -r requirements/scienceworld.txt'
_INSTALL_JAVA = 'apt-get install default-jre-headless, or any Java 8 or later on the PATH'
#: Enough for the largest task; without it Java takes a quarter of the machine.
_OPTIONS = ('-Xmx512m', '-XX:+UseSerialGC')


class JavaProcess:
    """A process that is ended with this object, with this process, or by hand.

    :param command: a program that writes the lines that are asked for, then serves.
    :param start: seconds until it has to have written them.
    :param lines: how many. :param folder: where it runs.
    :raises ConfigurationError: it is not installed, ends at once, or says nothing in time.
    """

    def __init__(
        self,
        command: Sequence[str],
        lines: int,
        start: float = START,
        folder: Path | None = None,
    ) -> None:
        program = command[0]
        try:
            # Java ends itself when its input does: also where this process is killed.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
            )
        except OSError as error:
            raise ConfigurationError(
                f'ScienceWorld runs in Java, and {program!r} cannot be started '
                f'({error.strerror}): {_INSTALL_JAVA}'
            ) from error
        self._end = weakref.finalize(self, _end, self._process)
        output = self._process.stdout
        assert output is not None
        #: Whether the deadline has ended it.
        self.late = False
        with self._within(start):
            self.said = tuple(output.readline().decode('utf-8', 'replace') for _ in range(lines))
        if self.late or not all(self.said):
            self.close()
            what = f'said nothing within {start:g} s' if self.late else 'ended at once'
            raise ConfigurationError(
                f'Java {what} when it was to serve ScienceWorld: try `{program} -version`; '
                f'if that fails, {_INSTALL_JAVA}'
            )
        # What it prints later nobody reads; a full pipe would stop it.
        threading.Thread(target=_drain, args=(output,), name='java output', daemon=True).start()

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def ask(self, question: Callable[[], T], limit: float = ANSWER) -> T:
        """Answer of a question to it.

        :param limit: seconds; who has not answered by then is ended.
        :raises SkillError: it has ended, or is too late.
        """
        if not self.is_running:
            raise SkillError(_gone('has ended'))
        try:
            with self._within(limit):
                answer = question()
        except ReactreeError:
            raise
        except Exception as error:  # other people's code, which may raise anything
            if self.late:
                raise SkillError(_gone(f'did not answer within {limit:g} s')) from error
            # The connection breaks a moment before the process is seen to have ended.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.5)
            if not self.is_running:
                raise SkillError(_gone('has ended')) from error
            raise SkillError(f'ScienceWorld failed: {_first_line(error)}') from error
        if self.late:
            raise SkillError(_gone(f'did not answer within {limit:g} s'))
        return answer

    def close(self) -> None:
        """End it now."""
        self._end()

    @contextlib.contextmanager
    def _within(self, limit: float) -> Iterator[None]:
        """Whoever waits for it is set free by its end, as all that waits is a pipe or socket."""
        timer = threading.Timer(limit, self._too_late)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _too_late(self) -> None:
        self.late = True
        self._process.kill()


class JavaGateway:
    """Java with the jar of the package `scienceworld`, and its objects.

    :raises ConfigurationError: package or Java are missing, or Java does not come up.
    """

    def __init__(self) -> None:
        try:
            from py4j import java_gateway
            from scienceworld.constants import BASEPATH, JAR_PATH
        except ImportError as error:
            raise missing_package(error) from error
        # It logs with a traceback, also for the root, what is reported here in a sentence.
        logging.getLogger('py4j').setLevel(logging.CRITICAL + 1)
        logging.getLogger('py4j.java_gateway').setLevel(logging.CRITICAL + 1)
        logging.getLogger().addFilter(_is_of_others)
        home = os.environ.get('JAVA_HOME')
        program = str(Path(home) / 'bin' / 'java') if home else 'java'
        jars = os.pathsep.join((java_gateway.find_jar_path(), JAR_PATH))
        server = ('py4j.GatewayServer', '--die-on-broken-pipe', '--enable-auth', '0')
        command = (program, *_OPTIONS, '-classpath', jars, *server)
        self.process = JavaProcess(command, 2, folder=Path(BASEPATH))
        port, token = (line.strip() for line in self.process.said)
        parameters = java_gateway.GatewayParameters(
            address='127.0.0.1', port=int(port), auth_token=token
        )
        self._gateway = java_gateway.JavaGateway(gateway_parameters=parameters)

    def interface(self) -> Any:
        """One more simulator of its own."""
        package = self._gateway.jvm.scienceworld.runtime.pythonapi
        return self.process.ask(lambda: package.PythonInterface())

    def close(self) -> None:
        """End Java."""
        self.process.close()


def missing_package(error: ImportError) -> ConfigurationError:
    """What to say where the package is not installed."""
    return ConfigurationError(
        f'the world scienceworld needs the published package: {_PACKAGES} (missing: {error.name})'
    )


def _gone(what: str) -> str:
    return f'the Java of ScienceWorld {what}: reset the world, which starts it again'


def _is_of_others(record: logging.LogRecord) -> bool:
    return record.module != 'java_gateway'


def _first_line(error: Exception) -> str:
    return str(error).strip().split('\n')[0] or type(error).__name__


def _drain(output: IO[bytes]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while output.read(65_536):
            pass


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError, ValueError):
            if pipe is not None:
                pipe.close()
