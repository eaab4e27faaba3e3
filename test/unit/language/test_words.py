"""Forms of verbs in all their spellings, and the words of a goal for people."""

from __future__ import annotations

import pytest

from reactree_core.observation import Vocabulary
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.language.goal import confirmed, ReadBy, Tie, TieKind
from reactree_planner.language.names import Names
from reactree_planner.language.reading import read_with_grammar
from reactree_planner.language.words import bases_of, Form, verb_forms
from support.skill_kinds import HOME

#: Third person, gerunds, participles.
FORMS = {
    'take': ('takes', 'taking', 'taken'),
    'use': ('uses', 'using', 'used'),
    'carry': ('carries', 'carrying', 'carried'),
    'play': ('plays', 'playing', 'played'),
    'dry': ('dries', 'drying', 'dried'),
    'tie': ('ties', 'tying', 'tied'),
    'see': ('sees', 'seeing', 'seed'),
    'dye': ('dyes', 'dyeing', 'dyed'),
    'hoe': ('hoes', 'hoeing', 'hoed'),
    'wash': ('washes', 'washing', 'washed'),
    'fetch': ('fetches', 'fetching', 'fetched'),
    'toss': ('tosses', 'tossing', 'tossed'),
    'buzz': ('buzzes', 'buzzing', 'buzzed'),
    'go': ('goes', 'going', 'gone'),
    'fix': ('fixes', 'fixing', 'fixed'),
    'panic': ('panics', 'panicking', 'panicked'),
    'scan': ('scans', 'scanning', 'scanned'),
    'quit': ('quits', 'quitting', 'quitted'),
    'pour': ('pours', 'pouring', 'poured'),
    'heat': ('heats', 'heating', 'heated'),
    'mow': ('mows', 'mowing', 'mown'),
    'label': ('labels', 'labeling labelling', 'labeled labelled'),
    'unplug': ('unplugs', 'unpluging unplugging', 'unpluged unplugged'),
}
KITCHEN = Names(HOME)


@pytest.mark.parametrize(('verb', 'forms'), FORMS.items())
def test_a_verb_is_known_in_all_its_forms(verb, forms):
    told = {form: set() for form in Form}
    for text, form in verb_forms(verb):
        told[form].add(text)
    wanted = (verb, *forms)
    assert [told[form] for form in Form] == [set(one.split()) for one in wanted]


@pytest.mark.parametrize(
    ('participle', 'verbs'),
    [
        ('baked', {'bake'}),
        ('scanned', {'scan'}),
        ('fried', {'fry'}),
        ('frozen', {'freeze'}),
        ('heated', {'heat', 'heate'}),
        ('open', set()),
    ],
)
def test_of_a_participle_the_verbs_are_found(participle, verbs):
    assert verbs <= set(bases_of(participle))
    assert all(
        participle in {text for text, form in verb_forms(verb) if form is Form.PARTICIPLE}
        for verb in bases_of(participle)
    )


@pytest.mark.parametrize('verb', FORMS)
def test_a_robot_asked_in_any_form_does_the_same(verb):
    names = Names(
        Vocabulary(
            (f'{verb} <item>',),
            ('crate',),
            skill_types=(
                SkillType(f'{verb} <item>', ('thing',), SkillKind.CHANGE,
                          effects=('<item> is ready',)),
            ),
        )
    )  # fmt: skip
    forms = {form: text for text, form in verb_forms(verb)}
    for text in (
        f'{verb} the crate.',
        f'Would you mind {forms[Form.GERUND]} the crate?',
        f'The crate should be {forms[Form.PARTICIPLE]}.',
    ):
        goal = read_with_grammar(text, names)
        assert goal.whole and goal.means == 'crate is ready', text
    assert not read_with_grammar(f'Ada {forms[Form.THIRD]} the crate.', names).whole


@pytest.mark.parametrize(
    ('text', 'told', 'waits', 'repeats'),
    [
        ('Every 10 minutes open the fridge.', 'every 10 min', True, True),
        ('Every 90 seconds open the fridge.', 'every 90 s', True, True),
        ('Every 2 hours open the fridge.', 'every 2 h', True, True),
        ('Every hour open the fridge.', 'every 1 h', True, True),
        ('Every minute open the fridge.', 'every 1 min', True, True),
        ('In ten minutes open the fridge.', 'in 10 min', True, False),
        ('Once the stove is on open the fridge.', 'once stove is on', True, False),
        ('If the stove is on open the fridge.', 'if stove is on', False, False),
        ('When the stove is on open the fridge.', 'once stove is on', True, False),
    ],
)
def test_when_a_goal_is_wanted_is_told(text, told, waits, repeats):
    goal = read_with_grammar(text, KITCHEN)
    assert goal.trigger is not None
    assert (goal.trigger.text, goal.trigger.waits, goal.trigger.repeats) == (told, waits, repeats)
    assert goal.means == f'{told}: fridge is open'


def test_a_goal_that_a_person_confirms_is_whole_and_keeps_what_was_read():
    goal = read_with_grammar('Open the fridge for Ada.', KITCHEN)
    assert not goal.whole and goal.means == 'fridge is open'
    told = confirmed(goal)
    assert told.whole and told.acts and told.by is ReadBy.PERSON and told.means == goal.means
    accounts = {one.text: one.account for one in told.words}
    assert accounts['fridge'] == 'fridge is open' and accounts['Ada'] == 'a person'


def test_a_goal_tells_each_step_once_and_what_is_taken_back_as_it_is():
    goal = read_with_grammar(
        'Open the fridge, put the apple in the fridge, close the fridge, then open the fridge.',
        KITCHEN,
    )
    assert goal.means == (
        'fridge is open; apple in fridge; then fridge is closed; then fridge is open'
    )
    assert [len(one) for one in goal.milestones] == [2, 2, 2]
    assert goal.conditions == goal.milestones[-1]
    assert read_with_grammar('Hello.', KITCHEN).conditions == ()


def test_what_it_forbids_is_a_rule_of_permission_for_this_task():
    goal = read_with_grammar('Put the apple in the fridge. Never open the stove.', KITCHEN)
    (rule,) = goal.permission_rules
    assert rule.at_most == 0 and rule.of_task and rule.name == 'the task'


def test_what_words_were_taken_for_is_told():
    known = Tie('boxes', 'crate', TieKind.MEANING, 0, 1)
    assert known.text == '"boxes" is crate (nearest in meaning)'
    assert Tie('flask', '', TieKind.UNKNOWN, 0, 1).text == '"flask" is unknown here'
