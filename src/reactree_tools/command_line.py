"""`reactree`: the command line. Each command is a module of `commands`."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from reactree_core.errors import ReactreeError
from reactree_tools import __version__
from reactree_tools.exit_codes import ExitCode
from reactree_tools.output import Output

#: Modules of the commands, in the order of the help.
COMMANDS = (
    'demo',
    'up',
    'plan',
    'answer',
    'approve',
    'cancel',
    'say',
    'stop',
    'permission',
    'sros2',
    'record',
    'replay',
    'rerun',
    'export',
    'mcp',
    'viewer',
    'watch',
    'why',
    'verify',
    'tree',
    'tree_run',
    'plot',
    'scene',
    'task',
    'read',
    'planner',
    'model',
    'memory',
    'domain',
    'bench',
    'world',
    'robot',
    'conformance',
    'virtualhome_server',
    'thor_stand_in',
)
_EPILOG = """\
examples:
  reactree demo                          watch a model solve a task in a simulated home
  reactree up --scene generated:3        start bridge, memory and planner
  reactree up --robot my_robot.yaml      your robot, described by a file
  reactree plan "put the milk in the fridge"
  reactree cancel                        end the run that the planner is at work on
  reactree stop                          emergency stop of every robot, until --release
  reactree viewer                        watch runs in the browser
  reactree replay last                   play a recorded run (reactree up --record)
  reactree why last "why not open gate 2?"
                                         why a run did what it did, without a model
  reactree scene generated:3             look at a home
  reactree read "close the fridge" --scene generated:3
                                         what a task would be read as; nothing moves
  reactree planner list                  planners and their presets
  reactree model list                    language models to fetch
  reactree memory list                   learned experiences
  reactree domain list                   prompts, examples and rules for types of robots
  reactree bench run --tasks household:10
                                         compare planners, models and memories

exit status: 0 success, 1 the plan failed, 2 bad input or no node found, 3 not read whole (read),
130 Ctrl-C; of plan and demo: 0 verified, 4 done and some of it assumed, 5 not known, 1 not met
"""


def make_parser(names: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of the command line. :param names: of the modules of its commands."""
    parser = argparse.ArgumentParser(
        prog='reactree',
        description='A sentence becomes robot skills: a tree of language-model agents on ROS 2.',
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('--version', action='version', version=f'reactree {__version__}')
    commands = parser.add_subparsers(title='commands', metavar='COMMAND', required=True)
    for name in names:
        import_module(f'reactree_tools.commands.{name}').add_parser(commands)
    return parser


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The arguments; what nobody knows ends the program with the usage of its command."""
    words = sys.argv[1:] if arguments is None else arguments
    # What is given in a hurry does not wait for forty other commands.
    named = [name for name in COMMANDS if words and name == words[0].replace('-', '_')]
    parsed, unknown = make_parser(named or COMMANDS).parse_known_args(words)
    if unknown:
        command: argparse.ArgumentParser = parsed.command
        options = re.findall(r'--[\w-]+', command.format_usage())
        wrong = [word.partition('=')[0] for word in unknown if word.startswith('-')]
        close = [near for word in wrong for near in get_close_matches(word, options, n=1)]
        hint = f'; did you mean {" ".join(close)}?' if close else ''
        command.error(f'unrecognized arguments: {" ".join(unknown)}{hint}')
    return parsed


def _refusal(error: RuntimeError | ValueError) -> str:
    """What ROS refused with its security on; '' where ROS was not even asked."""
    if 'rclpy' not in sys.modules:
        return ''
    from reactree_core.ros.spinning import refusal

    return refusal(error)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; no error of the user ends in a traceback."""
    for name in ('stdin', 'stdout', 'stderr'):
        if getattr(sys, name) is None:  # closed by a shell (`>&-`)
            mode = 'r' if name == 'stdin' else 'w'
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A sign or a letter that the terminal's encoding lacks must not end a run.
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors='replace')  # type: ignore[union-attr]
    if not os.environ.get('HOME'):
        # Some clients of MCP pass nothing but PATH, and ROS logs below HOME.
        with contextlib.suppress(RuntimeError):
            os.environ.pop('HOME', None)
            os.environ['HOME'] = str(Path.home())
    parsed = parse(arguments)
    try:
        status = int(parsed.run(parsed))
        _flush(parsed)
    except ReactreeError as error:
        Output(plain=getattr(parsed, 'plain', False)).error(str(error))
        return ExitCode.UNUSABLE
    except ModuleNotFoundError as error:
        if importlib.util.find_spec('rclpy') is not None:
            raise
        Output(plain=getattr(parsed, 'plain', False)).error(
            f'this command needs ROS 2, and this Python has none ({error.name} is missing): run '
            '`make setup` in a checkout, or source a ROS 2 distribution. `reactree read`, '
            '`reactree bench`, `reactree world`, `reactree viewer` and the like work without it.'
        )
        return ExitCode.UNUSABLE
    except (RuntimeError, ValueError) as error:
        sentence = _refusal(error)
        if not sentence:
            raise
        Output(plain=getattr(parsed, 'plain', False)).error(sentence)
        return ExitCode.UNUSABLE
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader has enough (`reactree scene ... | head`).
        _drop_output()
        return ExitCode.OK
    return status


def _flush(parsed: argparse.Namespace) -> None:
    """Write what was printed; a disk that is full changes no exit status."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _drop_output()
        said = f'what it prints cannot be written ({error.strerror or error})'
        Output(plain=getattr(parsed, 'plain', False)).error(said)


def _drop_output() -> None:
    """Let the exit not complain again of an output that takes nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
