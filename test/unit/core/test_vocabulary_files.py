"""Skills and names from a file, written by a person or answered by a server."""

from __future__ import annotations

import json
import re

import pytest

from reactree_core.errors import ConfigurationError
from reactree_core.skill_types import SkillKind
from reactree_core.vocabulary_files import read_vocabulary

_WRITTEN = """
vocabulary:
  skills:
    - {template: lift <crate>, slots: [thing], kind: take, other_words: [hoist]}
  object_classes: [crate]
  place_classes: [dock]
  other_words: {crate: [box]}
phrasings: []
"""
_ANSWER = {
    'templates': ['lift <crate>'],
    'place_classes': ['dock'],
    'rooms': ['aisle 1'],
    'admissible_skills': ['lift crate 1'],
    'observation': {'text': 'A crate.'},
    'skill_types': [{'skill_template': 'lift <crate>', 'slot_types': ['thing'], 'kind': 2}],
    'classes': [
        {'name': 'crate', 'kind': 0, 'other_words': ['box']},
        {'name': 'Ann', 'kind': 3, 'other_words': []},
    ],
}


def written(tmp_path, text, name='names.yaml'):
    file = tmp_path / name
    file.write_text(text, encoding='utf-8')
    return file


def test_what_a_person_writes_is_read(tmp_path):
    vocabulary = read_vocabulary(written(tmp_path, _WRITTEN))
    assert vocabulary.templates == ('lift <crate>',)
    assert vocabulary.skills[0].kind is SkillKind.TAKE
    assert vocabulary.skills[0].other_words == ('hoist',)
    assert vocabulary.object_classes == ('crate',) and vocabulary.place_classes == ('dock',)
    assert vocabulary.other_words == (('crate', 'box'),)


def test_what_a_server_answers_is_read(tmp_path):
    vocabulary = read_vocabulary(written(tmp_path, json.dumps(_ANSWER), 'answer.json'))
    assert vocabulary.templates == ('lift <crate>',)
    assert vocabulary.skills[0].kind is SkillKind.TAKE
    assert vocabulary.object_classes == ('crate',)
    assert vocabulary.rooms == ('aisle 1',) and vocabulary.other_classes == ('Ann',)
    assert vocabulary.other_words == (('crate', 'box'),)


@pytest.mark.parametrize(
    ('text', 'name', 'says'),
    [
        ('', 'a.yaml', 'is no vocabulary'),
        ('[1, 2]', 'a.yaml', 'is no vocabulary'),
        ('names: [crate]', 'a.yaml', 'is no vocabulary'),
        ('{', 'a.json', 'a.json'),
        ('vocabulary: 7', 'a.yaml', 'is no vocabulary'),
        ('vocabulary: {skills: []}', 'a.yaml', 'declares no skill'),
        ('vocabulary: {skills: [{template: lift, kind: hop}]}', 'a.yaml', "the kind 'hop'"),
        (
            'vocabulary: {skills: [{template: lift <crate>, effects: [<crate> flies]}]}',
            'a.yaml',
            '<crate> flies',
        ),
        ('vocabulary: {skills: [{template: lift, colour: red}]}', 'a.yaml', 'colour'),
        ('{"templates": "lift"}', 'a.json', 'templates'),
        ('{"templates": []}', 'a.json', 'declares no skill'),
    ],
)
def test_a_file_that_cannot_be_used_gets_a_sentence(tmp_path, text, name, says):
    with pytest.raises(ConfigurationError, match=re.escape(says)):
        read_vocabulary(written(tmp_path, text, name))


def test_a_file_that_is_not_there_gets_a_sentence(tmp_path):
    with pytest.raises(ConfigurationError, match='cannot be read'):
        read_vocabulary(tmp_path / 'none.yaml')
