"""What cannot be reached, beside a search through all states: it is said so, and why."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from random import Random

import pytest

from reactree_core.observation import ObjectFact, Observation, Outcome, Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.facts.conditions import conditions_of
from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.facts.retries import RETRIES
from reactree_planner.facts.things import HAND
from reactree_planner.facts.unreachable import Cause, told
from unit.facts.made_up import GO, MadeUp, play, PUT, skill, TAKE
from unit.facts.test_plan_quality import made, shortest


def texts_of(world):
    """All skills that name what is there."""
    found = [f'drive to {place}' for place in world.places]
    found += [f'{verb} {place}' for place in world.states for verb in ('fold', 'unfold')]
    for name in world.things:
        found += [f'grab {name}', f'rinse {name} with hose 1']
        found += [f'leave {name} at {place}' for place in world.places]
    return found


def kept_from(seed):
    """A world, what is wanted, and skills without which it may not be reached."""
    world, asked = made(seed)
    dice = Random(seed)
    if seed % 2:
        verb = dice.choice(('drive', 'grab', 'leave', 'unfold', 'fold', 'rinse'))
        return world, asked, {text for text in texts_of(world) if text.split()[0] == verb}
    return world, asked, set(dice.sample(texts_of(world), 6))


def test_a_way_without_what_is_forbidden_is_found_wherever_there_is_one():
    reached = 0
    for seed in range(60):
        world, asked, barred = kept_from(seed)
        reasoner = Reasoner(
            world.vocabulary(), (conditions_of(tuple(asked)),), barred.__contains__
        )
        step = play(world, reasoner)
        assert barred.isdisjoint(world.done)
        fewest = shortest(made(seed)[0], asked, barred.__contains__)
        assert step.is_done is (fewest < inf), (seed, asked, barred, step)
        reached += step.is_done
        if step.is_done:
            continue
        why = step.unreachable
        assert why.cause is Cause.FORBIDDEN and why.is_certain
        assert why.skill in barred and why.skill in why.text and why.link in why.text
        assert why.condition in conditions_of(tuple(asked))
    assert 15 < reached < 45


@pytest.mark.parametrize('is_told', [True, False])
def test_what_never_succeeds_is_done_without_or_given_up_by_its_name(is_told):
    for seed in range(0, 40, 2):
        world, asked, broken = kept_from(seed)
        world.failing = dict.fromkeys(broken, 99)
        world.tells_offers = is_told
        reasoner = Reasoner(world.vocabulary(), (conditions_of(tuple(asked)),))
        step = play(world, reasoner, 100)
        fewest = shortest(made(seed)[0], asked, broken.__contains__)
        assert step.is_done is (fewest < inf), (seed, asked, broken, step)
        assert all(world.done.count(text) <= 1 + RETRIES for text in broken)
        if not step.is_done:
            is_move = step.unreachable.skill.startswith('drive')
            assert step.unreachable.cause is (Cause.BLOCKED if is_move else Cause.FAILED)
            assert step.unreachable.skill in broken.intersection(world.done)


@pytest.mark.parametrize('verb', ['drive', 'grab', 'leave', 'rinse'])
def test_what_no_skill_does_is_said(verb):
    for seed in range(20):
        world, asked = made(seed)
        world.types = tuple(one for one in world.types if one.template.split()[0] != verb)
        step = play(world, Reasoner(world.vocabulary(), (conditions_of(tuple(asked)),)))
        fewest = shortest(made(seed)[0], asked, lambda text: text.split()[0] == verb)
        assert step.is_done is (fewest < inf), (seed, asked, verb, step)
        if not step.is_done:
            why = step.unreachable
            assert bool(why.skill) is (why.cause is Cause.NEED) and why.is_certain
            assert why.cause not in (Cause.FORBIDDEN, Cause.FAILED)


RINSE = skill('rinse <crate>', SkillKind.CHANGE, ('<crate> is wet',), (), ('thing: crate',))


@pytest.mark.parametrize(
    ('asked', 'cause', 'link', 'moves'),
    [
        # One crate is found striped: another may be.
        ('2 crate is striped', Cause.NOT_FOUND, 'crate', True),
        ('2 crate is striped; truck is painted', Cause.NO_SKILL, 'truck is painted', False),
        ('truck is painted; 2 crate is striped', Cause.NO_SKILL, 'truck is painted', False),
        ('crate is dotted', Cause.NO_SKILL, 'crate is dotted', False),
        # Of what was not seen yet nobody knows how it is, but that no skill makes it so.
        ('cart is striped', Cause.NOT_FOUND, 'cart', True),
        ('cart is wet', Cause.NO_SKILL, 'cart is wet', False),
        ('crate in moon; cart in truck', Cause.NOT_FOUND, 'moon', True),
        ('cart in truck; crate in moon', Cause.NOT_FOUND, 'moon', True),
    ],
)
def test_what_is_missing_is_told_as_early_as_it_is_known(asked, cause, link, moves):
    places = {'dock 1': '', 'truck 1': '', 'shed 1': ''}
    world = MadeUp((GO, TAKE, PUT, RINSE), places, {'crate 1': 'dock 1'},
                   {'crate 1': {'striped'}}, at='dock 1', seen=False)  # fmt: skip
    step = play(world, Reasoner(world.vocabulary(), (conditions_of(tuple(asked.split('; '))),)))
    why = step.unreachable
    assert (why.cause, why.link, bool(world.done)) == (cause, link, moves)
    condition = why.condition
    assert condition.text in asked.split('; ') and link in (*condition.names, condition.text)
    assert not moves or world.looked == set(places)


@pytest.mark.parametrize(
    ('fact', 'text'),
    [
        (('is', 'truck 1', 'closed', True), 'truck 1 is closed'),
        (('is', 'truck 1', 'closed', False), 'not truck 1 is closed'),
        (('is', 'fern 1', 'moisture > 3 %', True), 'moisture of fern 1 > 3 %'),
        (('done', 'wave', '2'), 'wave done 2 times'),
        (('in', 'crate 1', HAND), 'holding crate 1'),
        (('in', 'crate 1', 'truck 1'), 'crate 1 in truck 1'),
        (('within', 'crate 1', 'yard 1'), 'crate 1 in yard 1'),
        (('free',), 'a free hand'),
        (('at', 'dock 1'), 'at dock 1'),
        (('near', 'crate 1'), 'at crate 1'),
        (('room', 'yard 1'), 'at yard 1'),
    ],
)
def test_a_fact_is_told_as_people_write_it(fact, text):
    assert told(fact) == text


def told_alone(skill_type, asked, facts, refused='', held=()):
    """The reason of a robot with one skill, which is refused where a reason for that is given."""
    vocabulary = Vocabulary(
        skill_types=(skill_type,),
        place_classes=('dock',),
        object_classes=('crate',),
        other_classes=('battery', 'hatch'),
        numbers=('battery',),
    )
    reasoner = Reasoner(vocabulary, (conditions_of((asked,)),))
    look = Observation('', place='dock 1', held=held, facts=tuple(facts), sensed=('at', 'holding'))
    reasoner.see(look)
    step = reasoner.next()
    for _ in range(6):
        if not step.skill or not refused:
            break
        answer = replace(look, text=refused, skill=step.skill, outcome=Outcome.PRECONDITION_FAILED)
        reasoner.see(answer)
        step = reasoner.next()
    return step.unreachable


DOCKS = (ObjectFact('dock', 1), ObjectFact('dock', 2))


@pytest.mark.parametrize(
    ('needs', 'facts', 'text'),
    [
        ('battery > 20 %', [ObjectFact('battery', 0, state='10 %')],
         '"go to dock 2" needs battery > 20 %, and it is 10 %'),
        ('battery > 20 %', [ObjectFact('battery', 0)],
         '"go to dock 2" needs battery > 20 %, and that is not known'),
        ('hatch is closed', [ObjectFact('hatch', 0, state='open')],
         '"go to dock 2" needs hatch is closed, and it is open'),
        ('holding crate 1', [ObjectFact('crate', 1, receptacle='dock 2')],
         '"go to dock 2" needs holding crate 1, and it is at dock 2'),
    ],
)  # fmt: skip
def test_a_need_that_nothing_brings_about_is_told_with_its_value(needs, facts, text):
    drive = SkillType('go to <place>', kind=SkillKind.MOVE, needs=(needs,))
    why = told_alone(drive, 'at dock 2', (*DOCKS, *facts))
    assert (why.cause, why.text) == (Cause.NEED, text) and why.is_certain


def test_the_words_in_which_a_skill_was_refused_are_the_reason():
    grab = SkillType('grab <thing>', ('thing',), SkillKind.TAKE)
    crate = ObjectFact('crate', 1, receptacle='dock 1')
    said = 'The gripper is jammed. You are at dock 1.'
    why = told_alone(grab, 'holding crate 1', (*DOCKS, crate), said)
    assert why.cause is Cause.REFUSED
    assert why.text == '"grab crate 1" was refused: The gripper is jammed'
