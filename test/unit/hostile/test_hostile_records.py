"""Hostile texts in what strangers hand over: read as data, shown as text, bounded."""

from __future__ import annotations

import datetime
import json
import re
from importlib import resources

import pytest

from memory_server.exchange.files import read_file as read_experiences
from memory_server.exchange.json_lines import write_line
from reactree_core.errors import ConfigurationError, JournalError, RecordingError
from reactree_core.experience import Experience, Termination
from reactree_core.record.journal import read_records
from reactree_core.record.journal_lines import encode_record
from reactree_core.record.questions import Question
from reactree_core.record.snapshot import reduce_events
from reactree_core.skill_vocabulary import SkillVocabulary
from reactree_core.written_files import read_file
from reactree_tools.output import Output
from reactree_tools.recording.bags import read_messages
from reactree_tools.viewer.frames import FrameMaker
from reactree_tools.views.agent_tree import agent_tree
from reactree_tools.views.memory_view import experience_lines, experience_page
from reactree_tools.views.transcript import Transcript
from support.hostile_texts import faults_of_screen, hostile_texts, names_of, Screen, strangers_run

#: Characters of all that a screen shows of a record with one hostile text in every field.
MOST_SHOWN = 100_000
_PLAIN_VALUES = (
    str, int, float, bool, bytes, list, dict, set, type(None), datetime.date, datetime.datetime,
)  # fmt: skip


def _experience(text):
    return Experience(
        text, text, f'Your task is to: {text}\n{text}\nAct: done', Termination.SUCCESS,
        text, text, text, text, domain=text, context=text,
    )  # fmt: skip


def _shown(text, events):
    """All that a terminal gets of a record, an experience, a question and an error."""
    screen, errors = Screen(), Screen()
    output = Output(out=screen, err=errors)
    transcript = Transcript(output.glyphs, 80)
    lines = [line for event in events for line in transcript.lines(event)]
    lines.append(agent_tree(reduce_events(events), output.glyphs))
    lines += experience_lines([_experience(text)], output.glyphs, 80)
    for line in lines:
        output.console.print(line)
    output.error(text[:5000])
    output.warn(text[:5000])
    return screen.getvalue() + errors.getvalue()


@pytest.fixture(scope='module')
def journals(tmp_path_factory):
    """Every text in a stranger's journal, read."""
    folder = tmp_path_factory.mktemp('journals')
    found = []
    for number, one in enumerate(hostile_texts()):
        path = folder / f'{number}.jsonl'
        lines = (encode_record(event) for event in strangers_run(one.text[:20_000]))
        path.write_text(''.join(f'{line}\n' for line in lines), 'utf-8')
        found.append((one, list(read_records(path))))
    return found


def test_a_journal_of_a_stranger_is_read_as_it_is_and_shown_as_text(journals):
    for one, events in journals:
        assert events == strangers_run(one.text[:20_000]), one
        shown = _shown(one.text[:20_000], events)
        assert not faults_of_screen(shown), one
        assert len(shown) < MOST_SHOWN, one


def test_without_the_rule_of_the_screen_escapes_would_reach_it(journals, monkeypatch):
    for module in ('transcript', 'agent_tree', 'memory_view', 'statuses'):
        monkeypatch.setattr(f'reactree_tools.views.{module}.visible', lambda text, limit=0: text)
    wanted = ('terminal escape', 'reordering')
    faults = {
        one.kind
        for one, events in journals
        if one.kind in wanted and faults_of_screen(_shown(one.text, events))
    }
    assert faults == set(wanted)


def test_an_experience_of_a_stranger_is_shown_as_text():
    for one in hostile_texts('experience', 'memory'):
        output = Output(out=(screen := Screen()), err=Screen())
        for line in experience_page(_experience(one.text), 0.0, output.glyphs, 80):
            output.console.print(line)
        assert not faults_of_screen(screen.getvalue()), one


def test_frames_of_the_viewer_are_data(journals):
    for one, events in journals:
        maker = FrameMaker()
        told = json.dumps([maker.frame(event) for event in events])
        assert told.isascii() and '\n' not in told, one


def test_the_page_makes_text_of_what_it_is_told():
    """No way to make markup, a program or an address of a text is used anywhere in the page."""
    page = resources.files('reactree_tools.viewer') / 'page'
    scripts = [file for file in page.iterdir() if file.name.endswith('.js')]
    assert len(scripts) > 15
    ways = re.compile(
        r'innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser'
        r'|createContextualFragment|srcdoc|set(?:Timeout|Interval)\(\s*[\'"`]|javascript:'
        r'|\.cssText|\bimport\([^\'"]'
    )
    for file in scripts:
        assert not ways.search(file.read_text('utf-8')), file.name


@pytest.mark.parametrize('one', hostile_texts('answer'), ids=names_of(hostile_texts('answer')))
def test_an_answer_is_one_line_or_refused(one):
    words = Question('Which crate?').answer
    try:
        said = words(one.text)
    except ConfigurationError:
        return
    assert said.isprintable() and len(said) <= 500
    with pytest.raises(ConfigurationError):
        Question('Which crate?', ('crate 1', 'crate 2')).answer(one.text)


# Files ---------------------------------------------------------------------------------------


def _is_plain(value):
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    if isinstance(value, (list, set, tuple)):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN_VALUES)


def test_files_that_people_write_become_plain_values_or_a_sentence(tmp_path):
    """Robot files, vocabularies, presets, domains: all are read by `written_files`."""
    path = tmp_path / 'robot.yaml'
    for one in hostile_texts():
        start = one.text[:20_000]
        for text in (start, f'skills:\n  {start}', f'names: {start}'):
            path.write_text(text, 'utf-8', newline='')
            try:
                found = read_file(path)
            except ConfigurationError as error:
                assert len(str(error)) < 2000, one
            else:
                assert _is_plain(found), one


def test_a_vocabulary_takes_words_and_nothing_else(tmp_path):
    path = tmp_path / 'words.yaml'
    for one in hostile_texts('robot file', 'name'):
        path.write_text(
            json.dumps({'skills': {'open <place>': f'open <place> {one.text[:200]}'}}), 'utf-8'
        )
        try:
            words = SkillVocabulary.load(path)
        except ConfigurationError:
            continue
        assert isinstance(words.to_robot('open bin 1'), str)


def test_memories_of_strangers_are_read_whole_or_named_as_broken(tmp_path):
    lines, texts = tmp_path / 'memory.jsonl', tmp_path / 'memory.txt'
    for one in hostile_texts():
        kept = _experience(one.text[:500])
        lines.write_text(f'{write_line(kept)}\n{one.text}\n', 'utf-8')
        texts.write_text(f'Your task is to: {one.text}', 'utf-8')
        for path in (lines, texts):
            for entry in read_experiences(path):
                assert isinstance(entry, (Experience, ConfigurationError)), one
        assert next(iter(read_experiences(lines))) == kept or not kept.goal.strip()


def test_what_is_no_journal_is_refused_with_a_sentence(tmp_path):
    path = tmp_path / 'run.jsonl'
    for one in hostile_texts('journal'):
        path.write_text(f'{one.text}\n{one.text}\n', 'utf-8')
        with pytest.raises(JournalError):
            list(read_records(path))


def test_what_is_no_bag_is_refused_with_a_sentence(tmp_path):
    for number, one in enumerate(hostile_texts('bag')):
        bag = tmp_path / str(number)
        bag.mkdir()
        (bag / 'metadata.yaml').write_text(one.text[:20_000], 'utf-8')
        (bag / 'part.mcap').write_bytes(b'\x89MCAP0\r\n' + one.text[:20_000].encode())
        with pytest.raises(RecordingError):
            list(read_messages(bag))
