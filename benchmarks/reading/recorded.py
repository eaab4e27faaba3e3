"""Recorded readings of a strong model, as forms, and the goals that were published for them.

The files are the user's: `strong_readings/development.jsonl` and `vocabularies.json.gz`, and for
the published goals `eb_alfred`.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.reading.form import (
    Circumstance,
    FormCondition,
    FormMilestone,
    GoalForm,
    Inquiry,
    Interpretation,
    Limit,
    Prohibition,
    Remainder,
)
from reactree_planner.reading.vocabulary import ServerWords

#: Relation, thing and value of a final condition, and its count.
Final = dict[tuple[str, str | None, str | None], object]
_OPPOSITE = {'open': 'closed', 'closed': 'open', 'on': 'off', 'off': 'on'}
_TREATED = {'clean': 'clean', 'heat': 'hot', 'cool': 'cool'}
_EB = 'eb_alfred'


@dataclass(frozen=True)
class Recorded:
    """A sentence and the form that a model wrote of it.

    :param published: the final conditions of the published goal; None where there is none.
    """

    id: str
    set: str
    sentence: str
    words: ServerWords
    form: GoalForm
    published: Final | None = None

    @property
    def is_exact(self) -> bool:
        """Whether its final conditions are the published ones."""
        return self.published is not None and same_goal(final(self.form), self.published)


def read_recorded(data: Path) -> Iterator[Recorded]:
    """The recorded readings of the development half.

    :param data: folder of the shared data. :raises OSError: a file is missing.
    """
    folder = data / 'strong_readings'
    with gzip.open(folder / 'vocabularies.json.gz', 'rt', encoding='utf-8') as file:
        vocabularies = json.load(file)
    splits_file = data / _EB / 'splits.json'
    splits = json.loads(splits_file.read_text('utf-8')) if splits_file.is_file() else {}
    servers: dict[str, ServerWords] = {}
    for line in (folder / 'development.jsonl').read_text('utf-8').splitlines():
        row = json.loads(line)
        name = row['vocabulary']
        if name not in servers:
            servers[name] = ServerWords(_vocabulary(vocabularies[name]))
        group, _, kind = row['set'].partition('/')
        published = None
        number = re.search(r'(\d+)$', row['id'])
        if group == _EB and splits and number:
            entry = splits[kind][int(number[1])]
            task = data / _EB / 'tasks' / entry['task'] / 'traj_data.json'
            published = _published(json.loads(task.read_text('utf-8')))
        form = _form(row['goal'])
        yield Recorded(row['id'], group, row['sentence'], servers[name], form, published)


def _vocabulary(told: Mapping[str, Any]) -> Vocabulary:
    types = tuple(
        SkillType(
            one['template'],
            tuple(one['slots']),
            SkillKind[one['kind'].upper()],
            '',
            tuple(one['effects']),
            one['description'],
            tuple(one['other_words']),
            tuple(one['needs']),
        )
        for one in told['skills']
    )
    return Vocabulary(
        tuple(one.template for one in types),
        tuple(told['things']),
        tuple(told['places']),
        tuple(told['rooms']),
        types,
        tuple(told['others']),
        tuple(map(tuple, told['other_words'])),
        '',
        told['about'],
        tuple(told['states']),
        tuple(told['numbers']),
    )


def _condition(told: Mapping[str, Any]) -> FormCondition:
    relation, thing, value = told['relation'], told['thing'], told['value']
    return FormCondition(relation, thing, value, told['count'], told['from'], words=told['words'])


def _form(told: Mapping[str, Any]) -> GoalForm:
    when, question = told['when'], told['question']
    circumstance = inquiry = None
    if when:
        conditions = tuple(map(_condition, when['conditions']))
        circumstance = Circumstance(when['kind'], conditions, when['seconds'], words=when['words'])
    if question:
        about = FormCondition('in', question['about'], None, words=question['words'])
        inquiry = Inquiry('whether', about, words=question['words'])
    return GoalForm(
        told['language'],
        tuple(FormMilestone(tuple(map(_condition, one))) for one in told['milestones']),
        tuple(
            # The form that was recorded has "use" where this one has "touch".
            Prohibition(
                _doing(one['doing']),
                one['thing'],
                one['place'],
                words=one['words'],
            )
            for one in told['never']
        ),
        tuple(
            Limit(
                _doing(one['doing']),
                float(one['at_most']),
                one['thing'],
                one['place'],
                words=one['words'],
            )
            for one in told['limits']
        ),
        when=circumstance,
        question=inquiry,
        taken_for=tuple(
            Interpretation(one['words'], one['name'], tuple(one['others']))
            for one in told['taken_for']
        ),
        cannot_say=tuple(
            Remainder(one['words'], one['why'], one['matters']) for one in told['cannot_say']
        ),
    )


# Final conditions --------------------------------------------------------------------------------


def final(form: GoalForm) -> Final:
    """What holds at the end: a later place of a thing replaces an earlier one, and its holding."""
    found: Final = {}
    placing = ('in', 'holding')
    for milestone in form.milestones:
        moved = {one.thing for one in milestone.conditions if one.relation in placing}
        found = {
            key: n for key, n in found.items() if key[0] not in placing or key[1] not in moved
        }
        for one in milestone.conditions:
            opposite = _OPPOSITE.get(one.value or '')
            if one.relation == 'is' and opposite:
                found.pop(('is', one.thing, opposite), None)
            if one.relation in ('in', 'is', 'holding'):
                found[one.relation, one.thing, one.value] = one.count
    return found


def same_goal(read: Final, published: Final) -> bool:
    """Whether two sets of final conditions are the same; "all" is as good as two."""
    return set(read) == set(published) and all(
        read[key] == published[key]
        or ('all' in (read[key], published[key]) and 1 not in (read[key], published[key]))
        for key in published
    )


def _published(task: Mapping[str, Any]) -> Final:
    told = {k: v.lower() if isinstance(v, str) else v for k, v in task['pddl_params'].items()}
    kind, thing = task['task_type'], told['object_target']
    if kind == 'look_at_obj_in_light':
        return {('holding', thing, None): 1, ('is', told['toggle_target'], 'on'): 1}
    count = 2 if kind.startswith('pick_two') else 1
    goal: Final = {}
    holder = told.get('mrecep_target')
    if holder:
        goal['in', thing, holder] = 1
        goal['in', holder, told['parent_target']] = 1
    else:
        goal['in', thing, told['parent_target']] = count
    for word, state in _TREATED.items():
        if f'_{word}_' in f'_{kind}_':
            goal['is', thing, state] = 1
    if told.get('object_sliced'):
        goal['is', thing, 'sliced'] = count
    return goal


def _doing(said: str) -> str:
    """An act of the recorded form in the words of this one."""
    return {'use': 'touch', 'turn on': 'switch on', 'turn off': 'switch off'}.get(said, said)
