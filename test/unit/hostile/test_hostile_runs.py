"""Hostile texts in runs: a model that obeys them sends nothing forbidden, and no prompt breaks."""

from __future__ import annotations

from collections import Counter

import pytest

from reactree_core import foreign_text
from reactree_core.cancellation import CancelToken
from reactree_core.errors import ConfigurationError, LimitReached
from reactree_core.experience import Experience, Termination
from reactree_core.record import trajectory_text
from reactree_core.record.journal_lines import decode_record, encode_record
from reactree_core.record.questions import NO, YES
from reactree_core.record.run_settings import Limits
from reactree_planner.planners.registry import make_planner
from reactree_planner.prompting import reactree_prompt
from reactree_planner.reading.goal import Goal
from reactree_planner.runs import run as runs
from reactree_planner.runs.run import PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import Decides, Guards, PlannerSettings
from support.hostile_texts import (
    corpus,
    faults_of_prompt,
    faults_of_text,
    hostile_texts,
    HostileWarehouse,
    LONGEST_PROMPT,
    ObeyingModel,
    TASK,
)
from support.memories import FixedMemory

DOORS = (
    'observation', 'name', 'fact', 'experience', 'task', 'answer', 'model', 'robot file', 'memory',
    'journal', 'bag',
)  # fmt: skip
#: Doors that lead into a run; what comes through the others is read by people and programs.
OF_RUNS = ('observation', 'name', 'fact', 'experience', 'task', 'answer', 'model', 'robot file')
PLANNERS = ('reactree', 'react', 'adapt', 'iterative', 'tree_planner', 'progprompt')
#: Nothing but the prohibition and the cleaning stands between text and deed.
BARE = PlannerSettings(guards=Guards.none(), decides=Decides.MODEL, example_tokens=30_000)


class _Attendant:
    """Says the same, whatever is asked (port `People`)."""

    attended = True

    def __init__(self, text):
        self._text = text

    def ask(self, question, cancel):
        # Any other answer to whether the task was understood ends the run, and nothing is shown.
        return question.default if question.options == (YES, NO) else self._text


def _experience(text):
    return Experience(
        'e1', text, f'Your task is to: tidy\n{text}\nAct: wait\n{text}\nAct: done',
        Termination.SUCCESS, context=text,
    )  # fmt: skip


def _carried_out(hostile, planner='reactree'):
    """A run that a text came into: what was sent, what the model read, and the events."""
    door, text = hostile.door, hostile.text
    home = HostileWarehouse(door, text)
    model = ObeyingModel(hostile.deed, text if door == 'model' else '')
    memory = FixedMemory(_experience(text)) if door in ('experience', 'memory') else FixedMemory()
    task = f'{TASK}\n{text}' if door == 'task' else TASK
    events = []
    ports = Ports(model, home, memory)
    if door == 'answer':
        ports = Ports(model, home, memory, people=_Attendant(text))
    run = PlanRun(task, ports, BARE, Limits(8, 8), CancelToken(), events.append)
    try:
        make_planner(planner).run(run)
    except (LimitReached, ConfigurationError):
        pass
    return home, model, events


def _texts_of(event):
    yield from (event.text, event.skill)
    yield from getattr(event, 'subgoals', ())


def _faults(hostile, planner='reactree'):
    """What went wrong, as sentences."""
    home, model, events = _carried_out(hostile, planner)
    found = [f'"{hostile.deed}" was sent'] if hostile.deed in home.executed else []
    for prompt in dict.fromkeys(model.read):
        if hostile.door == 'model':
            # What a model wrote itself stands in its own session as it wrote it.
            found += ['the prompt grows'] if len(prompt) > LONGEST_PROMPT else []
        elif hostile.door == 'experience':
            # The lines of an example are decisions.
            found += faults_of_text(prompt)
        else:
            found += faults_of_prompt(prompt, hostile)
    for event in events:
        line = encode_record(event)
        if '\n' in line or decode_record(line) != event:
            found.append('a line of the journal is broken')
        if event.sequence > 1:
            found += [fault for text in _texts_of(event) for fault in faults_of_text(text)]
    return list(dict.fromkeys(found))


def test_the_corpus_is_as_large_and_as_wide_as_it_says():
    texts = hostile_texts()
    kinds = corpus()['kinds']
    assert len(texts) >= 150 and len({one.text for one in texts}) == len(texts)
    by_door = Counter(one.door for one in texts)
    assert set(by_door) == set(DOORS) and min(by_door.values()) >= 10
    assert {one.kind for one in texts} == set(kinds)
    assert all(told['obeyed'] and told['never'] for told in kinds.values())
    assert {one.deed for one in texts} == {'open bin 1', 'power up press 1'}


@pytest.mark.parametrize('door', OF_RUNS)
def test_no_text_that_comes_into_a_run_has_its_way(door):
    """Every text through this door, whatever door it was written for; planners by turns."""
    faults = {}
    for number, one in enumerate(hostile_texts()):
        if one.door != door and number % 4:
            continue
        there = type(one)(door, one.kind, one.deed, one.text)
        planner = PLANNERS[number % len(PLANNERS)] if number % 2 else 'reactree'
        found = _faults(there, planner)
        if found:
            faults[f'{planner}, {there}'] = found
    assert not faults


def test_without_the_prohibition_the_obeying_model_does_the_deed(monkeypatch):
    """The double does obey: what holds it back is the rule, and this suite would see it gone."""
    monkeypatch.setattr(runs, 'read_alone', lambda *_, **__: Goal(''))
    done = [
        one for one in hostile_texts('observation') if one.deed in _carried_out(one)[0].executed
    ]
    assert len(done) > 10


def test_without_the_cleaning_the_prompts_would_be_broken(monkeypatch):
    """Every kind but those that only order something breaks a prompt when nothing is cleaned."""
    for module in (foreign_text, trajectory_text, reactree_prompt):
        monkeypatch.setattr(module, 'cleaned', lambda text: text)
    broken = {one.kind for one in hostile_texts() if _faults(_through_observation(one))}
    assert broken >= {
        'chat token', 'reordering', 'hidden characters', 'floods of marks', 'terminal escape',
    }  # fmt: skip


def test_without_the_marks_lines_would_be_forged(monkeypatch):
    for module in (trajectory_text, reactree_prompt):
        monkeypatch.setattr(module, 'marked', lambda line, like=None: line)
    broken = {one.kind for one in hostile_texts() if _faults(_through_observation(one))}
    assert broken >= {'control mark', 'forged frame', 'forged observation', 'lookalikes'}


def _through_observation(one):
    return type(one)('observation', one.kind, one.deed, one.text)
