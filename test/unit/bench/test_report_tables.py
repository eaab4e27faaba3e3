"""Tables of a study: what their numbers are, and how they are written."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_tools.bench.report import measures, paper_layouts
from reactree_tools.bench.report.layouts import LAYOUTS
from reactree_tools.bench.report.measures import MethodNames
from reactree_tools.bench.report.tables import (
    Better,
    Column,
    comma_separated,
    html,
    latex,
    Mark,
    markdown,
    Number,
    Table,
)
from support.episode_rows import episode_row

TEXTS = st.text(max_size=30)
NUMBERS = st.builds(
    Number,
    st.floats(-1e6, 1e6),
    st.none() | st.floats(0, 1e3),
    st.integers(0, 4),
    st.booleans(),
)


@st.composite
def some_tables(draw):
    width = draw(st.integers(1, 4))
    columns = [
        Column(draw(TEXTS), draw(st.sampled_from(['', 'a model'])), draw(st.sampled_from(Better)))
        for _ in range(width)
    ]
    rows = draw(
        st.lists(st.tuples(*[st.none() | TEXTS | NUMBERS] * width), min_size=1, max_size=5)
    )
    return Table(draw(TEXTS), draw(TEXTS), tuple(columns), tuple(rows), draw(TEXTS))


class Reader(HTMLParser):
    """Notes the tags and the cells of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.cells = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == 'td':
            self.cells.append('')

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data


@given(some_tables())
def test_no_text_leaves_its_cell(table):
    width, height = len(table.columns), len(table.rows)
    body = [line for line in markdown(table).split('\n') if line.startswith('|')]
    assert len(body) == height + 2
    assert all(len(re.findall(r'(?<!\\)\|', line)) == width + 1 for line in body)
    read = Reader(html(table))
    assert len(read.cells) == width * height
    known = {'figure', 'h3', 'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'figcaption'}
    assert set(read.tags) <= known
    written = latex(table)
    rows = written.split('\\midrule\n')[1].split('    \\bottomrule')[0].splitlines()
    assert len(rows) == height
    assert all(len(re.findall(r'(?<!\\)&', line)) == width - 1 for line in rows)
    lines = list(csv.reader(io.StringIO(comma_separated(table))))
    assert len(lines) == height + 1
    assert len({len(line) for line in lines}) == 1
    assert not any(cell.startswith(('=', '@', '+')) for line in lines for cell in line)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=6), st.sampled_from(Better))
def test_the_best_are_marked_and_the_second_alike(means, better):
    table = Table('t', 't', (Column('c', '', better),), tuple((Number(mean),) for mean in means))
    marks = table.marks
    if better is Better.NEITHER or len(set(means)) == 1:
        assert marks == {}
        return
    order = sorted(set(means), reverse=better is Better.MORE)
    for number, mean in enumerate(means):
        wanted = Mark.BEST if mean == order[0] else Mark.SECOND if mean == order[1] else None
        assert marks.get((number, 0)) == wanted


def test_a_mean_is_that_of_the_seeds_and_not_of_the_episodes():
    rows = [episode_row(number, seed=0) for number in range(3)]
    rows += [episode_row(0, seed=1), episode_row(1, seed=1, success=False)]
    found = measures.GSR.over(rows)
    assert found.mean == pytest.approx(75)
    assert found.deviation == pytest.approx(stdev([100, 50]))
    assert found.text == '75.00 ± 35.36'


def test_one_seed_has_no_deviation_and_nothing_known_is_no_number():
    assert measures.GSR.over([episode_row()]).deviation is None
    assert measures.COST.over([episode_row()]) is None
    assert measures.INPUT.over([episode_row(decisions=3, unasked=3)]) is None


def test_costs_of_tree_planner_are_of_all_tasks_of_a_seed():
    rows = [episode_row(number, seed=seed, cost=0.5) for number in range(4) for seed in (0, 1)]
    assert measures.COST.over(rows).mean == pytest.approx(2.0)


def test_a_plan_without_a_step_was_not_executed():
    assert not measures.executed(episode_row(success=False, steps=0))
    assert measures.executed(episode_row(steps=0))
    assert not measures.executed(episode_row(failed_steps=1))


def table_of(tables, name):
    return next(table for table in tables if table.name == name)


def test_methods_and_models_stand_as_in_the_first_table_of_reactree():
    rows = [
        episode_row(number, planner=planner, memory=memory, model=model, success=number < solved)
        for number in range(4)
        for planner, memory, model, solved in (
            ('react', 'episodic', 'small', 1),
            ('react', 'both', 'small', 2),
            ('reactree', 'both', 'small', 3),
            ('reactree', 'both', 'large', 4),
        )
    ]
    table = table_of(LAYOUTS['reactree'](rows), 'reactree_1')
    assert [column.over for column in table.columns] == ['', *['small'] * 2, *['large'] * 2]
    told = {row[0]: [value and value.mean for value in row[1:]] for row in table.rows}
    assert told == {
        'ReAct': [25.0, 25.0, None, None],
        'ReAct+WM': [50.0, 50.0, None, None],
        'ReAcTree+WM': [75.0, 75.0, 100.0, 100.0],
    }


def test_the_memory_ablation_says_what_is_gained_over_none():
    rows = [
        episode_row(number, memory=memory, success=number < solved)
        for number in range(4)
        for memory, solved in (('both', 3), ('none', 1), ('working', 0))
    ]
    table = table_of(LAYOUTS['reactree'](rows), 'reactree_3')
    assert [(row[1], row[2], row[4] and row[4].text) for row in table.rows] == [
        ('✗', '✗', None),
        ('✗', '✓', '-25.00'),
        ('✓', '✓', '+50.00'),
    ]


def test_the_memory_ablation_and_presets_keep_stores_apart():
    rows = [
        episode_row(number, memory=memory, store=store, preset=preset, success=store == 'good')
        for number in range(4)
        for memory, store in (('both', 'good'), ('both', 'bad'), ('none', ''))
        for preset in ('default', 'neutral')
    ]
    tables = list(LAYOUTS['reactree'](rows))
    told = {row[0]: row[3].mean for row in table_of(tables, 'reactree_3').rows if row[1] == '✓'}
    assert told == {
        f'ReAcTree ({preset}) {store}[all]': mean
        for preset in ('default', 'neutral')
        for store, mean in (('good', 100.0), ('bad', 0.0))
    }
    by_preset = table_of(tables, 'reactree_4').rows
    assert len(by_preset) == 6 and {row[2].mean for row in by_preset} == {0.0, 100.0}


def test_methods_are_called_as_in_their_papers():
    names = ('agentbench', 'alfchat', 'stateflow', 'adapt')
    found = [measures.planner_name(episode_row(planner=one, preset='published')) for one in names]
    assert found == ['AgentBench', 'ALFChat', 'StateFlow', 'ADaPT d_max=3']


def test_a_failed_task_counts_fifty_skills_in_the_tables_of_procworld():
    rows = [episode_row(0, steps=10), episode_row(1, steps=90, success=False)]
    table = table_of(LAYOUTS['procworld'](rows), 'procworld_4')
    assert table.rows[0][2].mean == 30.0
    assert 'counts 50' in table.note


def test_a_plan_with_a_failed_step_has_met_nothing_by_the_rule_of_tree_planner():
    failed = {'success': False, 'met': 1, 'failed_steps': 1, 'preset': 'published'}
    rows = [episode_row(0, planner='zero_shot', **failed)]
    table = table_of(LAYOUTS['tree_planner'](rows), 'tree_planner_1')
    assert [one.mean for one in table.rows[0][2:5]] == [0.0, 0.0, 0.0]


def test_costs_are_compared_on_what_all_have_solved():
    rows = [
        episode_row(0, planner='react', decisions=10),
        episode_row(1, planner='react', decisions=90),
        episode_row(0, planner='reactree', decisions=30),
        episode_row(1, planner='reactree', decisions=2, success=False),
    ]
    table = table_of(LAYOUTS['reactree'](rows), 'reactree_5')
    assert [row[2].mean for row in table.rows] == [10, 30]
    assert '1 episodes' in table.note


def test_planners_without_corrections_stand_apart():
    rows = [
        episode_row(planner='tree_planner', preset='published,plans.samples=25'),
        episode_row(planner='tree_planner', preset='published,plans.corrections=0'),
        episode_row(planner='zero_shot', preset='published'),
        episode_row(
            planner='local_replan',
            preset='published',
            failed_steps=2,
            corrections=2,
            ended='failure',
        ),
    ]
    table = table_of(LAYOUTS['tree_planner'](rows), 'tree_planner_1')
    assert [row[0] for row in table.rows] == ['without', 'without', 'with', 'with']
    assert {row[1] for row in table.rows} == {
        'Tree-Planner N=25',
        'Tree-Planner N=50 (plans.corrections=0)',
        'Zero-Shot Planner',
        'Local Replan',
    }
    replanned = next(row for row in table.rows if row[1].startswith('Local'))
    assert replanned[2].mean == 0 and replanned[6].mean == 2
    # As published, there are none where nothing is corrected.
    assert all(row[6] is None for row in table.rows if row[0] == 'without')


@given(st.integers(0, 60))
def test_lengths_of_plans_are_in_fives(steps):
    told = paper_layouts._plan_length(episode_row(expert_steps=steps))
    if steps > 15:
        assert told == 'over 15'
    else:
        low, high = map(int, told.split(' to '))
        assert low <= max(1, steps) <= high == low + 4


def test_the_deepest_level_of_adapt_is_a_row():
    rows = [
        episode_row(
            number, planner='adapt', preset=f'default,trials={deep}', success=number < deep
        )
        for number in range(4)
        for deep in (3, 1)
    ]
    table = table_of(LAYOUTS['adapt'](rows), 'adapt_figure_4')
    assert [(row[0], row[1].mean) for row in table.rows] == [('1', 25.0), ('3', 75.0)]


def test_settings_are_columns_for_procworld():
    rows = [
        episode_row(world=world, model=model, success=world == 'near')
        for world in ('near', 'far')
        for model in ('a', 'b')
    ]
    table = table_of(LAYOUTS['procworld'](rows), 'procworld_3')
    assert [column.over for column in table.columns[2:]] == ['near', 'far']
    assert [row[1] for row in table.rows] == ['a', 'b']


def test_the_general_table_leaves_out_what_nobody_tells():
    (table,) = LAYOUTS['general']([episode_row()])
    heads = [column.head for column in table.columns]
    assert 'cost' not in heads and 'score' not in heads and 'most tokens' not in heads
    told = [episode_row(cost=0.1, score=0.5, most_tokens=900, prompt_tokens=100)]
    (table,) = LAYOUTS['general'](told)
    heads = [column.head for column in table.columns]
    assert {'cost', 'score', 'most tokens'} <= set(heads)
    assert heads.index('most tokens') == heads.index('tokens/decision') + 1


def test_the_task_list_says_how_many_and_how_much():
    rows = [
        episode_row(0, seed=0),
        episode_row(0, seed=1, success=False),
        episode_row(1, success=False, met=1),
    ]
    (table,) = LAYOUTS['tasks'](rows)
    assert [row[2] for row in table.rows] == ['1 of 2', 'no (50 %)']


def test_groups_that_met_other_tasks_are_told_of():
    rows = [episode_row(number, planner=planner) for planner in ('a', 'b') for number in (1, 2)]
    assert measures.unevenness(rows) == ''
    assert 'common tasks' in measures.unevenness(rows[:-1])


def test_names_say_what_differs_and_no_more():
    one = episode_row(preset='default', memory='both')
    assert MethodNames([one]).whole(one) == 'ReAcTree'
    other = episode_row(preset='published,repairs=0', memory='none', model='n')
    names = MethodNames([one, other])
    assert names.whole(one) == 'ReAcTree+WM (default) m'
    assert names.whole(other) == 'ReAcTree without EM (published,repairs=0) n'
    assert (
        measures.planner_name(episode_row(planner='tree_planner', preset='gone')) == 'Tree-Planner'
    )
    sizes = [episode_row(store='s', store_size=size) for size in (5, 0)]
    names = MethodNames(sizes)
    assert [names.whole(row) for row in sizes] == ['ReAcTree s[5]', 'ReAcTree s[all]']
    assert [names.whole(row, stored=False) for row in sizes] == ['ReAcTree'] * 2


@pytest.mark.parametrize('layout', LAYOUTS)
def test_every_layout_can_be_written_of_a_single_episode(layout):
    for table in LAYOUTS[layout]([episode_row(success=False)]):
        for write in (markdown, latex, comma_separated, html):
            assert write(table)


def test_table_6_has_prompts_and_not_their_sums():
    # Three requests a decision, each with the prompt once more; a goal test after the last one.
    rows = [
        episode_row(
            0, planner='react', decisions=4, requests=13, prompt_tokens=13 * 5000,
            most_tokens=5200, completion_tokens=80,
        ),
        episode_row(
            1, planner='react', decisions=2, requests=6, prompt_tokens=6 * 4000,
            most_tokens=4100, completion_tokens=20,
        ),
    ]  # fmt: skip
    table = table_of(LAYOUTS['reactree'](rows), 'reactree_6')
    ((_, longest, mean, written),) = table.rows
    assert longest.mean == 5200
    assert mean.mean == (5000 + 4000) / 2 <= longest.mean
    assert written.mean == (80 / 4 + 20 / 2) / 2
