"""Arguments that several commands share, and the checks of their values."""

from __future__ import annotations

import argparse
import math
import re

#: Longest task that the planner accepts (PlanTask.action).
TASK_CHARACTERS = 2000
#: Largest value of the uint32 limits of PlanTask.action.
LARGEST_COUNT = 2**32 - 1
_NAMESPACE = re.compile(r'^/?([A-Za-z_][A-Za-z0-9_]*)(/[A-Za-z_][A-Za-z0-9_]*)*/?$')
#: When people are asked (PlanTask.action).
ASK = ('never', 'when-unsure', 'always')
#: Where runs are sent as traces (parameter `telemetry`).
TELEMETRY = ('off', 'otlp')
LOG_LEVELS = ('debug', 'info', 'warn', 'error', 'fatal')


def run_id(text: str) -> str:
    """The id of a run: 32 hexadecimal digits, with or without dashes."""
    digits = text.replace('-', '').lower()
    if not re.fullmatch('[0-9a-f]{32}', digits):
        raise argparse.ArgumentTypeError(
            f'"{text[:80]}" is not a run id: give the 32 hexadecimal digits of the journal file'
        )
    return digits


def namespace(text: str) -> str:
    """A ROS namespace with its leading slash; '/' for none."""
    if text in ('', '/'):
        return '/'
    if not _NAMESPACE.match(text):
        raise argparse.ArgumentTypeError(
            f'{text!r} is not a namespace; use letters, digits and underscores, '
            'for example robot_1 or /floor_2/robot_1'
        )
    return '/' + text.strip('/')


def count(text: str) -> int:
    """A whole number from 1 on."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= LARGEST_COUNT:
        raise argparse.ArgumentTypeError(f'{text!r} is not a whole number of 1 or more')
    return number


def whole(text: str) -> int:
    """A whole number from 0 on."""
    return 0 if text == '0' else count(text)


def seed(text: str) -> int:
    """A whole number that fits the uint64 of ResetWorld.srv, as parameters can carry it."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number < 2**63:
        raise argparse.ArgumentTypeError(f'{text!r} is not a seed; use a whole number from 0 on')
    return number


def port(text: str) -> int:
    """A port; 0 for any free one."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f'{text!r} is not a port; use 0 to 65535')
    return number


def positive_seconds(text: str) -> float:
    """A duration above zero."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (0.0 < number < 1e9):
        raise argparse.ArgumentTypeError(f'{text!r} is not a number of seconds above 0')
    return number


def task_text(text: str) -> str:
    """The sentence of a task, without the white space around it; '' for the loaded task."""
    stripped = text.strip()
    if len(stripped) > TASK_CHARACTERS:
        raise argparse.ArgumentTypeError(
            f'the task has {len(stripped):,} characters and the planner takes at most '
            f'{TASK_CHARACTERS:,}; say it in fewer words'
        )
    return stripped


def add_namespace(parser: argparse.ArgumentParser) -> None:
    """--namespace."""
    parser.add_argument(
        '--namespace', type=namespace, default='/', metavar='NS', help='ROS namespace of the nodes'
    )


def add_bag(parser: argparse.ArgumentParser) -> None:
    """BAG, --bags and --run."""
    parser.add_argument(
        'bag',
        metavar='BAG',
        help="a bag, a journal, the first digits of a run's id, or last: the newest run",
    )
    add_bags(parser)
    add_run_of_bag(parser)


def add_recorded_run(parser: argparse.ArgumentParser, optional: bool = False) -> None:
    """RUN. :param optional: whether the command can do without; then it is ''."""
    parser.add_argument(
        'run_name',
        metavar='RUN',
        nargs='?' if optional else None,
        default='',
        help="a journal, a bag, the first digits of a run's id, or last: the newest run",
    )


def add_run_of_bag(parser: argparse.ArgumentParser) -> None:
    """--run."""
    parser.add_argument(
        '--run',
        dest='run_id',
        default='',
        metavar='ID',
        help="first digits of a run's id, for a bag with several runs",
    )


def add_bags(parser: argparse.ArgumentParser) -> None:
    """--bags."""
    parser.add_argument(
        '--bags',
        metavar='FOLDER',
        help='folder of the bags (default ~/.local/state/reactree/bags)',
    )


def add_journals(parser: argparse.ArgumentParser) -> None:
    """--journals."""
    parser.add_argument(
        '--journals',
        metavar='FOLDER',
        help='folder of the journals (default: where planners of this user write them)',
    )


def add_hazards(parser: argparse.ArgumentParser) -> None:
    """--hazards."""
    parser.add_argument(
        '--hazards',
        default='off',
        metavar='TEXT',
        help='also hazards, as in the parameter of this name: on, a file, -NAME (default: off)',
    )


def add_approve(parser: argparse.ArgumentParser) -> None:
    """Declare `--approve`."""
    parser.add_argument(
        '--approve',
        action='store_true',
        help='approve all skills that need a person by the rules (default: with a robot, you are '
        'asked once in the terminal; without a terminal such skills are refused)',
    )


def add_plain(parser: argparse.ArgumentParser) -> None:
    """--plain."""
    parser.add_argument(
        '--plain', action='store_true', help='no colour, no moving lines, ASCII only'
    )


def add_world_name(parser: argparse.ArgumentParser) -> None:
    """--world of a command that plays in a world of its own."""
    parser.add_argument(
        '--world', default='household', metavar='WORLD', help='simulated world (default household)'
    )


def add_world(parser: argparse.ArgumentParser) -> None:
    """--world, --scene, --task and --seed of a simulated world."""
    parser.add_argument('--world', metavar='WORLD', help='simulated world, e.g. household')
    parser.add_argument(
        '--scene',
        metavar='SCENE',
        help='generated:NUMBER, or the path of a VirtualHome graph file',
    )
    parser.add_argument(
        '--task',
        metavar='TASK',
        help='task to load: generated:NUMBER, FAMILY:NUMBER, the path of a task file, or '
        'wah:PATH#ID of a published task set',
    )
    parser.add_argument(
        '--seed', type=seed, metavar='N', help='seed of all random choices of the world'
    )


def add_planner(parser: argparse.ArgumentParser) -> None:
    """--model, --planner and --preset."""
    parser.add_argument(
        '--model',
        metavar='MODEL',
        help='language model: a name of `reactree model list`, a GGUF file, or an http address',
    )
    parser.add_argument('--planner', metavar='NAME', help='planner, e.g. reactree')
    parser.add_argument(
        '--preset',
        metavar='PRESET',
        help='default, published or published-code; overrides may follow, e.g. '
        'default,ask=never (docs/presets.md)',
    )


def add_model_server(parser: argparse.ArgumentParser) -> None:
    """--server-model, --api-key-variable and --api-key-over-http."""
    parser.add_argument(
        '--server-model', default='', metavar='NAME', help='name of the model at the server'
    )
    parser.add_argument(
        '--api-key-variable',
        default='',
        metavar='NAME',
        help="environment variable with the model server's key",
    )
    parser.add_argument(
        '--api-key-over-http',
        action='store_true',
        help='allow sending the key unencrypted to another machine',
    )


def add_nodes(parser: argparse.ArgumentParser) -> None:
    """--memory, --params, --record, --permission, --telemetry and --log-level of the nodes."""
    memory = parser.add_mutually_exclusive_group()
    memory.add_argument('--memory', metavar='PATH', help='file of the experiences')
    memory.add_argument('--no-memory', action='store_true', help='plan without a memory node')
    parser.add_argument(
        '--params',
        metavar='FILE',
        action='append',
        default=[],
        help='YAML file with parameters of the nodes; may be given several times',
    )
    parser.add_argument(
        '--record',
        nargs='?',
        const='',
        metavar='FOLDER',
        help='record every run as a bag (default folder ~/.local/state/reactree/bags)',
    )
    parser.add_argument(
        '--permission',
        metavar='FILE',
        help='file of rules (docs/permission.md), or for all skills: allow, ask or deny',
    )
    parser.add_argument(
        '--telemetry',
        choices=TELEMETRY,
        metavar='MODE',
        help='send runs as OpenTelemetry traces to a collector: off or otlp (docs/telemetry.md)',
    )
    parser.add_argument(
        '--log-level', choices=LOG_LEVELS, metavar='LEVEL', help=', '.join(LOG_LEVELS)
    )


def add_ask(parser: argparse.ArgumentParser) -> None:
    """--ask and --go-on: when people are asked."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        '--go-on',
        dest='ask',
        action='store_const',
        const='go-on',
        default=argparse.SUPPRESS,
        help='do also a task of which not all was read: the model decides skill by skill '
        '(docs/reading.md)',
    )
    group.add_argument(
        '--ask',
        choices=ASK,
        default='',
        metavar='WHEN',
        help=f'when the run asks you what is meant: {", ".join(ASK)} (default when-unsure; never, '
        'if the input is not a terminal)',
    )


def add_limits(parser: argparse.ArgumentParser) -> None:
    """The limits over the whole tree that PlanTask carries."""
    group = parser.add_argument_group('limits of a run (default: parameters of the planner)')
    for name, text in (
        ('decisions', 'maximum number of decisions'),
        ('steps', 'maximum number of skills'),
        ('depth', 'maximum depth of the tree'),
        ('tokens', 'maximum number of tokens that the model evaluates and generates'),
    ):
        group.add_argument(f'--max-{name}', type=count, default=0, metavar='N', help=text)
    group.add_argument(
        '--timeout',
        type=positive_seconds,
        metavar='SECONDS',
        help='maximum duration; the planner then ends the run',
    )
