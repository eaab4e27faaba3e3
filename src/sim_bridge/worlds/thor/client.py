"""The published client, `ai2thor` 5.x or 2.1.0, with deadlines, and sentences for its errors."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata as distributions
from pathlib import Path
from typing import Any, IO, Protocol

from reactree_core.errors import ConfigurationError, SkillError, WorldGoneError
from sim_bridge.worlds.thor.dialects import Action, Dialect, dialect_of, OLD, VERSIONS
from sim_bridge.worlds.thor.metadata import Metadata
from sim_bridge.worlds.thor.program import (
    end,
    last_words,
    LATE,
    ProgramGone,
    Watch,
    watched_controller,
)

FIFO, HTTP = 'fifo', 'http'
_INSTALL = 'pip install -r requirements/thor.txt'
_INSTALL_OLD = "pip install ai2thor==2.1.0 'setuptools<70' in an environment of its own"
#: Seconds that the client's own patience is longer than ours.
_LONGER = 30.0
_QUALITY = 'MediumCloseFitShadows'
_SENSES = {'renderImage': False, 'renderDepthImage': True, 'renderInstanceSegmentation': True}
#: Words of logs of programs that found nothing to draw with.
_NO_GPU = ('vulkan', 'glx', 'opengl', 'gfxdevice', 'no supported renderers', 'graphics device')
_DOCS = 'see docs/thor.md'
_LOG = logging.getLogger(__name__)


class ThorAgent(Protocol):
    """What the skills of a robot ask of a client. :ivar dialect: of its generation."""

    dialect: Dialect

    def do(self, action: Action) -> Metadata:
        """One action. :raises WorldGoneError: the program is gone."""


class ThorClient(ThorAgent, Protocol):
    """What the world asks of a client."""

    @property
    def pid(self) -> int:
        """Number of the program's process."""

    @property
    def gone(self) -> bool:
        """Whether the program has ended, or was ended."""

    def reset(self, scene: str | Mapping[str, Any]) -> Metadata:
        """Load a scene, or a house, as it is at first."""

    def do_slowly(self, action: Action) -> Metadata:
        """One action of restoring a scene, which may take as long as loading it."""

    def told(self) -> Sequence[Metadata]:
        """What the last event says each agent, in their order."""

    def frame(self) -> Any:
        """Height x width x 3 bytes, red, green, blue; None where the program sends none."""

    def close(self) -> None:
        """End the program."""


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """How the program is started and spoken to.

    :param executable: its path, or a command; '' for the stand-in of this package.
    :param version: '2.1' or '5': which client has to be installed; '' for any.
    :param transport: 'fifo' or 'http'; '' for what the client takes by itself.
    :param display: X display, e.g. ':0'; '' for that of the environment.
    :param size: width and height of frames in pixels.
    :param answer: seconds that an action may take. :param start: seconds for starting and loading.
    :param record: file to which all events are written; '' for none.
    :param goes_on: whether they are added to what the file has.
    :param senses: whether depth and segmentation are rendered, and no picture (5.x).
    """

    executable: str = ''
    version: str = ''
    transport: str = ''
    display: str = ''
    size: tuple[int, int] = (300, 300)
    answer: float = 1.5
    start: float = 120.0
    record: str = ''
    goes_on: bool = False
    senses: bool = False


def installed_version() -> str:
    """Version of the package `ai2thor`.

    :raises ConfigurationError: it is not installed.
    """
    if importlib.util.find_spec('ai2thor') is None:
        raise ConfigurationError(f'AI2-THOR needs the package ai2thor: {_INSTALL}')
    return distributions.version('ai2thor')


def check_version(wanted: str) -> str:
    """The installed version.

    :param wanted: '2.1', '5', or '' for any.
    :raises ConfigurationError: it is another one, or none.
    """
    if wanted and wanted not in VERSIONS:
        raise ConfigurationError(f'version must be one of {", ".join(VERSIONS)}, not {wanted!r}')
    found = installed_version()
    if dialect_of(found).version != (wanted or dialect_of(found).version):
        how = _INSTALL_OLD if wanted == OLD else _INSTALL
        raise ConfigurationError(
            f'version {wanted} is asked for, and ai2thor {found} is installed: {how}'
        )
    return found


class ControllerClient:
    """A `Controller` of the installed package, with the program that it has started.

    :raises ConfigurationError: the package or the program are missing, or it does not start.
    """

    def __init__(
        self,
        options: ClientOptions,
        command: str,
        scene: str | Mapping[str, Any],
        needs_display: bool = True,
    ) -> None:
        """Start the program.

        :param command: with its arguments, quoted as for a shell.
        :param scene: what is loaded first; `reset` is to follow with the same.
        :param needs_display: whether the client may look for a display.
        """
        self.version = check_version(options.version)
        self.dialect = dialect_of(self.version)
        self._options = options
        self._command = command
        self._record = _Record(options.record, options.goes_on)
        _check_program(command)
        if self.dialect.version == OLD and options.transport == FIFO:
            raise ConfigurationError('the client 2.1 speaks HTTP only: leave transport empty')
        if self.dialect.version == OLD:
            from ai2thor.controller import Controller

            self._controller = Controller.__new__(Controller)
        else:
            kind, self._servers = watched_controller()
            self._controller = kind.__new__(kind)
        self._log = Path.home() / '.ai2thor' / 'log' / 'unity.log'
        self._log_begin = self._log.stat().st_size if self._log.is_file() else 0
        self._watch = Watch(self._controller)
        #: Loaded by starting, and not played yet.
        self._fresh: str | Mapping[str, Any] | None = None
        try:
            if self.dialect.version == OLD:
                self._call(lambda: self._start_old(needs_display), options.start, 'to start')
            else:
                self._call(lambda: self._start_new(scene), options.start, 'to start')
                self._fresh = scene
        except (WorldGoneError, SkillError) as error:
            self.close()
            raise ConfigurationError(self._not_started(error)) from error
        except BaseException:
            self.close()
            raise

    def _start_new(self, scene: str | Mapping[str, Any]) -> None:
        width, height = self._options.size
        controller = self._controller
        # Made before it begins, so that it can be watched while it begins.
        controller.__init__(
            local_executable_path=self._command,
            scene=scene if isinstance(scene, str) else dict(scene),
            width=width,
            height=height,
            quality='Medium',
            # It has to have one; the stand-in does not look at it.
            x_display=self._options.display or os.environ.get('DISPLAY') or ':0',
            server_class=self._servers[self._options.transport or FIFO],
            # Longer than the watch waits, so that it is the one to notice.
            server_timeout=self._options.start + _LONGER,
            server_start_timeout=self._options.start + _LONGER,
            **self.dialect.initialization(),
            **(_SENSES if self._options.senses else {}),
        )

    def _start_old(self, needs_display: bool) -> None:
        width, height = self._options.size
        controller = self._controller
        controller.__init__(quality=_QUALITY)
        controller.local_executable_path = self._command
        # Else a thread of the client raises when the program ends; here that is watched.
        controller.killing_unity = True
        if not needs_display:
            controller.check_x_display = lambda display: None
        controller.start(
            x_display=self._options.display.lstrip(':') or None,
            player_screen_width=width,
            player_screen_height=height,
        )

    @property
    def gone(self) -> bool:
        """See the port."""
        return bool(self._watch.reason)

    @property
    def pid(self) -> int:
        """Number of the program's process."""
        return self._watch.pid

    def reset(self, scene: str | Mapping[str, Any]) -> Metadata:
        """Load a scene as it is at first, with `Initialize`.

        :raises ConfigurationError: the program does not have it.
        """
        controller = self._controller
        if self.dialect.version == OLD:
            if not isinstance(scene, str):
                raise ConfigurationError('houses need the client 5.x: pip install ai2thor==5.0.0')
            self._call(lambda: controller.reset(scene), self._options.start, f'to load {scene}')
            # As the published environment does: once when resetting, once when restoring.
            action = {'action': 'Initialize', **self.dialect.initialization()}
            self._do(dict(action), self._options.start)
            return self._do(action, self._options.start)
        what = scene if isinstance(scene, str) else 'the house'
        fresh, self._fresh = self._fresh, None
        if fresh == scene:
            return self._told({'action': 'Reset', 'scene': what})
        try:
            self._call(
                lambda: controller.reset(scene if isinstance(scene, str) else dict(scene)),
                self._options.start,
                f'to load {what}',
            )
        except SkillError as error:
            if isinstance(error, WorldGoneError):
                raise
            raise ConfigurationError(f'AI2-THOR cannot load {what}: {error}') from error
        return self._told({'action': 'Reset', 'scene': what})

    def do(self, action: Action) -> Metadata:
        """One action; see the port."""
        return self._do(action, self._options.answer)

    def do_slowly(self, action: Action) -> Metadata:
        """One action of restoring a scene, which may take as long as loading it."""
        return self._do(action, self._options.start)

    def _do(self, action: Action, limit: float) -> Metadata:
        self._call(lambda: self._controller.step(action), limit, str(action.get('action')))
        return self._told(action)

    def _told(self, action: Action) -> Metadata:
        found: Metadata = self._controller.last_event.metadata
        self._record.write(action, found)
        return found

    def told(self) -> Sequence[Metadata]:
        """See the port."""
        return [event.metadata for event in self._controller.last_event.events]

    def frame(self) -> Any:
        """See the port."""
        return self._controller.last_event.frame

    def depth(self) -> Any:
        """Height x width, metres along the camera's axis; None without `senses`."""
        return self._controller.last_event.depth_frame

    def masks(self) -> Mapping[str, Any]:
        """Height x width of truths for each thing that is seen, by its id; {} without `senses`."""
        return self._controller.last_event.instance_masks or {}

    def close(self) -> None:
        """End the program."""
        end(self._controller, self._watch)
        self._record.close()

    def _call(self, question: Callable[[], object], limit: float, what: str) -> None:
        """Ask the client something.

        :raises WorldGoneError: the program has ended, or has not answered in time.
        :raises SkillError: the client refuses.
        """
        watch = self._watch
        if watch.reason:
            raise WorldGoneError(self._gone(what, limit))
        watch.begin(limit)
        try:
            question()
        except ValueError as error:
            # An action that the program does not know, or not with these arguments.
            if not watch.reason and self._refused():
                return
            if watch.reason:
                raise WorldGoneError(self._gone(what, limit)) from error
            raise SkillError(_first_line(error)) from error
        except AssertionError as error:
            if watch.reason or not str(error):
                raise self._lost(what, limit) from error
            raise SkillError(_first_line(error)) from error
        except Exception as error:  # other people's code, which may raise anything
            raise self._lost(what, limit, error) from error
        finally:
            watch.end()
        if watch.reason:
            raise WorldGoneError(self._gone(what, limit))

    def _refused(self) -> bool:
        event = getattr(self._controller, 'last_event', None)
        return event is not None and not event.metadata.get('lastActionSuccess')

    def _lost(self, what: str, limit: float, error: Exception | None = None) -> WorldGoneError:
        """Whatever went wrong, the client and the program no longer understand each other."""
        code = self._watch.exit_code
        self._watch.reason = self._watch.reason or 'died'
        self._watch.kill()
        said = ''
        if error is not None and code is None and not isinstance(error, ProgramGone):
            said = _first_line(error)
        return WorldGoneError(self._gone(what, limit, said))

    def _gone(self, what: str, limit: float, said: str = '') -> str:
        if self._watch.reason == LATE:
            how = f'did not answer {what} within {limit:g} s and was ended'
        else:
            code = self._watch.exit_code
            how = 'has ended' + (f' (exit code {code})' if code not in (None, -9) else '')
        words = said or last_words(self._log, self._log_begin)
        why = f'; its log says: {words}' if words and not said else f' ({said})' if said else ''
        return f'the AI2-THOR program {how}{why}: reset the world, which starts it again'

    def _not_started(self, error: Exception) -> str:
        words = last_words(self._log, self._log_begin)
        why = f': {words}' if words else ''
        display = self._options.display or os.environ.get('DISPLAY', '')
        if 'DISPLAY' in str(error) or 'display' in words.lower():
            return (
                f'AI2-THOR finds no X display {display or ":0.0"}{why}: start an X server '
                f'(on a server `Xvfb :1 -screen 0 1024x768x24`) and say display=:1; {_DOCS}'
            )
        if any(word in words.lower() for word in _NO_GPU):
            return (
                f'AI2-THOR finds no GPU to draw with{why}: install its driver, or run it with '
                f'software rendering under Xvfb; without any, take the stand-in (executable '
                f'empty); {_DOCS}'
            )
        first = str(error).replace(': reset the world, which starts it again', '')
        hint = '' if display else ' It may want an X display: say display=:0.'
        return f'{first}: the command was {self._command!r}.{hint} {_DOCS[0].upper()}{_DOCS[1:]}'


class _Record:
    """Writes every event as a line of JSON, to be replayed.

    :param path: '' for none. :param goes_on: keeps what the file has.
    """

    def __init__(self, path: str, goes_on: bool) -> None:
        self._file: IO[str] | None = None
        if path:
            try:
                mode = 'a' if goes_on else 'w'
                self._file = Path(path).expanduser().open(mode, encoding='utf-8')
            except OSError as error:
                raise ConfigurationError(
                    f'record {path!r} cannot be written: {error.strerror or error}'
                ) from error

    def write(self, action: Action, metadata: Metadata) -> None:
        """One action and what came of it; the recording ends where the disk takes no more."""
        if self._file is None:
            return
        line = json.dumps({'action': action, 'metadata': metadata}, default=_plain)
        try:
            self._file.write(line + '\n')
            self._file.flush()
        except OSError as error:
            _LOG.warning('the recording %s ends here: %s', self._file.name, error.strerror)
            self.close()

    def close(self) -> None:
        """No more."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # what a full disk did not take
                file.close()


def _plain(value: Any) -> Any:
    """Numbers and lists of numpy, as JSON has them."""
    if hasattr(value, 'tolist'):
        return value.tolist()
    return str(value)


def _check_program(command: str) -> None:
    try:
        program = shlex.split(command)[0]
    except (ValueError, IndexError) as error:
        raise ConfigurationError(f'executable {command!r} is no command: {error}') from error
    path = shutil.which(program)
    if path is not None:
        return
    if Path(program).is_dir():
        how = 'is a folder: name the program in it'
    elif Path(program).is_file():
        how = f'cannot be executed: chmod +x {shlex.quote(program)}'
    else:
        how = (
            'is not there: name the program (thor-Linux64-... of a build of AI2-THOR), or leave '
            'executable empty for the stand-in'
        )
    raise ConfigurationError(f'executable {program!r} {how}; {_DOCS}')


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().split('\n')
    return (lines[0] or type(error).__name__)[:300]
