"""`reactree model exam`: what a language model can do, and what to set for it."""

from __future__ import annotations

import argparse
import math
from contextlib import closing
from typing import TYPE_CHECKING

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

if TYPE_CHECKING:
    from reactree_core.permission.spending import Price
    from reactree_planner.exam.profile import Profile
    from reactree_tools.output import Output

_EXAMPLES = """\
  reactree model exam                    the default model
  reactree model exam http://localhost:8000/v1 --answers
  reactree model exam https://api.openai.com/v1 --server-model gpt-4.1-mini \\
      --api-key-variable OPENAI_API_KEY --price 0.4,0.1,1.6
  reactree model exam random:1           what guessing comes to

what comes of it is kept, and the preset default of every run with this model takes it
(docs/language_models.md); nothing is kept of an exam that was not finished

exit status: 0 also where nothing was right, 2 bad input or a model that cannot be used
"""


def add_parser(actions: Subparsers) -> None:
    """Declare the action."""
    parser = add_command(
        actions,
        'exam',
        'examine a model in at most 40 requests',
        run,
        _EXAMPLES,
    )
    parser.add_argument(
        'model',
        nargs='?',
        metavar='MODEL',
        help='as --model of `reactree up` (default: the default model)',
    )
    parser.add_argument('--json', action='store_true', help='print all of it as JSON')
    parser.add_argument('--answers', action='store_true', help='show every answer')
    parser.add_argument(
        '--price',
        type=_price,
        metavar='PROMPT,CACHED,WRITTEN',
        help='of a million tokens, in any money; also PROMPT,WRITTEN',
    )
    parser.add_argument(
        '--threads',
        type=options.whole,
        default=0,
        metavar='N',
        help='threads of a model in this process (default: all cores)',
    )
    parser.add_argument(
        '--context-tokens',
        type=options.count,
        default=8192,
        metavar='N',
        help='context of a model in this process, or of a server that reports none (default 8192)',
    )
    parser.add_argument(
        '--request-timeout',
        type=options.positive_seconds,
        default=120.0,
        metavar='SECONDS',
        help='for one answer of a server (default 120)',
    )
    options.add_model_server(parser)
    options.add_plain(parser)


def run(args: argparse.Namespace) -> int:
    """Ask, keep the profile, print it."""
    from reactree_planner.exam.profile import keep_profile
    from reactree_tools.output import Output
    from reactree_tools.plain_text import printable_json
    from reactree_tools.views.exam_view import exam_lines, exam_table

    output = Output(args.plain)
    profile = _taken(args, output)
    file = keep_profile(profile)
    if args.json:
        print(printable_json(profile.model_dump_json(indent=2)))
        return ExitCode.OK
    output.print_lines(exam_table(profile))
    for line in exam_lines(profile, file, output.glyphs, args.answers):
        output.console.print(line, soft_wrap=True)
    return ExitCode.OK


def _taken(args: argparse.Namespace, output: Output) -> Profile:
    """:raises ConfigurationError: there is no such model. :raises ModelError: it fails."""
    from reactree_core.errors import ConfigurationError, ModelError
    from reactree_planner.exam.taking import take_exam
    from reactree_planner.llm.models import DEFAULT_MODEL
    from reactree_planner.llm.registry import load_model, ModelOptions
    from reactree_planner.llm.two_models import parts_of
    from reactree_tools.model_check import check_model_choice
    from reactree_tools.views.work_bar import work_bar

    name = args.model if args.model is not None else DEFAULT_MODEL
    if not name.strip() or len(parts_of(name)) > 1:
        raise ConfigurationError('Name one model; of two models examine each by itself.')
    check_model_choice(name)
    model = load_model(
        name,
        ModelOptions(
            context_tokens=args.context_tokens,
            threads=args.threads,
            server_model=args.server_model,
            api_key_variable=args.api_key_variable,
            api_key_over_http=args.api_key_over_http,
            request_timeout=args.request_timeout,
        ),
    )
    asked = 0
    with closing(model), work_bar(output, f'questions to {name[:60]}') as show:

        def begin(number: int, of: int) -> None:
            nonlocal asked
            asked = number
            show(number - 1, of)

        try:
            return take_exam(model, name, args.server_model, args.price, begin)
        except ModelError as error:
            if not asked:
                raise
            raise ModelError(
                f'The exam ended at question {asked}, and nothing of it is kept. {error}'
            ) from error


def _price(text: str) -> Price:
    from reactree_core.permission.spending import Price

    try:
        values = [float(part) for part in text.split(',')]
    except ValueError:
        values = []
    if len(values) not in (2, 3) or not all(math.isfinite(one) and one >= 0 for one in values):
        raise argparse.ArgumentTypeError(
            f'{text!r} is no price: write PROMPT,WRITTEN or PROMPT,CACHED,WRITTEN, '
            'of a million tokens, e.g. 0.4,1.6'
        )
    return Price(values[0], values[-2], values[-1])
