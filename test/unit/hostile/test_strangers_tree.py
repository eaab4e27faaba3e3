"""A stranger's run as a behaviour tree: whatever it calls things, the module runs none of it."""

from __future__ import annotations

import ast
import json
from functools import cache
from xml.etree import ElementTree

import pytest

from reactree_core.errors import ReactreeError
from reactree_core.observation import Vocabulary
from reactree_core.record.journal_lines import decode_event, encode_event
from reactree_core.skill_types import SkillType
from reactree_tools.behavior_trees.proven_tree import behavior_tree
from reactree_tools.behavior_trees.python_writing import python_text
from reactree_tools.behavior_trees.xml_writing import xml_text
from support.hostile_texts import hostile_texts
from support.recorded_trees import Recording, warehouse

#: What would be a program, if a text became one where the module is written.
PROGRAMS = (
    '{evil()}',
    '\0evil()\0',
    "'+evil()+'",
    '"""+evil()+"""',
    "'), evil(), ('",
    '\\x27+evil()',
    '#}{evil()}',
    'a\n    evil()\n    b',
    '{{evil()}}',
    '{evil()!r}',
    '\u2028evil()',
    '<!-- --><evil/>',
    ']]><evil/>',
)
#: Words that stand in a run of the warehouse: a thing, a place, a region, a state and a verb.
WORDS = ('crate', 'bin', 'aisle 1', 'shelf 1', 'open', 'grip', 'drive to')


@cache
def run_of_warehouse():
    """A run that fetches the crate: its events as lines, and what the server declares."""
    run = Recording(warehouse(), 'bring the crate to the shelf', ('crate in shelf', 'bin is open'))
    run.act(1, 'drive to bin 2', 'open bin 2', 'grip crate 1', 'drive to shelf 1')
    run.act(1, 'release crate 1')
    run.finish(1)
    return run.events, run.vocabulary


def told_otherwise(text, word, hostile):
    """A text of JSON with another word in it."""
    return text.replace(word, json.dumps(hostile)[1:-1])


def renamed(vocabulary, word, hostile):
    """What a server declares, with another word in it."""

    def other(told):
        return told.replace(word, hostile)

    return Vocabulary(
        tuple(map(other, vocabulary.templates)),
        tuple(map(other, vocabulary.object_classes)),
        tuple(map(other, vocabulary.place_classes)),
        tuple(map(other, vocabulary.rooms)),
        tuple(
            SkillType(
                other(one.template),
                one.slot_types,
                one.kind,
                other(one.inverse),
                tuple(other(fact.text) for fact in one.facts),
            )
            for one in vocabulary.skill_types
        ),
    )


def trees(word, hostile):
    """The tree of a run in which a word is another; nothing where that cannot be one."""
    events, vocabulary = run_of_warehouse()
    try:
        told = [decode_event(told_otherwise(encode_event(one), word, hostile)) for one in events]
        yield behavior_tree(told, renamed(vocabulary, word, hostile), hostile)
        yield behavior_tree(told, vocabulary, hostile)
    except (ReactreeError, ValueError):
        return


def called(text):
    """Names of all that the module calls."""
    calls = (node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return {func.id if isinstance(func, ast.Name) else func.attr for func in calls}


def written(tree):
    """Module and file of a tree; '' where a sentence says that it cannot be written."""
    try:
        return python_text(tree), xml_text(tree)
    except ReactreeError:
        return '', ''


def faults_of(word, hostile):
    found = []
    for tree in trees(word, hostile):
        module, file = written(tree)
        if called(module) & {'evil', '__import__', 'system', 'eval', 'exec'}:
            found.append(f'a program is in the module: {word} as {hostile[:40]!r}')
        elements = ElementTree.fromstring(file.encode()).iter() if file else ()
        if any(one.tag == 'evil' for one in elements):
            found.append(f'an element is in the file: {word} as {hostile[:40]!r}')
    return found


def test_the_run_is_one_that_becomes_a_tree():
    (tree, _) = trees('nothing of it', 'x')
    assert {'Skill', 'Condition', 'sequence'} <= called(written(tree)[0])


@pytest.mark.parametrize('word', WORDS)
@pytest.mark.parametrize('program', PROGRAMS)
def test_no_name_becomes_a_program(word, program):
    assert not faults_of(word, program)


def test_no_text_of_the_corpus_becomes_a_program():
    for number, one in enumerate(hostile_texts()):
        assert not faults_of(WORDS[number % len(WORDS)], one.text[:300]), one
