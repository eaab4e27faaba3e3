"""`reactree read`: what a task would be read as, word by word; nothing moves."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_core.observation import Vocabulary
    from reactree_planner.reading.reader import TaskReader

_EXAMPLES = """\
  reactree read "put two apples in the fridge, then close it" --scene generated:3
  reactree read "never go to aisle 3" --robot my_robot.yaml
  reactree read "water the roses" --vocabulary names.yaml --json
  reactree read "Stell die Milch in den Kühlschrank" --scene generated:3 \\
      --model http://localhost:8080/v1 --reading model

exit status: 0 every word was read, 3 not every word was, 2 bad input
"""
_READINGS = ('grammar', 'model', 'both')


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'read', 'show what a task would be read as; nothing moves', run, _EXAMPLES
    )
    parser.add_argument(
        'sentence', type=options.task_text, metavar='SENTENCE', help='the task, in quotation marks'
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        '--scene', metavar='NAME', help='names and skills of a scene, as in `reactree scene`'
    )
    source.add_argument('--robot', type=Path, metavar='FILE', help="a robot's YAML file")
    source.add_argument(
        '--vocabulary',
        type=Path,
        metavar='FILE',
        help='skills and names in YAML, or an answer of ListSkills as JSON (docs/reading.md)',
    )
    options.add_world_name(parser)
    parser.add_argument(
        '--model', metavar='MODEL', help='a language model that reads too: name, file or address'
    )
    parser.add_argument(
        '--reading',
        choices=_READINGS,
        help='who reads (default: grammar; with --model: model, where the grammar reads not all)',
    )
    parser.add_argument('--threads', type=options.whole, default=0, metavar='N')
    parser.add_argument('--json', action='store_true', help='print all of the reading as JSON')
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Read, and print; PARTIAL where not every word was read."""
    import json

    from reactree_core.errors import ConfigurationError
    from reactree_planner.reading.names import Names
    from reactree_planner.reading.offers import offers_for
    from reactree_tools.output import Output
    from reactree_tools.plain_text import printable_json
    from reactree_tools.views.reading_view import reading_fields, reading_lines

    if not args.sentence:
        raise ConfigurationError(
            'There is no sentence: write what the robot shall do, in quotation marks.'
        )
    if args.reading in ('model', 'both') and not args.model:
        raise ConfigurationError(f'--reading {args.reading} needs a model: name it with --model.')
    names = Names(_vocabulary(args))
    goal = _reader(args).read(args.sentence, names)
    offers = () if goal.whole else offers_for(args.sentence, names)
    if args.json:
        fields = reading_fields(goal, offers)
        print(printable_json(json.dumps(fields, ensure_ascii=False, indent=2)))
    else:
        output = Output(args.plain)
        for line in reading_lines(goal, offers):
            output.console.print(line, soft_wrap=True)
    return ExitCode.OK if goal.whole else ExitCode.PARTIAL


def _vocabulary(args: argparse.Namespace) -> Vocabulary:
    """Skills and names of what was named. :raises ConfigurationError: it cannot be used."""
    if args.vocabulary is not None:
        from reactree_core.vocabulary_files import read_vocabulary

        return read_vocabulary(args.vocabulary.expanduser())
    if args.robot is not None:
        from robot_bridge.loading import declared_vocabulary

        return declared_vocabulary(args.robot.expanduser())
    from sim_bridge.worlds.registry import make_world

    world = make_world(args.world)
    world.reset(args.scene, '', 0)
    return world.vocabulary()


def _reader(args: argparse.Namespace) -> TaskReader:
    """Who reads. :raises ConfigurationError: there is no such model."""
    from reactree_core.record.run_settings import Reading
    from reactree_planner.reading.reader import ModelAlone, reader_of

    if args.model is None:
        return reader_of(Reading.GRAMMAR, None)
    from reactree_planner.llm.chat import OwnChats
    from reactree_planner.llm.registry import load_model, ModelOptions
    from reactree_planner.reading.model_reader import ModelReader

    model = load_model(args.model, ModelOptions(threads=args.threads))
    return reader_of(Reading(args.reading or 'model'), ModelAlone(ModelReader(OwnChats(model))))
