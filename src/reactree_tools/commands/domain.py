"""`reactree domain`: which domains there are, and whether one is as its author meant it."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree domain list
  reactree domain check ./warehouse      a folder of your own, see docs/add_a_domain.md
  reactree domain check household
  reactree domain check ./warehouse --prompt reactree
                                         also print a prompt
"""
_PART_COLUMNS = len('prompts/plan_examples.txt')


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'domain', 'list or check domains: prompts, examples, rules', None, _EXAMPLES
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    listing = add_command(actions, 'list', 'list domains, and where each is installed', run_list)
    check = add_command(
        actions, 'check', 'show what a domain defines, and report its mistakes', run_check
    )
    check.add_argument(
        'domain', metavar='NAME', help='name from `reactree domain list`, or a folder'
    )
    check.add_argument(
        '--prompt',
        metavar='PROMPT',
        help='also print this prompt (reactree, executor, ...), filled in for a warehouse robot',
    )
    for action in (listing, check):
        options.add_plain(action)


def run_list(args: argparse.Namespace) -> int:
    """Two lines for each domain: its name and where it is from, then its title or its fault."""
    from rich.text import Text

    from reactree_core.domain import domain_origins, load_domain
    from reactree_core.errors import ConfigurationError
    from reactree_tools.output import Output
    from reactree_tools.plain_text import visible
    from reactree_tools.views.agent_tree import Rails

    output = Output(args.plain)
    glyphs = output.glyphs
    rails = Rails(glyphs, output.console.width)
    origins = domain_origins()
    columns = max(map(len, origins))
    for name, origin in origins.items():
        try:
            sign, style, said = glyphs.success, 'green', load_domain(name).words.title
        except ConfigurationError as error:
            sign, style, said = glyphs.failure, 'bold red', str(error)
        heading = Text(visible(name).ljust(columns), 'bold')
        heading.append(f'  {visible(origin) or "this package"}', 'not bold')
        for line in rails.lines(0, Text(sign, style), heading):
            output.console.print(line)
        for line in rails.lines(0, Text(' '), Text(visible(said) or 'without a title', 'dim')):
            output.console.print(line)
    return ExitCode.OK


def run_check(args: argparse.Namespace) -> int:
    """A line for each part of a domain, and one for all."""
    from pathlib import Path

    from rich.text import Text

    from reactree_core.domain import domain_names, find_domain, load_domain, PROMPTS
    from reactree_core.errors import ConfigurationError
    from reactree_tools.domain_check import check_domain, EXAMPLE_VOCABULARY, Grade
    from reactree_tools.output import Output
    from reactree_tools.plain_text import count, printable, visible
    from reactree_tools.views.agent_tree import FIXED_SPACE, Rails

    if args.prompt and args.prompt not in PROMPTS:
        raise ConfigurationError(
            f'There is no prompt "{args.prompt}"; choose one of {", ".join(PROMPTS)}.'
        )
    named = args.domain
    if '/' not in named and named not in domain_names() and Path(named).expanduser().is_dir():
        named += '/'
    domain = find_domain(named)
    output = Output(args.plain)
    glyphs = output.glyphs
    signs = {
        Grade.OWN: Text(glyphs.success, 'green'),
        Grade.MISSING: Text(glyphs.idle, 'dim'),
        Grade.DOUBTFUL: Text(glyphs.warning, 'bold yellow'),
        Grade.BROKEN: Text(glyphs.failure, 'bold red'),
    }
    rails = Rails(glyphs, output.console.width)
    output.console.print(f'{visible(domain.name)}: {visible(str(domain.folder))}', soft_wrap=True)
    counts = dict.fromkeys(Grade, 0)
    for finding in check_domain(domain):
        counts[finding.grade] += 1
        part = visible(finding.part).ljust(_PART_COLUMNS, FIXED_SPACE)
        said = Text(f'{part}{FIXED_SPACE}{visible(finding.says)}')
        for line in rails.lines(0, signs[finding.grade], said, hanging=4):
            output.console.print(line)
    broken, doubtful = counts[Grade.BROKEN], counts[Grade.DOUBTFUL]
    doubts = f'{count(doubtful, "warning")} ({glyphs.warning}).' if doubtful else ''
    if broken:
        words = f'{count(broken, "mistake")} ({glyphs.failure}). {doubts}'
    elif not counts[Grade.OWN]:
        words = f'It has no file of a domain: see docs/add_a_domain.md. {doubts}'
    else:
        words = f'No mistakes. {doubts}'
    output.console.print(words.rstrip())
    well = bool(counts[Grade.OWN] and not broken)
    if args.prompt and well:
        text = load_domain(named).prompt(args.prompt, EXAMPLE_VOCABULARY)
        output.console.print('\n' + '\n'.join(map(printable, text.split('\n'))), soft_wrap=True)
    return ExitCode.OK if well else ExitCode.FAILED
