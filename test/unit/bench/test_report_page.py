"""The report as a command and as a page."""

from __future__ import annotations

import argparse
import json
import re
from html.parser import HTMLParser

import pytest
from pyarrow import parquet

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind
from reactree_core.record.journal_lines import encode_event
from reactree_tools.bench.report import command
from reactree_tools.bench.report.command import report
from reactree_tools.bench.report.layouts import LAYOUTS
from reactree_tools.bench.report.options import add_arguments, LAYOUT_NAMES, Options
from reactree_tools.bench.report.plots import Plots
from reactree_tools.bench.rows import append_row
from support.episode_rows import episode_row

EVIL = '</script><script>alert(1)</script><img src=x onerror="alert(2)">\'"&$\\x'


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Three planners on four tasks, without pictures."""
    monkeypatch.setattr(command, 'plots', lambda rows: Plots())
    folder = tmp_path / 'a <b>study'
    (folder / 'runs').mkdir(parents=True)
    (folder / 'study.yaml').write_text(f'tasks: [depot:4]  # {EVIL}\n')
    for planner, solved in (('react', 1), ('reactree', 3)):
        for number in range(4):
            name = f'{planner}{number}'
            row = episode_row(
                number,
                planner=planner,
                success=number < solved,
                instruction=EVIL,
                family=EVIL,
                reason='' if number < solved else f'{EVIL} Conditions: 0 of 1 {EVIL}',
                run=name,
            )
            append_row(folder / 'episodes.jsonl', row)
            events = [
                Decision(1, 0, DecisionKind.START, text=EVIL),
                Observation(EVIL, skill=f'take {EVIL}', node_id=1, sequence=2),
            ]
            lines = [encode_event(event) for event in events]
            (folder / 'runs' / f'{name}.jsonl').write_text('\n'.join(lines) + '\n')
    return folder


class Seen(HTMLParser):
    """Tags with attributes, and the text outside of script and style."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ''
        self._in = ''
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._in = tag

    def handle_endtag(self, tag):
        self._in = ''

    def handle_data(self, data):
        if self._in not in ('script', 'style'):
            self.text += data


def parsed(*words):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(list(map(str, words)))


def test_texts_of_others_stay_texts(study):
    seen = Seen(report(study, Options()).text)
    tags = [tag for tag, _ in seen.tags]
    assert tags.count('script') == 1
    assert 'img' not in tags
    assert not any(name.startswith('on') for _, told in seen.tags for name in told)
    assert 'alert(1)' in seen.text
    selects = [told['data-key'] for tag, told in seen.tags if tag == 'select']
    assert selects == ['react1', 'react2', 'react3', 'reactree3']


def test_nothing_is_fetched(study):
    text = report(study, Options()).text
    assert not re.search(r'(?:src|href)="(?!#)', re.sub(r'<script>.*?</script>', '', text))
    assert not re.search(r'@import|url\(', text)
    assert "default-src 'none'" in text


def test_links_lead_to_what_is_there(study):
    seen = Seen(report(study, Options()).text)
    known = {told['id'] for _, told in seen.tags if 'id' in told}
    links = [told['href'] for tag, told in seen.tags if tag == 'a']
    assert links and all(link[1:] in known for link in links)


def test_the_page_is_written_into_the_folder(study, capsys):
    assert command.run(parsed(study)) == 0
    assert (study / 'report.html').read_text().startswith('<!doctype html>')
    said = capsys.readouterr().out
    assert 'report.html' in said and '###' not in said
    # A layout that is named is read in the terminal, too.
    assert command.run(parsed(study, '--layout', 'general')) == 0
    said = capsys.readouterr().out
    assert '### All that was measured' in said and 'report.html' in said


@pytest.mark.parametrize(('form', 'begin'), [
    ('markdown', '### '), ('latex', '\\begin{table}'), ('csv', '# '),
])  # fmt: skip
def test_other_formats_go_to_standard_output_or_a_file(study, capsys, tmp_path, form, begin):
    assert command.run(parsed(study, '--format', form)) == 0
    told = capsys.readouterr().out
    assert told.startswith(begin)
    assert command.run(parsed(study, '--format', form, '--out', tmp_path / 'x')) == 0
    assert (tmp_path / 'x').read_text() == told


def test_layouts_and_comparisons_are_chosen(study):
    names = [table.name for table in report(study, Options('markdown')).tables]
    assert names == ['general', 'compare_planner', 'failures']
    chosen = Options('markdown', ('adapt', 'tasks'), ('model',))
    names = [table.name for table in report(study, chosen).tables]
    assert 'tasks' in names and 'adapt_2' in names
    assert 'general' not in names and 'compare_planner' not in names
    assert len(report(study, Options('markdown', ('all',))).tables) > 8


def test_labels_of_people_are_compared_with_the_rules(study, tmp_path):
    file = tmp_path / 'labels.json'
    file.write_text(json.dumps({'study': 's', 'labels': {'react1': 'search: revisits'}}))
    found = report(study, Options('markdown', labels=file))
    assert 'agreement' in [table.name for table in found.tables]
    labelled = command.labelled_rows(found.rows, found.failures)
    assert labelled[1].failure == 'search: revisits'
    assert labelled[0].failure == ''
    page = report(study, Options(labels=file)).text
    assert '<option value="search: revisits" selected>' in page


def test_a_page_to_label_shows_no_rules_and_always_draws_the_same(study):
    found = report(study, Options(relabel=2))
    assert len(found.failures) == 2
    assert found.text == report(study, Options(relabel=2)).text
    seen = Seen(found.text)
    assert 'By rules' not in seen.text and 'What was done' in seen.text
    assert 'episodes' not in {told.get('id') for _, told in seen.tags}
    assert len(report(study, Options(relabel=99)).failures) == 4


def test_a_page_without_matplotlib_says_so(study, monkeypatch):
    def missing(rows):
        raise ConfigurationError('Plots need matplotlib: install it.')

    monkeypatch.setattr(command, 'plots', missing)
    assert 'Plots need matplotlib' in Seen(report(study, Options()).text).text


def refused(folder, *words):
    with pytest.raises(ConfigurationError) as raised:
        command.run(parsed(folder, *words))
    return str(raised.value)


def test_bad_input_is_told_in_a_sentence(study, tmp_path):
    assert 'there is no folder' in refused(tmp_path / 'gone')
    empty = tmp_path / 'empty'
    empty.mkdir()
    assert 'is no study' in refused(empty)
    (empty / 'episodes.jsonl').write_text('{"torn\n')
    assert 'has no episode' in refused(empty)
    labels = tmp_path / 'labels.json'
    assert 'cannot be read' in refused(study, '--labels', labels)
    labels.write_text('{"labels": {"nobody": "search: revisits"}}')
    assert 'nobody, which is no failure of this study' in refused(study, '--labels', labels)
    labels.write_text('{"labels": {"react1": "bad luck"}}')
    assert '"bad luck" of react1 is no kind of failure' in refused(study, '--labels', labels)
    labels.write_text('[1]')
    assert str(labels) in refused(study, '--labels', labels)
    assert 'cannot be written' in refused(study, '--out', tmp_path / 'no' / 'x.html')
    assert 'leave --format out' in refused(study, '--relabel', '3', '--format', 'csv')
    for file in (study / 'runs').iterdir():
        file.unlink()
    assert 'nothing to label' in refused(study, '--relabel', '3')


@pytest.mark.parametrize(
    ('options', 'told'),
    [
        (Options(layouts=('plain',)), 'there is no layout "plain"; there are: general'),
        (Options('pdf'), 'there is no format "pdf"'),
        (Options(compare=('seed',)), '"seed" cannot be compared'),
    ],
)
def test_unknown_options_are_told_with_those_there_are(study, options, told):
    with pytest.raises(ConfigurationError, match=re.escape(told)):
        report(study, options)


def test_rows_can_be_had_as_parquet(study, tmp_path):
    assert command.run(parsed(study, '--format', 'csv', '--parquet', tmp_path / 'rows')) == 0
    table = parquet.read_table(tmp_path / 'rows').to_pylist()
    assert len(table) == 8
    assert (table[0]['failure'], table[3]['failure']) == ('', 'execution: gave up')


def test_every_layout_has_its_word():
    assert tuple(LAYOUTS) == LAYOUT_NAMES
