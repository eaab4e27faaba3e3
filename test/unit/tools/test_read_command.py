"""`reactree read`: what a task would be read as, and whether all of it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reactree_tools.command_line import main
from reactree_tools.exit_codes import ExitCode

_ROOT = Path(__file__).parents[3]
_GARDEN = _ROOT / 'benchmarks' / 'grounding' / 'phrasings' / 'garden.yaml'
_ROBOT = _ROOT / 'examples' / 'mobile_robot' / 'robot.yaml'


def read(capsys, sentence, *options):
    status = main(['read', sentence, '--plain', *options])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.fixture
def names(tmp_path):
    file = tmp_path / 'names.yaml'
    file.write_text(
        """
vocabulary:
  skills:
    - {template: take <thing>, slots: [thing], kind: take}
    - {template: put <thing> in <place>, slots: [thing, place], kind: put}
    - {template: open <place>, slots: [place], kind: open}
  object_classes: [rope, net]
  place_classes: [chest, raft]
""",
        encoding='utf-8',
    )
    return ('--vocabulary', str(file))


def test_a_sentence_that_is_read_whole_ends_well(capsys, names):
    status, out, _ = read(capsys, 'Put a rope in the chest, then open the raft.', *names)
    assert status == ExitCode.OK
    lines = [line.split() for line in out.splitlines()]
    assert ['goal', 'rope', 'in', 'chest'] in lines
    assert ['then', 'rope', 'in', 'chest'] in lines
    assert ['and', 'raft', 'is', 'open'] in lines
    assert out.splitlines()[-1] == 'whole       yes, every word was read'


def test_what_was_not_read_is_marked_and_ends_with_3(capsys, names):
    status, out, _ = read(capsys, 'Put a rope in the chest and a kayak on the raft.', *names)
    assert status == ExitCode.PARTIAL == 3
    assert '? not read' in out
    assert 'whole       no, because this was not read:' in out


def test_as_json_it_is_the_whole_goal(capsys, names):
    status, out, _ = read(capsys, 'Put a rope in the chest.', '--json', *names)
    goal = json.loads(out)
    assert status == ExitCode.OK
    assert goal['milestones'] == [['rope in chest']]
    assert goal['whole'] is True and goal['because'] == ''
    assert goal['language'] == 'en' and goal['by'] == 'skill'
    assert {'text': 'rope', 'account': 'rope in chest'} in goal['words']
    assert goal['never'] == goal['rules'] == goal['unread'] == goal['left_to_model'] == []
    assert {'acts', 'ties', 'sources', 'text'} <= goal.keys()


def test_another_language_is_told(capsys, names):
    status, out, _ = read(capsys, 'Öffne niemals die Truhe', *names)
    assert status == ExitCode.PARTIAL
    assert 'German' in out and 'the grammar does not know' in out


@pytest.mark.parametrize('sentence', ['😀😀😀', '!!!', '—'])
def test_a_sentence_without_words_is_not_whole(capsys, names, sentence):
    status, out, _ = read(capsys, sentence, *names)
    assert status == ExitCode.PARTIAL
    assert 'it has no words' in out


@pytest.mark.parametrize('sentence', ['', '   '])
def test_no_sentence_is_bad_input(capsys, names, sentence):
    status, _, err = read(capsys, sentence, *names)
    assert status == ExitCode.UNUSABLE
    assert 'There is no sentence' in err


def test_a_sentence_that_is_too_long_is_bad_input(capsys, names):
    with pytest.raises(SystemExit) as ended:
        read(capsys, 'open ' * 800, *names)
    assert ended.value.code == ExitCode.UNUSABLE
    assert 'say it in fewer words' in capsys.readouterr().err


def test_names_must_come_from_somewhere(capsys):
    with pytest.raises(SystemExit) as ended:
        main(['read', 'open the chest'])
    assert ended.value.code == ExitCode.UNUSABLE


def test_a_file_that_cannot_be_used_is_bad_input(capsys, tmp_path):
    status, _, err = read(capsys, 'open', '--vocabulary', str(tmp_path / 'none.yaml'))
    assert status == ExitCode.UNUSABLE
    assert 'cannot be read' in err


def test_a_model_is_needed_for_it_to_read(capsys, names):
    status, _, err = read(capsys, 'open the chest', '--reading', 'model', *names)
    assert status == ExitCode.UNUSABLE
    assert 'name it with --model' in err


def test_a_model_reads_too(capsys, names, tmp_path):
    script = tmp_path / 'script.yaml'
    form = {
        'language': 'de',
        'milestones': [
            {
                'conditions': [
                    {
                        'relation': 'is',
                        'thing': 'chest',
                        'value': 'open',
                        'words': 'Öffne die Truhe',
                    }
                ]
            }
        ],
        'taken_for': [{'words': 'Truhe', 'name': 'chest'}],
    }
    script.write_text(json.dumps([json.dumps(form)]), encoding='utf-8')
    model = ('--model', f'scripted:{script}', '--reading', 'model')
    status, out, _ = read(capsys, 'Öffne die Truhe', *model, '--json', *names)
    goal = json.loads(out)
    assert goal['milestones'] == [['chest is open']]
    assert goal['by'] == 'model' and goal['language'] == 'de'
    assert status == ExitCode.OK


def test_names_of_the_phrasings_a_scene_and_a_robot_are_taken(capsys):
    for source, sentence in (
        (('--vocabulary', str(_GARDEN)), 'Open the gate.'),
        (('--scene', 'generated:3'), 'Open the fridge.'),
        (('--robot', str(_ROBOT)), 'Go to the dock.'),
    ):
        status, out, err = read(capsys, sentence, *source)
        assert status in (ExitCode.OK, ExitCode.PARTIAL), err
        assert 'whole' in out
