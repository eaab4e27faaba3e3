"""`reactree model`: language models that can be had by name."""

from __future__ import annotations

import argparse

from reactree_tools import options
from reactree_tools.commands import model_exam
from reactree_tools.commands.parsers import add_command, Subparsers
from reactree_tools.exit_codes import ExitCode

_EXAMPLES = """\
  reactree model list
  reactree model fetch                   the default model
  reactree model fetch hf:owner/repository/file.gguf
                                         a file of the Hugging Face hub; @revision may follow
  reactree model check gemma-3-270m      compare a file with its pinned digest
  reactree model remove gemma-3-270m
  reactree model exam http://localhost:8080/v1
                                         what a model can do, and what to set for it
  reactree up --model ~/models/any.gguf  a model of your own needs no fetching

for files that the hub shows only to an account, set the token in HF_TOKEN
"""
_NAME = 'of `reactree model list`, or hf:owner/repository/file.gguf'


def add_parser(commands: Subparsers) -> None:
    """Declare the command."""
    parser = add_command(
        commands, 'model', 'list, fetch, check, remove or examine language models', None, _EXAMPLES
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    listing = add_command(actions, 'list', 'list models, and which are on this machine', run_list)
    fetch = add_command(
        actions, 'fetch', 'fetch a model, or continue an interrupted fetch', run_fetch
    )
    check = add_command(
        actions, 'check', 'compare a fetched model with its known digest', run_check
    )
    remove = add_command(actions, 'remove', 'delete a fetched model', run_remove)
    model_exam.add_parser(actions)
    fetch.add_argument(
        'name', nargs='?', metavar='NAME', help=f'{_NAME} (default: the default model)'
    )
    check.add_argument(
        'name', nargs='?', metavar='NAME', help=f'{_NAME} (default: all fetched models)'
    )
    remove.add_argument('name', metavar='NAME', help=_NAME)
    for action in (listing, fetch, check, remove):
        options.add_plain(action)


def run_list(args: argparse.Namespace) -> int:
    """Print the catalogue, and what was fetched from the hub."""
    from reactree_planner.llm.models import (
        DEFAULT_MODEL,
        list_hub_models,
        list_models,
        model_folder,
    )
    from reactree_tools.output import Output
    from reactree_tools.views.model_view import (
        folder_lines,
        hub_model_lines,
        lines_without_model,
        model_lines,
    )

    output = Output(args.plain)
    glyphs, width = output.glyphs, output.console.width
    for line in model_lines(list_models(), DEFAULT_MODEL, glyphs, width):
        output.console.print(line)
    for line in hub_model_lines(list_hub_models(), glyphs, width):
        output.console.print(line)
    for line in lines_without_model(glyphs, width):
        output.console.print(line)
    for line in folder_lines(model_folder(), glyphs, width):
        output.console.print(line)
    return ExitCode.OK


def run_fetch(args: argparse.Namespace) -> int:
    """Fetch a model, with a progress bar."""
    from reactree_planner.llm.models import DEFAULT_MODEL, fetch_model, terminal_progress
    from reactree_tools.output import Output

    output = Output(args.plain)
    with terminal_progress(output.error_console) as progress:
        path = fetch_model(args.name or DEFAULT_MODEL, progress)
    print(path)
    return ExitCode.OK


def run_check(args: argparse.Namespace) -> int:
    """Compute digests again."""
    from reactree_planner.llm.models import check_model, list_hub_models, list_models
    from reactree_tools.output import Output

    output = Output(args.plain)
    names = [args.name] if args.name else []
    if not args.name:
        names += [model.entry.name for model in list_models() if model.present]
        names += [model.file.name for model in list_hub_models() if model.present]
    if not names:
        output.console.print('No model is fetched; `reactree model fetch` gets the default one.')
    for name in names:
        path = check_model(name)
        output.console.print(f'{output.glyphs.success} {name}  {path}', soft_wrap=True)
    return ExitCode.OK


def run_remove(args: argparse.Namespace) -> int:
    """Delete a model's files."""
    from reactree_planner.llm.models import remove_model
    from reactree_tools.output import Output
    from reactree_tools.plain_text import count

    freed = remove_model(args.name)
    words = (
        f'{args.name} was removed: {count(freed, "byte")} freed.'
        if freed
        else f'{args.name} was not on this machine; there was nothing to remove.'
    )
    Output(args.plain).console.print(words, soft_wrap=True)
    return ExitCode.OK
