"""Skills of any server: taken apart, chosen slot by slot, open slots written by the model."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import Observation, Vocabulary
from reactree_core.skill_checks import faults_of
from reactree_core.skill_types import Effect, read_effect, Relation, SkillKind, SkillType
from reactree_planner.agents.step_skills import asked_skills
from reactree_planner.facts.skills import Skills
from reactree_planner.reading.names import Names
from reactree_planner.reading.vocabulary import NameKind
from reactree_planner.runs.run_belief import RunBelief
from reactree_planner.runs.settings import Guards, PlannerSettings

TWO_SLOTS = Vocabulary(
    (
        'take <object> from <place>',
        'heat <object> with <place>',
        'craft <number> <item> using <number> <item>',
        'go to <location>',
        'search[<text>]',
        'look',
    ),
    ('apple', 'mug'),
    ('countertop', 'microwave'),
    other_classes=('oak planks', 'oak log'),
)


def book_of(vocabulary):
    return Skills(vocabulary)


@pytest.mark.parametrize(
    ('text', 'template', 'values'),
    [
        ('take apple 1 from countertop 1', TWO_SLOTS.templates[0], ('apple 1', 'countertop 1')),
        ('heat Mug (1) with microwave 2', TWO_SLOTS.templates[1], ('Mug (1)', 'microwave 2')),
        (
            'craft 4 oak planks using 1 oak log',
            TWO_SLOTS.templates[2],
            ('4', 'oak planks', '1', 'oak log'),
        ),
        ('go to loc 3 at [3.5, 5.25]', TWO_SLOTS.templates[3], ('loc 3 at [3.5, 5.25]',)),
        ('search[red shoes, size 8]', TWO_SLOTS.templates[4], ('red shoes, size 8',)),
        ('look', 'look', ()),
    ],
)
def test_a_skill_is_taken_apart_by_its_template(text, template, values):
    skill = book_of(TWO_SLOTS).parse(text)
    assert skill is not None
    assert (skill.type.template, skill.values) == (template, values)


@pytest.mark.parametrize(
    'text', ['take apple 1', 'craft four oak planks using 1 oak log', 'go to ', 'looks', '']
)
def test_what_is_of_no_template_is_no_skill(text):
    assert book_of(TWO_SLOTS).parse(text) is None


def test_of_two_templates_that_fit_alike_the_one_that_leaves_less_open_is_meant():
    templates = ('go to <place>', 'go to <place> at [<number>, <number>]')
    skill = book_of(Vocabulary(templates, (), ('spot',))).parse('go to spot 3 at [3.5, 5.25]')
    assert (skill.type.template, skill.target) == (templates[1], 'spot 3')
    assert skill.values == ('spot 3', '3.5', '5.25')


def test_of_several_ways_the_one_with_known_names_is_meant():
    vocabulary = Vocabulary(
        ('put <a> on <b>',), ('cup on wheels', 'cup'), ('tray on table', 'bin')
    )
    book = book_of(vocabulary)
    assert book.parse('put cup on tray on table').values == ('cup', 'tray on table')
    assert book.parse('put cup on wheels on bin').values == ('cup on wheels', 'bin')


WORDS = st.sampled_from(['crate', 'blue bin', 'truck', 'dock', 'pallet A-7', 'loc 3 at [3.5, 2]'])
NAMES = st.tuples(WORDS, st.integers(1, 40)).map(lambda pair: f'{pair[0]} {pair[1]}')
SKILLS = st.sampled_from(
    [
        SkillType('load <crate> onto <truck>'),
        SkillType('move <thing> from <place> to <place 2>'),
        SkillType('weigh <thing>'),
        SkillType('<thing> ahead'),
        SkillType('carry <thing> along <a> by <b> for <number> m'),
        SkillType('wait'),
    ]
)


@given(SKILLS, st.lists(NAMES, min_size=4, max_size=4), st.integers(0, 99))
def test_a_filled_template_gives_its_values_back(skill_type, names, number):
    values = [
        str(number) if slot.type.value == 'number' else names[place]
        for place, slot in enumerate(skill_type.slots)
    ]
    text = skill_type.filled(values)
    assert tuple(values) in list(skill_type.splits(text))


@given(st.text(max_size=60), SKILLS)
def test_any_text_is_taken_apart_or_not_but_never_wrongly(text, skill_type):
    for values in skill_type.splits(text):
        assert skill_type.filled(values) == text


def test_facts_are_read_and_others_are_not():
    assert read_effect('<crate> in <truck>') == Effect(Relation.IN, '<crate>', '<truck>')
    assert read_effect('not holding <crate>') == Effect(Relation.HOLDING, '', '<crate>', False)
    assert read_effect('at <dock>') == Effect(Relation.AT, '', '<dock>')
    assert read_effect('<crate> is scanned') == Effect(Relation.IS, '<crate>', 'scanned')
    assert read_effect('the crate flies') is None


def test_a_wrong_declaration_is_told_in_sentences():
    assert not faults_of(SkillType('load <crate> onto <truck>', ('thing', 'place')))
    faults = faults_of(
        SkillType('<crate>', ('box', ''), inverse='drop <thing>', effects=('crate flies',))
    )
    assert len(faults) == 5


WAREHOUSE = Vocabulary(
    ('drive to <dock>', 'scan <crate>', 'load <crate> onto <truck>'),
    ('crate',),
    ('dock', 'truck'),
    skill_types=(
        SkillType('load <crate> onto <truck>', kind=SkillKind.PUT, inverse='unload <crate>'),
    ),
)


def test_a_goal_asks_for_skills_of_two_names():
    names = Names(WAREHOUSE)
    goal = 'Scan crate 7 and then load crate 7 onto the truck 2.'
    asked = asked_skills(goal, names.find_all(goal), Skills(WAREHOUSE))
    assert [one.text for one in asked] == ['scan crate 7', 'load crate 7 onto truck 2']
    book = Skills(WAREHOUSE)
    assert asked[1].asks_for(book.parse('load crate 7 onto truck 2'))
    assert not asked[1].asks_for(book.parse('load crate 7 onto truck 1'))
    assert book.parse('load crate 7 onto truck 2').inverse == 'unload crate 7'


def test_names_need_no_number_and_may_have_any():
    vocabulary = replace(WAREHOUSE, object_classes=(), place_classes=())
    belief = RunBelief(vocabulary)
    names, book = belief.names, belief.skills

    def offered(*skills):
        belief.with_sightings(Observation('', admissible_skills=skills))

    offered('scan crate A-7', 'load crate B 2 onto Truck (1)', 'drive to gate')
    (mention,) = names.find_all('scan the crate A-7 please')
    assert mention.matches('crate A-7') and not mention.matches('crate B 2')
    (truck,) = names.find_all('go to truck 1')
    assert truck.matches(book.parse('load crate B 2 onto Truck (1)').destination)
    assert names.find_all('the gate')[0].matches('gate')
    offered('drive to loc 3 at [3.5, 5.25]')
    names.add('loc', NameKind.PLACE)
    (place,) = names.find_all('drive to loc 3')
    assert place.matches('loc 3 at [3.5, 5.25]') and not place.matches('loc 30 at [3.5, 5.25]')


def test_a_label_in_a_goal_is_part_of_the_name_though_nobody_has_seen_it():
    names = Names(WAREHOUSE)
    goal = 'load crate A-7 onto truck 1, then the crate b12.'
    found = names.find_all(goal)
    assert [mention.text for mention in found] == ['crate A-7', 'truck 1', 'crate b12']
    (first, *_) = asked_skills(goal, found, Skills(WAREHOUSE))
    book = Skills(WAREHOUSE)
    assert first.asks_for(book.parse('load crate A-7 onto truck 1'))
    assert not first.asks_for(book.parse('load crate D-5 onto truck 1'))
    assert not first.asks_for(book.parse('load crate A-7 onto truck 2'))


# Choosing -----------------------------------------------------------------------------------


class Shop:
    """A server that leaves a text and a number open, and one with many groundings."""

    vocabulary = Vocabulary(('search <text>', 'set shelf <shelf> to <number>', 'mix <a> with <b>'))

    def __init__(self, skills):
        self.skills = skills
        self.executed = []

    def list_skills(self, cancel):
        return self.vocabulary, self.look(cancel)

    def look(self, cancel):
        return Observation('A shop.', admissible_skills=self.skills)

    def progress(self, cancel):
        return None

    def execute(self, sequence, node_id, skill, cancel):
        self.executed.append(skill)
        return replace(self.look(cancel), text=f'Done: {skill}.')


OFFERED = PlannerSettings(
    guards=replace(Guards.none(), admissible_only=True), working_memory=False
)


def choosing(*wanted, writes=' red shoes'):
    """A policy that goes for the first of these that can still be reached."""
    wanted = list(wanted)
    sizes = []

    def policy(text, options):
        if options is None:
            return ' 42 cm' if text.endswith(' to') else writes
        sizes.append(len(options))
        names = [option.strip() for option in options]
        if 'Act:' in names:
            return names.index('Act:')
        line = text.rsplit('Act:', 1)[-1].strip()
        for place, name in enumerate(names):
            whole = f'{line} {name}'.strip()
            if whole == wanted[0] or wanted[0].startswith(whole + ' '):
                if whole == wanted[0]:
                    wanted.pop(0)
                return place
        raise AssertionError(f'{wanted[0]} is not among {names[:5]} after {line!r}')

    policy.sizes = sizes
    return policy


def test_open_texts_and_numbers_are_written_by_the_model(plan):
    shop = Shop(('search <text>', 'set shelf oak to <number>', 'set shelf pine to <number>'))
    policy = choosing('search <text>', 'set shelf pine to <number>', 'done')
    success, *_ = plan('buy red shoes', policy, OFFERED, home=shop, planner='react')
    assert success
    assert shop.executed == ['search red shoes', 'set shelf pine to 42']


@pytest.mark.parametrize(
    ('skill', 'written'),
    [
        ('tell <text> to <person>', 'see you tomorrow'),
        ('tell <person> <text>', 'good morning'),
        ('wait <text> s', 'thirty seconds'),
        ('search[<text>]', 'red shoes'),
    ],
)
def test_a_text_ends_at_the_words_behind_its_slot_and_not_within_a_word(plan, skill, written):
    offered = skill.replace('<person>', 'robot 2')
    shop = Shop((offered,))
    shop.vocabulary = Vocabulary((skill,))
    whole = offered.replace('<text>', written)
    policy = choosing(offered, 'done', writes=f'{whole[whole.index(written) :]}\n')
    plan('go on', policy, OFFERED, home=shop, planner='react')
    assert shop.executed == [whole]


def test_a_long_menu_costs_its_names_and_not_its_groundings(plan):
    things = [f'thing {number}' for number in range(1, 101)]
    shop = Shop(tuple(f'mix {a} with {b}' for a in things for b in things))
    policy = choosing('mix thing 17 with thing 1', 'done')
    success, *_ = plan('mix', policy, OFFERED, home=shop, planner='react')
    assert success and shop.executed == ['mix thing 17 with thing 1']
    assert max(policy.sizes) <= 102


GARDEN = SkillType(
    'water <plant> with <ml> ml', ('thing: plant', 'number: 10..300 step 10 ml'), SkillKind.CHANGE
)


def garden(told, *skills):
    shop = Shop(skills)
    shop.vocabulary = Vocabulary((told.template,), ('plant', 'vent'), skill_types=(told,))
    return shop


def picking(shop, *wanted):
    """A policy that takes, of each menu, the first of these that stands in it; notes the menus."""
    menus = []

    def policy(text, options):
        assert options is not None, f'nothing is written freely, but after {text[-40:]!r} it is'
        names = [option.strip() for option in options]
        menus.append(names)
        first = ('Act:', *(['done'] if shop.executed else []), *wanted)
        return next((names.index(one) for one in first if one in names), 0)

    policy.menus = menus
    return policy


def test_only_numbers_that_fit_can_be_chosen(plan):
    shop = garden(GARDEN, 'water plant 1 with <ml> ml')
    policy = picking(shop, 'water plant 1 with <ml> ml', '1000000 ml', '70 ml', 'done')
    plan('water it', policy, OFFERED, home=shop, planner='react')
    assert shop.executed[0] == 'water plant 1 with 70 ml'
    assert [f'{number} ml' for number in range(10, 301, 10)] in policy.menus


@pytest.mark.parametrize(
    ('told', 'wanted', 'written'),
    [
        ('number: 0..1000000 step 5 ml', '125', '125'),
        ('number: 0..1000000 step 5 ml', '1000000', '1000000'),
        ('number: 0..1000000 step 5 ml', '1000005', '1000000'),
        ('number: 0..1000000 step 5 ml', '-5', '0'),
        ('number: -1..1 m', '-0.5', '-0.5'),
        ('number: 0.001..0.005', '0.005', '0.005'),
        ('number: 0.001..0.005', '7', '0.001'),
    ],
)
def test_of_too_many_numbers_one_is_chosen_sign_by_sign(plan, told, wanted, written):
    shop = garden(replace(GARDEN, slot_types=('thing: plant', told)), 'water plant 1 with <ml> ml')

    def policy(text, options):
        assert options is not None
        names = [option.strip() for option in options]
        if shop.executed and 'done' in names:
            return names.index('done')
        for one in ('Act:', 'water plant 1 with <ml> ml'):
            if one in names:
                return names.index(one)
        begun = text.rpartition('with')[2].strip()
        sign = wanted[len(begun) :][:1] or 'ml'
        return names.index(sign) if sign in names else 0

    plan('water it', policy, OFFERED, home=shop, planner='react')
    assert shop.executed[0] == f'water plant 1 with {written} ml'


def test_what_a_server_offers_against_its_own_declaration_is_not_offered(plan):
    shop = garden(
        GARDEN, 'water vent with <ml> ml', 'water plant 2 with 5 ml', 'water plant 1 with 20 ml'
    )
    policy = picking(shop, 'water vent with <ml> ml', 'water plant 2 with 5 ml', 'done')
    plan('water it', policy, OFFERED, home=shop, planner='react')
    offered = {name for menu in policy.menus for name in menu if name.startswith('water')}
    assert offered == {'water plant 1 with 20 ml'}
