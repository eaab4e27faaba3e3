"""Failures injected into other worlds: drawn from the seed, honest, and kept by snapshots."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation, Outcome
from reactree_core.skill_types import SkillKind
from reactree_core.world import (
    DisplacingWorld,
    ExpertWorld,
    GraphWorld,
    OutlineWorld,
    SnapshotWorld,
    TaskWorld,
)
from sim_bridge.worlds.faulty import FaultyWorld
from sim_bridge.worlds.registry import make_world

INNER = ('household', 'alfworld', 'procworld', 'textcraft')
SEEDS = st.integers(0, 2**31)
SHARES = st.floats(0.0, 1.0)


def begun(world, seed):
    """A world with a task of its own."""
    observation = world.reset(world.scene_of(seed), f'generated:{seed}', seed)
    return world, observation


def played(world, random, steps=40) -> list[Observation]:
    """What is seen of random skills, now and then of one that cannot be done."""
    seen = []
    for _ in range(steps):
        offered = world.admissible_skills()
        if not offered:
            break
        others = sorted(world.candidate_skills()) if random.random() < 0.1 else ()
        seen.append(world.step(random.choice(others or offered)))
    return seen


def kinds_of(world, skill):
    """What a skill does, and with what."""
    return [
        (kind.kind, values)
        for kind in world.vocabulary().skills
        for values in kind.splits(skill)
    ]  # fmt: skip


@settings(max_examples=20, deadline=None)
@given(inner=st.sampled_from(INNER), seed=SEEDS, steps=SEEDS)
def test_without_failures_it_is_the_world_inside(inner, seed, steps) -> None:
    plain, first = begun(make_world(inner), seed)
    faulty, also_first = begun(make_world('faulty', world=inner), seed)
    assert also_first == first and faulty.vocabulary() == plain.vocabulary()
    assert played(faulty, Random(steps)) == played(plain, Random(steps))
    assert faulty.observe() == plain.observe() and faulty.progress() == plain.progress()
    assert (faulty.scene, faulty.task()) == (plain.scene, plain.task())


@settings(max_examples=20, deadline=None)
@given(inner=st.sampled_from(INNER[:2]), seed=SEEDS, shares=st.tuples(SHARES, SHARES, SHARES))
def test_the_same_seeds_bring_the_same_failures(inner, seed, shares) -> None:
    fail, jam, vanish = shares
    chosen = {'world': inner, 'fail': fail, 'jam': jam, 'vanish': vanish, 'seed': seed % 7}
    one, _ = begun(FaultyWorld(**chosen), seed)
    other, _ = begun(FaultyWorld(**chosen), seed)
    first = played(one, Random(seed))
    assert played(other, Random(seed)) == first
    begun(one, seed)
    assert played(one, Random(seed)) == first


@settings(max_examples=20, deadline=None)
@given(inner=st.sampled_from(INNER[:2]), seed=SEEDS, before=st.integers(0, 30))
def test_a_snapshot_holds_the_failures_to_come(inner, seed, before) -> None:
    world, _ = begun(FaultyWorld(inner, fail=0.3, jam=0.3, vanish=0.5), seed)
    played(world, Random(seed), before)
    snapshot = world.snapshot()
    after = [played(world, Random(seed + 1))]
    for _ in range(2):
        assert world.restore(snapshot) == world.observe()
        after.append(played(world, Random(seed + 1)))
    assert after[0] == after[1] == after[2]


@settings(max_examples=20, deadline=None)
@given(inner=st.sampled_from(INNER), seed=SEEDS)
def test_what_fails_changes_nothing_and_is_offered_again(inner, seed) -> None:
    world, _ = begun(FaultyWorld(inner, fail=1.0), seed)
    before, progress = world.observe(), world.progress()
    skill = Random(seed).choice(world.admissible_skills())
    seen = world.step(skill)
    assert (seen.outcome, seen.skill) == (Outcome.EXECUTION_FAILED, skill)
    assert seen.admissible_skills == before.admissible_skills and not seen.facts
    assert (world.observe(), world.progress()) == (before, progress)


def test_about_as_many_fail_as_are_asked_for_and_more_of_them_at_a_higher_share() -> None:
    failed = {}
    for share in (0.1, 0.3):
        world, _ = begun(FaultyWorld('textcraft', fail=share), 4)
        seen = [world.step('inventory').succeeded for _ in range(2000)]
        failed[share] = {number for number, succeeded in enumerate(seen) if not succeeded}
        assert share - 0.04 < len(failed[share]) / 2000 < share + 0.04
    assert failed[0.1] < failed[0.3]


def test_a_skill_that_cannot_succeed_gets_the_reason_of_the_world() -> None:
    world, _ = begun(FaultyWorld('textcraft', fail=1.0), 4)
    plain, _ = begun(make_world('textcraft'), 4)
    assert world.step('dance') == plain.step('dance')
    assert world.step('dance').outcome is Outcome.INVALID_SKILL


def test_a_text_that_a_model_writes_may_fail_too() -> None:
    world, _ = begun(FaultyWorld('webshop', fail=1.0), 3)
    seen = world.step('search[red shoes]')
    assert seen.outcome is Outcome.EXECUTION_FAILED and '"search[red shoes]" fails' in seen.text


def test_what_is_jammed_never_works_and_is_still_offered() -> None:
    world, _ = begun(FaultyWorld('alfworld', jam=1.0), 3)
    place = next(
        skill.removeprefix('open ')
        for skill in opened_on_a_tour(world)
        if skill.startswith('open ')
    )  # fmt: skip
    for _ in range(3):
        assert f'open {place}' in world.admissible_skills()
        seen = world.step(f'open {place}')
        assert seen.outcome is Outcome.EXECUTION_FAILED
        assert seen.text == f'The {place} is stuck.'


def opened_on_a_tour(world):
    """Skills that are offered where there is something to open."""
    for way in [skill for skill in world.admissible_skills() if skill.startswith('go to')]:
        assert world.step(way).succeeded
        if any(skill.startswith('open ') for skill in world.admissible_skills()):
            return world.admissible_skills()
    raise AssertionError('there is nothing to open')


@settings(max_examples=15, deadline=None)
@given(inner=st.sampled_from(INNER[:2]), seed=SEEDS)
@example(inner='alfworld', seed=47255)
def test_a_thing_vanishes_once_and_lies_elsewhere(inner, seed) -> None:
    world, _ = begun(FaultyWorld(inner, vanish=1.0), seed)
    random = Random(seed)
    gone = set()
    for _ in range(60):
        skills = world.admissible_skills()
        if not skills:
            # The thing lies where the task wants it by chance: that ends a game.
            assert world.progress().success
            break
        skill = random.choice(skills)
        seen = world.step(skill)
        kinds = kinds_of(world, skill)
        if kinds and kinds[0][0] is SkillKind.TAKE:
            thing = kinds[0][1][0]
            # What fits into one place alone has nowhere else to be.
            assert not (seen.succeeded and inner == 'household') or thing in gone
            if not seen.succeeded:
                assert thing not in gone
                assert seen.text == f'The {thing} is not there any more.'
                assert skill not in world.admissible_skills()
            gone.add(thing)
        else:
            assert seen.succeeded, seen.text


def test_it_can_what_the_world_inside_can() -> None:
    faulty = FaultyWorld('household')
    for port in (TaskWorld, ExpertWorld, SnapshotWorld, GraphWorld):
        assert isinstance(faulty, port)
    assert not isinstance(faulty, OutlineWorld) and not isinstance(faulty, DisplacingWorld)
    craft = FaultyWorld('textcraft')
    assert isinstance(craft, OutlineWorld) and not isinstance(craft, GraphWorld)
    bench = FaultyWorld('support.workbench:WorkbenchWorld')
    assert not isinstance(bench, SnapshotWorld) and not isinstance(bench, ExpertWorld)
    begun(faulty, 5)
    assert faulty.expert() and faulty.progress().success


def test_it_is_made_by_its_name_with_options_and_says_them_again() -> None:
    name = 'faulty,world=alfworld,fail=0.2,seed=3,all_commands=true'
    world = make_world(name)
    assert world.name == name and make_world(world.name).name == name
    assert make_world('faulty').name == 'faulty,world=household'
    assert 'inventory' in begun(world, 3)[0].admissible_skills()


@pytest.mark.parametrize(
    ('name', 'says'),
    [
        ('faulty,fail=2', 'fail must be 0 to 1, not 2'),
        ('faulty,fail=NaN', 'fail must be 0 to 1'),
        ('faulty,jam=often', "jam must be a number from 0 to 1, not 'often'"),
        ('faulty,fail=true', 'fail must be a number'),
        ('faulty,fail', "'fail' is no option of a world"),
        ('faulty,world=atlantis', "no world 'atlantis'"),
        ('faulty,colour=red', "world 'household' has no such option"),
        ('faulty,world=textcraft,vanish=0.1', 'cannot put things elsewhere'),
    ],
)
def test_what_it_cannot_be_made_of_is_said(name: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        make_world(name)


def test_a_snapshot_of_another_world_is_refused() -> None:
    world, _ = begun(FaultyWorld('textcraft'), 4)
    with pytest.raises(ConfigurationError, match='no snapshot of a faulty world'):
        world.restore(begun(make_world('textcraft'), 4)[0].snapshot())
