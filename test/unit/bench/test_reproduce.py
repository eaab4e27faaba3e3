"""The commands that docs/reproduce.md and docs/bench_report.md show can be given as they stand."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks import reproduce
from benchmarks.reproduce_data import fill
from reactree_planner.planners.registry import planner_names
from reactree_planner.runs.presets import settings_of_preset
from reactree_tools.bench.report.failures import KINDS, PLAN_KINDS
from reactree_tools.bench.study import MEMORIES
from reactree_tools.command_line import make_parser
from sim_bridge.worlds.household.tasks.wah_files import PREFIX
from sim_bridge.worlds.registry import WORLDS

DOCS = Path(__file__).parents[3] / 'docs'
PAGES = ('reproduce.md', 'bench_report.md')
_SHOWN = re.compile(r'^    (reactree (?:bench|memory) .*)$|`(reactree (?:bench|memory) [^`]+)`')


def commands():
    for page in PAGES:
        text = (DOCS / page).read_text().replace('\\\n', ' ')
        for line in text.splitlines():
            for block, inline in _SHOWN.findall(line):
                yield (block or inline).partition('  # ')[0].strip()


@pytest.mark.parametrize('command', sorted(set(commands())))
def test_a_command_of_the_documentation_is_one(command):
    parsed = make_parser().parse_args(shlex.split(command)[1:])
    if command.startswith('reactree bench run'):
        planners = parsed.planner or ['reactree']
        assert set(planners) <= set(planner_names())
        assert set(parsed.memory or ()) <= set(MEMORIES)
        for preset in parsed.preset or ():
            for planner in planners:
                settings_of_preset(preset, planner)
        for tasks in parsed.tasks:
            world = tasks.partition(':')[0].partition(',')[0]
            assert tasks.startswith(PREFIX) or world in WORLDS


def test_reports_are_of_studies_that_the_page_runs():
    text = (DOCS / 'reproduce.md').read_text()
    run = set(re.findall(r'--out (\w+)', text))
    assert set(re.findall(r'reactree bench report (\w+)', text)) <= run


def numbers_of(list_of):
    """``3 to 5, 7`` is of four."""
    found = set()
    for first, last in re.findall(r'(\d+)[ab]?(?: to (\d+))?', list_of):
        found.update(range(int(first), int(last or first) + 1))
    return found


def heads(page, kinds):
    """What rows of a page are of: (paper, t or f, number)."""
    found = set()
    for part in re.split(r'^## ', (DOCS / page).read_text(), flags=re.MULTILINE)[1:]:
        for head, state in re.findall(
            r'^\| ((?:Table|Figure)[^:|]*)[^|]*\|([^|]*)', part, re.MULTILINE
        ):
            if kinds.match(state.strip()):
                words = re.split(r'(?i)(tables?|figures?)', head)
                for kind, list_of in zip(words[1::2], words[2::2], strict=True):
                    paper = part.splitlines()[0]
                    found |= {(paper, kind[0].lower(), one) for one in numbers_of(list_of)}
    return found


def test_every_table_and_figure_of_the_papers_is_told_of():
    told = heads('papers.md', re.compile('')) | heads('reproduce.md', re.compile(''))
    for paper, tables, figures in (
        ('ReAcTree (AAMAS 2026)', 6, 4),
        ('ReAcTree, earlier version', 8, 5),
        ('ADaPT', 8, 12),
        ('Tree-Planner', 9, 17),
        ('ProcWorld', 21, 11),
    ):
        wanted = {(paper, 't', number) for number in range(1, tables + 1)}
        wanted |= {(paper, 'f', number) for number in range(1, figures + 1)}
        assert {one for one in told if one[0] == paper} == wanted


def test_every_table_and_figure_that_can_be_had_has_its_command():
    wanted = heads('papers.md', re.compile(r'(works|differs)(?!: any run)'))
    assert len(wanted) > 50
    assert not sorted(wanted - heads('reproduce.md', re.compile('')))


def test_every_kind_of_failure_has_its_rule():
    text = (DOCS / 'bench_report.md').read_text()
    for kinds in (KINDS, PLAN_KINDS):
        for kind, details in kinds.items():
            assert all(f'`{kind}: {detail}`' in text for detail in details)


def studies(part):
    """The studies of a part of docs/reproduce.md, by their folders."""
    text = (DOCS / 'reproduce.md').read_text().replace('\\\n', ' ')
    shown = text.split(f'\n## {part}\n')[1].split('\n## ')[0].splitlines()
    found = [block or inline for line in shown for block, inline in _SHOWN.findall(line)]
    runs = [one for one in found if one.startswith('reactree bench run')]
    parsed = [make_parser().parse_args(shlex.split(one)[1:]) for one in runs]
    return {str(args.out): args for args in parsed}


def test_tasks_of_watch_and_help_are_given_their_homes():
    for part in ('ReAcTree (AAMAS 2026)', 'ReAcTree, earlier version'):
        for args in studies(part).values():
            assert args.scenes or not args.tasks[0].startswith(PREFIX)


def test_baselines_of_reactree_have_its_retrieval_and_its_limits():
    found = studies('ReAcTree (AAMAS 2026)')
    own = settings_of_preset('published', 'reactree')
    for name in ('wah_zero_shot', 'wah_trees'):
        for preset in found[name].preset:
            given = settings_of_preset(preset, found[name].planner[0])
            assert given.example_tokens == own.example_tokens == 5000
            assert given.example_count == own.example_count
    assert found['alfred'].max_decisions == 100
    assert found['wah'].max_decisions is None


def test_methods_of_adapt_share_its_executor_and_no_limit_of_the_run_cuts_them_short():
    found = studies('ADaPT')
    for name, args in found.items():
        assert 'react' not in args.planner
        if name.endswith('_react'):
            settings = settings_of_preset(args.preset[0], 'adapt')
            most = 45 if name == 'webshop_react' else 60
            assert (settings.trials, settings.executor_decisions) == (1, most)
        else:
            assert (args.max_decisions, args.max_steps) == (0, 0)


def test_all_five_methods_of_procworld_are_run_and_reflexion_makes_its_reruns():
    found = studies('ProcWorld')
    assert found['procworld'].planner == ['agentbench', 'alfchat', 'stateflow']
    assert found['procworld_react'].planner == ['react']
    react = settings_of_preset(found['procworld_react'].preset[0], 'react')
    assert (react.free_actions, react.turns, react.chat_tokens) == (True, 50, 2048)
    reruns = found['procworld_reflexion']
    assert (reruns.max_decisions, reruns.max_steps) == (0, 0)
    settings = settings_of_preset(reruns.preset[0], 'reflexion')
    agentbench = settings_of_preset('published', 'agentbench')
    assert settings.trials == 6
    for name in ('free_actions', 'turns', 'chat_tokens', 'executor_prompt', 'thought_tokens'):
        assert getattr(settings, name) == getattr(agentbench, name)


RUNS = [command for command in reproduce.commands() if tuple(command[:3]) == reproduce._RUN]


@pytest.mark.parametrize('command', RUNS, ids=lambda command: command[command.index('--out') + 1])
def test_the_benchmark_runs_a_command_as_it_stands(command):
    def parsed(words):
        return vars(make_parser().parse_args(words[1:]))

    page = parsed(command)
    given = parsed(reproduce.as_run(command, 'random', 7))
    same = ('planner', 'preset', 'memory', 'store', 'seeds', 'out')
    assert {name: given[name] for name in same} == {name: page[name] for name in same}
    assert given['tasks'] == [f'{tasks}[0:1]' for tasks in page['tasks']]
    assert len(given['model']) == len(page['model'])
    assert all(model.startswith('random') for model in given['model'])
    assert (given['max_decisions'], given['max_steps']) == (7, None)
    assert given['scenes'] == page['scenes'] or page['scenes'] == 'minecraft'


def test_data_of_others_is_made_up_where_it_is_not_at_hand(tmp_path):
    data, folder = tmp_path / 'data', tmp_path / 'folder'
    data.mkdir()
    folder.mkdir()
    (data / 'one_task.txt').write_text('real')
    made = fill(folder, data)
    assert 'one_task.txt' not in made
    assert (folder / 'one_task.txt').read_text() == 'real'
    named = {
        text.partition(':')[2]
        for command in RUNS
        for option, text in pairwise(command)
        if option == '--tasks'
    }
    for name in ('wah_nl_test.json', 'json_2.1.1/valid_unseen', 'textcraft_test.json', 'my_set'):
        assert name in made and name in named
        assert (folder / name).exists()
    assert sorted(path.name for path in (folder / 'graphs').iterdir())[0].endswith('0.json')
    assert not fill(folder, data)
