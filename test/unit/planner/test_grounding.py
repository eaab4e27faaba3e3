"""Words of instructions tied to names, and the conditions read from them, in a warehouse."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import Relation
from reactree_core.skill_types import SkillKind
from reactree_core.skill_types import SkillType
from reactree_planner.instructions.conditions import ALL
from reactree_planner.instructions.conditions import Condition
from reactree_planner.instructions.conditions import conditions_of
from reactree_planner.instructions.conditions import read_condition
from reactree_planner.instructions.grounding import ground
from reactree_planner.instructions.grounding import ground_text
from reactree_planner.instructions.names import Names
from reactree_planner.instructions.ties import TieKind

WAREHOUSE = Vocabulary(
    object_classes=('crate', 'drum', 'steel pipe', 'copper pipe', 'handscanner', 'plank'),
    place_classes=('truck', 'pallet', 'conveyor', 'gate', 'loading bay'),
    rooms=('aisle 1', 'aisle 2', 'yard'),
    other_words=(('drum', 'barrel'),),
    skill_types=(
        SkillType('drive to <place>', kind=SkillKind.MOVE),
        SkillType('grab <thing>', kind=SkillKind.TAKE),
        SkillType('load <thing> onto <place>', kind=SkillKind.PUT),
        SkillType('open <place>', kind=SkillKind.OPEN),
        SkillType('close <place>', kind=SkillKind.CLOSE),
        SkillType('switch on <place>', kind=SkillKind.SWITCH_ON),
        SkillType('switch off <place>', kind=SkillKind.SWITCH_OFF),
        SkillType('scan <thing>', kind=SkillKind.CHANGE, effects=('<thing> is scanned',)),
        SkillType('wrap <thing>', kind=SkillKind.CHANGE, effects=('<thing> is wrapped',)),
    ),
)
#: What is said of states, of portions, and of what holds other things.
DEPOT = replace(
    WAREHOUSE,
    other_classes=('flood light', 'work lamp'),
    other_words=(('flood light', 'light'), ('work lamp', 'lamp')),
    skill_types=(
        *WAREHOUSE.skill_types,
        SkillType(
            'cool <thing> with <place>',
            kind=SkillKind.CHANGE,
            effects=('<thing> is cool',),
            other_words=('chill', 'cold', 'cool down'),
        ),
        SkillType('slice <thing>', kind=SkillKind.CHANGE, effects=('<thing> is sliced',)),
        SkillType('inspect <thing>', kind=SkillKind.LOOK),
        SkillType('use <name>', kind=SkillKind.SWITCH_ON),
    ),
)
WORKSHOP = Vocabulary(
    object_classes=('plank', 'ladder', 'rope', 'nail'),
    skill_types=(
        SkillType('craft <thing> using <text>', kind=SkillKind.MAKE),
        SkillType('get <thing>', kind=SkillKind.TAKE),
    ),
)


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        ('put the crate on the truck', ['crate in truck']),
        ('Two crates and a drum must go on the pallet.', ['2 crate in pallet', 'drum in pallet']),
        ('The crate and the drum are on the truck.', ['crate in truck', 'drum in truck']),
        ('Load all crates onto the truck', ['all crate in truck']),
        ('put a crate on the truck and another one on the pallet',
         ['crate in truck', 'crate in pallet']),
        ('There are two drums. One goes on the truck, the other on the pallet.',
         ['drum in truck', 'drum in pallet']),
        ('put one crate on the truck, then another crate on the truck', ['2 crate in truck']),
        ('Grab the drum. Put it on the pallet.', ['drum in pallet']),
        ('truck:\n- two crates\n- a drum', ['2 crate in truck', 'drum in truck']),
        ('1) scan the crate 2) load it onto the truck', ['crate is scanned', 'crate in truck']),
        ('Scan crate 2 and crate 3', ['crate 2 is scanned', 'crate 3 is scanned']),
        ('the crate on the pallet should be on the truck', ['crate in truck']),
        ('move the crate which is on the pallet to the truck', ['crate in truck']),
        ('bring me the drum', ['holding drum']),
        ('Open the gate, put the drum in the loading bay, and close the gate',
         ['drum in loading bay', 'gate is closed']),
        ('switch the conveyor on', ['conveyor is on']),
        ('Make sure that the conveyor is off and the gate closed',
         ['conveyor is off', 'gate is closed']),
        ('Fill the truck with three crates', ['3 crate in truck']),
        ('wrap and scan the drum', ['drum is wrapped', 'drum is scanned']),
        ('put a plank in a crate on the truck', ['plank in crate', 'crate in truck']),
        ('Switch on the conveyor when there is a crate, a drum, and a plank', ['conveyor is on']),
        ('bay 2', []),
        ('drive to the pallet', ['at pallet']),
        ("Don't load the drum. Put the crate on the truck", ['crate in truck']),
        ('Put the crate on the truck before the driver leaves', ['crate in truck']),
        ('2 crates, 1 drum -> pallet', ['2 crate in pallet', 'drum in pallet']),
        ('Put the drum on the conveyor, then run it.', ['drum in conveyor', 'conveyor is on']),
        ('Put the crate and the drum with the plank on the truck',
         ['crate in truck', 'drum in truck', 'plank in truck']),
        ('run the conveyor', ['conveyor is on']),
        ('run to the pallet', ['at pallet']),
        ('run the crate to the truck', ['crate in truck']),
        ('Gather two crates for the truck and close the gate',
         ['2 crate in truck', 'gate is closed']),
        ('The conveyor should be running with two crates and 1 drum on it.',
         ['conveyor is on', '2 crate in conveyor', 'drum in conveyor']),
        ('Prepare a delivery on the truck: two crates and a drum.',
         ['2 crate in truck', 'drum in truck', 'unknown: delivery']),
        ('They will look for a crate and two drums on the truck.',
         ['crate in truck', '2 drum in truck']),
        ('Two crates and a drum on the truck would be nice.',
         ['2 crate in truck', 'drum in truck']),
        ('When I come to the truck I hope to find a crate.', []),
        ('', []),
    ],
)  # fmt: skip
def test_conditions_are_read(text: str, wanted: list[str]) -> None:
    assert list(ground_text(text, WAREHOUSE)) == wanted


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        ('chill the drum', ['drum is cool']),
        ('Cool down a drum and load it onto the truck', ['drum is cool', 'drum in truck']),
        ('Put a cold drum on the truck.', ['drum in truck', 'drum is cool']),
        ('Put a cooled down drum on the truck.', ['drum in truck', 'drum is cool']),
        ('wrap the cold drum', ['drum is cool', 'drum is wrapped']),
        ('put a slice of the plank on the truck', ['plank in truck', 'plank is sliced']),
        ('Put two plank slices on the truck', ['2 plank in truck', '2 plank is sliced']),
        ('Put a chilled slice of plank on the truck',
         ['plank in truck', 'plank is sliced', 'plank is cool']),
        ('slice the plank', ['plank is sliced']),
        ('Take the plank, slice it, and put it on the truck',
         ['plank is sliced', 'plank in truck']),
        ('Put two sets of planks on the truck', ['2 plank in truck']),
        ('Put a crate with a plank in it on the truck', ['plank in crate', 'crate in truck']),
        ('Put a crate with a plank on the truck', ['plank in crate', 'crate in truck']),
        ('Put a crate containing a plank and a drum on the truck',
         ['plank in crate', 'drum in crate', 'crate in truck']),
        ('Put the plank crate on the truck', ['plank in crate', 'crate in truck']),
        ('Put a cold crate of planks on the truck',
         ['plank in crate', 'plank is cool', 'crate in truck']),
        ('Open the gate and put in a crate and a drum. Close the gate.',
         ['crate in gate', 'drum in gate', 'gate is closed']),
        ('take a crate of planks and put it and the drum on the truck',
         ['plank in crate', 'crate in truck', 'drum in truck']),
        ('drive to the truck and put in two crates', ['2 crate in truck']),
        ('bring me a crate of planks', ['plank in crate', 'holding crate']),
        ('put a plank in a crate and load onto the truck', ['plank in crate', 'crate in truck']),
        ('put a plank in a crate and put it on the truck', ['plank in crate', 'crate in truck']),
        ('put a plank in a crate, then put the plank on the truck', ['plank in truck']),
        ('Put the drum on the conveyor, take it off, and put it on the truck', ['drum in truck']),
        ('put a drum on the conveyor and a drum on the truck',
         ['drum in conveyor', 'drum in truck']),
        ('put the drum on the pallet closest to the truck', ['drum in pallet']),
        ('put the drum on the pallet to the right of the conveyor', ['drum in pallet']),
        ('use the handscanner to scan the crate', ['crate is scanned']),
        ('inspect the drum under the lamp', ['holding drum', 'work lamp is on']),
        ('inspect the drum in the light of the lamp', ['holding drum', 'work lamp is on']),
        ('inspect the drum using the light from the lamp', ['holding drum', 'work lamp is on']),
        ('inspect the drum with the lamp', ['holding drum', 'work lamp is on']),
        ('Carry the drum while switching on the lamp', ['work lamp is on', 'holding drum']),
    ],
)  # fmt: skip
def test_states_portions_and_containers_are_read(text: str, wanted: list[str]) -> None:
    assert list(ground_text(text, DEPOT)) == wanted


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        ('craft 4 planks', ['holding 4 plank']),
        ('we need a ladder and two ropes', ['holding ladder', 'holding 2 rope']),
        ('get some nails and make a ladder out of them', ['holding ladder']),
    ],
)
def test_what_is_made_is_held(text: str, wanted: list[str]) -> None:
    assert list(ground_text(text, WORKSHOP)) == wanted


@pytest.mark.parametrize(
    ('text', 'words', 'name', 'kind'),
    [
        ('put the crat on the truck', 'crat', 'crate', TieKind.SPELLING),
        ('grab the hand scanner', 'hand scanner', 'handscanner', TieKind.JOINED),
        ('open the bay', 'bay', 'loading bay', TieKind.SHORT),
        ('grab a drum of paint', 'drum of paint', '', None),
        ('grab steel and copper pipes', 'steel', 'steel pipe', TieKind.SHORT),
    ],
)
def test_words_are_tied(text: str, words: str, name: str, kind: TieKind | None) -> None:
    ties = [tie for tie in ground(text, Names(WAREHOUSE)).ties if tie.words == words]
    assert [(tie.name, tie.kind) for tie in ties] == ([(name, kind)] if kind else [])


@pytest.mark.parametrize('region', ['aisle', 'yard'])
def test_a_region_behind_it_tells_which_of_several_is_meant(region: str) -> None:
    places = ('truck', 'aisle bench', 'yard bench')
    warehouse = replace(WAREHOUSE, place_classes=places, rooms=('aisle 1', 'yard 1'))
    wanted = ground_text(f'put the crate on the bench in the {region}', warehouse)
    assert wanted == (f'crate in {region} bench',)


def test_declared_words_and_plurals_need_no_tie() -> None:
    grounding = ground('put the barrels and crates on the truck', Names(WAREHOUSE))
    assert grounding.ties == ()
    assert [one.subject for one in grounding.conditions] == ['drum', 'crate']


def test_unknown_words_are_said_to_be_unknown_and_stay() -> None:
    grounding = ground('put the piano on the truck', Names(WAREHOUSE))
    assert grounding.unknown == ('piano',)
    assert grounding.text == 'put the piano on the truck'
    assert grounding.conditions == ()


def test_things_of_which_nothing_was_read_are_told() -> None:
    grounding = ground('switch on the conveyor when there is a crate', Names(WAREHOUSE))
    assert [one.text for one in grounding.conditions] == ['conveyor is on']
    assert grounding.left_out == ('crate',)


def test_what_goes_to_an_unknown_place_asks_for_nothing_else() -> None:
    grounding = ground('load the crate onto the spaceship', Names(WAREHOUSE))
    assert grounding.unknown == ('spaceship',)
    assert grounding.conditions == ()


class _Meanings:
    """An encoder in which "cask" is near to "drum", and nothing to anything else."""

    name = 'meanings'
    dimension = 16

    def embed(self, texts):
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            place = {'cask': 0, 'drum': 0, 'thingamajig': 1, 'crate': 1}.get(text)
            if place is None:
                row[2 + sum(map(ord, text)) % 14] = 1
            else:
                row[place] = 1
            if text == 'thingamajig':
                row[:] = 0
                row[1], row[15] = 0.45, 0.893
        return rows


def test_the_nearest_in_meaning_is_taken_where_it_is_clear() -> None:
    grounding = ground('grab the cask', Names(WAREHOUSE), _Meanings)
    assert [tie.text for tie in grounding.ties] == ['"cask" is drum (nearest in meaning)']
    assert grounding.text == 'grab the drum'


def test_the_model_is_asked_where_it_is_not() -> None:
    asked = []

    def choose(words, names):
        asked.append((words, names[0]))
        return names[0]

    grounding = ground('grab the thingamajig', Names(WAREHOUSE), _Meanings, choose)
    assert asked == [('thingamajig', 'crate')]
    assert grounding.ties[0].kind is TieKind.MODEL


def test_a_person_is_asked_where_words_fit_several_names() -> None:
    def clarify(words, names):
        assert set(names) == {'steel pipe', 'copper pipe'}
        return 'copper pipe'

    grounding = ground('grab a pipe', Names(WAREHOUSE), clarify=clarify)
    assert [(tie.name, tie.kind) for tie in grounding.ties] == [('copper pipe', TieKind.PERSON)]
    assert [one.text for one in grounding.conditions] == ['holding copper pipe']


def test_of_several_sorts_the_one_that_was_named_is_meant() -> None:
    grounding = ground('grab a copper pipe and put the pipe on the truck', Names(WAREHOUSE))
    assert [one.text for one in grounding.conditions] == ['copper pipe in truck']


def test_sorts_of_one_head_are_left_to_the_model_as_a_plural() -> None:
    assert ground('grab the pipes', Names(WAREHOUSE)).ties == ()


BLADES = Vocabulary(
    object_classes=('blades', 'saw blade', 'fan blade', 'crate', 'saw blade box'),
    place_classes=('workbench', 'chimney'),
    skill_types=WAREHOUSE.skill_types,
)


class _Benches:
    """An encoder in which saw blades are near to workbenches, blades to chimneys."""

    name = 'benches'
    dimension = 3

    def embed(self, texts):
        bench = [[1, 0, 0] if 'workbench' in text or 'saw' in text else [0, 0, 1]
                 for text in texts]  # fmt: skip
        chimney = [[0, 1, 0] if text == 'blades' or 'chimney' in text else [0, 0, 0]
                   for text in texts]  # fmt: skip
        return np.array(bench, np.float32) + np.array(chimney, np.float32)


@pytest.mark.parametrize(
    ('text', 'ties', 'conditions'),
    [
        ('put three blades on the workbench',
         ['"blades" is saw blade (nearest to what else is said; not blades or fan blade)'],
         ['3 saw blade in workbench']),
        ('put the crate and the blades on the workbench',
         ['"blades" is saw blade and fan blade (nearest to what else is said; not blades)'],
         ['crate in workbench', 'saw blade in workbench', 'fan blade in workbench']),
        ('two old blades go on the workbench',
         ['"two old blades" is saw blade and fan blade '
          '(nearest to what else is said; not blades)'],
         ['saw blade in workbench', 'fan blade in workbench']),
        ('put all of the blades on the workbench',
         ['"blades" is saw blade and all fan blade (nearest to what else is said; not blades)'],
         ['all saw blade in workbench', 'all fan blade in workbench']),
        ('put the blades in the chimney',
         ['"blades" is blades (nearest to what else is said; not saw blade or fan blade)'],
         ['blades in chimney']),
        ('put the blade box on the workbench', ['"blade box" is saw blade box (the only one of '
         'that sort)'], ['saw blade box in workbench']),
        ('put blades 2 on the workbench', [], ['blades 2 in workbench']),
        ('Put the crate on the workbench. Do not touch the blades.', [], ['crate in workbench']),
    ],
)  # fmt: skip
def test_a_name_that_is_the_plural_of_others_too_is_weighed_by_the_other_words(
    text: str, ties: list[str], conditions: list[str]
) -> None:
    grounding = ground(text, Names(BLADES), _Benches)
    assert [tie.text for tie in grounding.ties] == ties
    assert [one.text for one in grounding.conditions] == conditions


def test_a_name_that_is_the_plural_of_others_too_stays_without_an_encoder_and_is_told() -> None:
    grounding = ground('put the blades on the workbench', Names(BLADES))
    (tie,) = grounding.ties
    assert (tie.kind, tie.others) == (TieKind.AS_WRITTEN, ('saw blade', 'fan blade'))
    assert grounding.text == 'put the blades on the workbench'
    assert [one.text for one in grounding.conditions] == ['blades in workbench']


def test_a_person_tells_what_a_plural_with_several_meanings_is() -> None:
    asked = []

    def clarify(words, names):
        asked.append((words, tuple(names)))
        return 'fan blade'

    text = 'Put the blades on the workbench. Put the crate in the chimney. Wrap the blades.'
    grounding = ground(text, Names(BLADES), _Benches, clarify=clarify)
    # Once, the likeliest first: it is the default.
    assert asked == [('blades', ('saw blade and fan blade', 'saw blade', 'blades', 'fan blade'))]
    assert {tie.kind for tie in grounding.ties} == {TieKind.PERSON}
    assert [one.text for one in grounding.conditions] == [
        'fan blade in workbench', 'crate in chimney', 'fan blade is wrapped'
    ]  # fmt: skip


@pytest.mark.parametrize('others', [(), ('saw blade',), ('saw blade', 'bladesmith')])
def test_a_name_with_less_than_two_others_of_its_plural_is_that_name(others) -> None:
    names = Names(Vocabulary(object_classes=('blades', *others), place_classes=('workbench',),
                             skill_types=WAREHOUSE.skill_types))  # fmt: skip
    assert ground('put the blades on the workbench', names, _Benches).ties == ()


CONDITIONS = strategies.builds(
    Condition,
    strategies.sampled_from([Relation.IN, Relation.IS]),
    strategies.sampled_from(['crate', 'crate 2', 'steel pipe']),
    strategies.sampled_from(['truck', 'loading bay', 'on', 'scanned']),
    strategies.integers(ALL, 999),
) | strategies.builds(
    Condition,
    strategies.just(Relation.IS),
    strategies.sampled_from(['crate', 'steel pipe']),
    strategies.sampled_from(['on', 'scanned']),
    strategies.integers(ALL, 999),
    strategies.sampled_from(['truck', 'loading bay']),
) | strategies.builds(
    Condition,
    strategies.just(Relation.HOLDING),
    strategies.sampled_from(['crate', 'steel pipe']),
    strategies.just(''),
    strategies.integers(ALL, 999),
) | strategies.builds(
    Condition, strategies.just(Relation.AT), strategies.just(''), strategies.just('yard')
)  # fmt: skip


@given(CONDITIONS)
def test_a_condition_is_read_as_it_is_written(condition: Condition) -> None:
    assert read_condition(condition.text) == condition


@given(strategies.lists(strategies.text(max_size=30), max_size=5))
def test_other_texts_are_no_conditions_and_do_no_harm(texts: list[str]) -> None:
    for condition in conditions_of(tuple(texts)):
        assert read_condition(condition.text) is not None


_WORDS = (
    'put grab scan the a two all crate crates drum pipe truck pallet yard on in onto from it them '
    'one other another and then , . ; : -> \n 1) 2) is are should be closed off which maybe '
    'piano of with for there please do not never if before switch open go'
)
_SAID = strategies.lists(strategies.sampled_from(re.findall(r' ?([^ ]+)', _WORDS)), max_size=25)


@given(_SAID)
def test_any_row_of_words_is_read(words: list[str]) -> None:
    text = ' '.join(words)
    grounding = ground(text, Names(WAREHOUSE))
    again = ground(text, Names(WAREHOUSE))
    assert grounding == again
    known = set(WAREHOUSE.object_classes) | set(WAREHOUSE.place_classes) | {'aisle', 'yard'}
    for condition in grounding.conditions:
        assert 0 <= condition.count <= 999
        for name in condition.names:
            assert name.rstrip(' 0123456789') in known
    assert all(tie.start < tie.end for tie in grounding.ties)


@given(strategies.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    ground(text, Names(WAREHOUSE))
