"""The world webshop: its pages to the letter, what is refused, limits, ends and snapshots."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.observation import Observation, Outcome, Outline
from reactree_core.world import ExpertWorld, SnapshotWorld, TaskWorld
from sim_bridge.worlds.registry import make_world
from sim_bridge.worlds.webshop import WebShopWorld
from sim_bridge.worlds.webshop.pages import PageKind
from sim_bridge.worlds.webshop.world import IMPOSSIBLE

INSTRUCTION = 'i need a lamp, and price lower than 30.00 dollars'


@pytest.fixture
def world(small_shop) -> WebShopWorld:
    """A lamp is to be bought."""
    return opened()


def opened(**options: object) -> WebShopWorld:
    made = WebShopWorld(**options)  # type: ignore[arg-type]
    made.reset('', 'test:0', 0)
    return made


def do(world: WebShopWorld, *skills: str) -> Observation:
    """The last observation of skills that all succeed."""
    for skill in skills:
        seen = world.step(skill)
        assert seen.succeeded, (skill, seen.text)
    return seen


ITEM = (
    '[Back to Search]\n[< Prev]\ncolor [red][blue]\nsize [small][tall]\nTarn Lamp, Dimmable\n'
    'Price: $12.0\nRating: N.A.\n[Description]\n[Features]\n[Reviews]\n[Buy Now]'
)
#: Skills, the text of the last one, and what is offered then.
PAGES = [
    ((), f'WebShop\nInstruction: \n{INSTRUCTION}\n[Search]', ['search[<text>]']),
    (
        ('search[tarn lamp]',),
        '[Back to Search]\nPage 1 (Total results: 4)\n[Next >]\n[LAMP000002]\nTarn Lamp Plus\n'
        '$52.0\n[LAMP000001]\nTarn Lamp, Dimmable\n$12.0\n[MIRROR0001]\nLamp Mirror\n$9.0\n'
        '[LAMP000003]',
        [
            'click[Back to Search]', 'click[Next >]', 'click[LAMP000002]', 'click[LAMP000001]',
            'click[MIRROR0001]', 'click[LAMP000003]',
        ],
    ),
    (
        ('search[tarn]', 'click[Next >]'),
        '[Back to Search]\nPage 2 (Total results: 2)\n[< Prev]\n[Next >]',
        ['click[Back to Search]', 'click[< Prev]', 'click[Next >]'],
    ),
    (
        ('search[zebra]',),
        '[Back to Search]\nPage 1 (Total results: 0)\n[Next >]',
        ['click[Back to Search]', 'click[Next >]'],
    ),
    (
        ('search[tarn]', 'click[LAMP000001]'),
        ITEM,
        [
            'click[Back to Search]', 'click[< Prev]', 'click[red]', 'click[blue]', 'click[small]',
            'click[tall]', 'click[Description]', 'click[Features]', 'click[Reviews]',
            'click[Buy Now]',
        ],
    ),
    (
        ('search[tarn]', 'click[LAMP000001]', 'click[Features]'),
        '[Back to Search]\n[< Prev]\nDimmable.\nMade of steel.',
        ['click[Back to Search]', 'click[< Prev]'],
    ),
    (
        ('search[tarn]', 'click[LAMP000001]', 'click[Description]'),
        '[Back to Search]\n[< Prev]\nA lamp for desks.',
        ['click[Back to Search]', 'click[< Prev]'],
    ),
    (
        ('search[tarn]', 'click[LAMP000001]', 'click[Reviews]'),
        '[Back to Search]\n[< Prev]',
        ['click[Back to Search]', 'click[< Prev]'],
    ),
    (
        ('search[lamp]', 'click[LAMP000001]', 'click[blue]', 'click[Buy Now]'),
        'Your score (min 0.0, max 1.0): 0.8',
        [],
    ),
]  # fmt: skip


@pytest.mark.parametrize(('skills', 'text', 'offered'), PAGES)
def test_pages_read_as_in_the_published_agents(world, skills, text, offered) -> None:
    seen = do(world, *skills) if skills else world.observe()
    assert seen.text == text
    assert list(seen.admissible_skills) == offered == list(world.candidate_skills())
    assert seen.over == (not offered)
    if not seen.over:
        assert world.observe().text == text


def test_a_clicked_option_is_marked_and_replaces_another_of_its_name(world) -> None:
    do(world, 'search[tarn]', 'click[LAMP000001]')
    assert do(world, 'click[red]').text == 'You have clicked red.'
    assert do(world, 'click[red]').text == 'You have clicked red.', 'also once it is chosen'
    do(world, 'click[tall]')
    assert do(world, 'click[blue]').text == 'You have clicked blue.'
    assert 'color [red][[blue]]\nsize [small][[tall]]\n' in world.observe().text
    do(world, 'click[Features]', 'click[< Prev]')
    assert 'color [red][[blue]]' in world.observe().text
    # Back among the results they are forgotten.
    assert do(world, 'click[< Prev]', 'click[LAMP000001]').text == ITEM


def test_how_many_titles_are_told_is_an_option(small_shop) -> None:
    for length, titles in ((0, 0), (1, 1), (10, 4)):
        text = do(opened(page_length=length), 'search[lamp]').text
        assert text.count('$') == titles
        assert text.count('[LAMP') == 3


def test_attributes_are_a_part_where_that_is_asked_for(small_shop) -> None:
    world = opened(attributes=True)
    seen = do(world, 'search[tarn]', 'click[LAMP000001]', 'click[Attributes]')
    assert seen.text == '[Back to Search]\n[< Prev]\ndimmable\nmade of steel'


SEP_PAGES = [
    ((), f'WebShop [SEP] Instruction: [SEP] {INSTRUCTION} [SEP] Search'),
    (
        ('search[tarn]',),
        f'Instruction: [SEP] {INSTRUCTION} [SEP] Back to Search [SEP] Page 1 (Total results: 2) '
        '[SEP] Next > [SEP] LAMP000002 [SEP] Tarn Lamp Plus [SEP] $52.0 [SEP] LAMP000001 [SEP] '
        'Tarn Lamp, Dimmable [SEP] $12.0',
    ),
    (
        ('search[tarn]', 'click[next >]', 'search[tarn]', 'click[lamp000001]', 'click[BLUE]'),
        f'Instruction: [SEP] {INSTRUCTION} [SEP] Back to Search [SEP] < Prev [SEP] color [SEP] '
        'red [SEP] blue [SEP] size [SEP] small [SEP] tall [SEP] Tarn Lamp, Dimmable [SEP] '
        'Price: $12.0 [SEP] Rating: N.A. [SEP] Description [SEP] Features [SEP] Reviews [SEP] '
        'Buy Now',
    ),
    (
        ('search[tarn]', 'click[lamp000001]', 'click[features]'),
        f'Instruction: [SEP] {INSTRUCTION} [SEP] Back to Search [SEP] < Prev [SEP] Dimmable. '
        '[SEP] Made of steel.',
    ),
    (
        ('search[tarn]', 'click[lamp000001]', 'click[blue]', 'click[buy now]'),
        'Thank you for shopping with us! [SEP] Your score (min 0.0, max 1.0) [SEP] 0.8',
    ),
]


@pytest.mark.parametrize(('skills', 'text'), SEP_PAGES)
def test_pages_read_as_in_the_published_package(small_shop, skills, text) -> None:
    world = opened(style='sep')
    seen = do(world, *skills) if skills else world.observe()
    assert seen.text == text
    if not seen.over:
        assert seen.admissible_skills[0] == 'search[<text>]'
        assert all(skill == skill.lower() for skill in seen.admissible_skills)


def test_the_form_of_the_package_is_silent_about_what_is_impossible(small_shop) -> None:
    world = opened(style='sep')
    before = world.observe().text
    seen = world.step('click[buy now]')
    assert (seen.text, seen.outcome) == (before, Outcome.PRECONDITION_FAILED)


#: Skills that lead to a page, and what cannot be done there.
REFUSED = [
    ((), 'click[Search]', Outcome.PRECONDITION_FAILED),
    ((), 'click[Back to Search]', Outcome.PRECONDITION_FAILED),
    ((), 'click[LAMP000001]', Outcome.PRECONDITION_FAILED),
    ((), 'search[]', Outcome.PRECONDITION_FAILED),
    ((), 'search[ \n ]', Outcome.PRECONDITION_FAILED),
    ((), 'search lamp', Outcome.INVALID_SKILL),
    ((), 'Search[lamp]', Outcome.INVALID_SKILL),
    ((), 'think[lamp]', Outcome.INVALID_SKILL),
    ((), '', Outcome.INVALID_SKILL),
    (('search[tarn]',), 'search[lamp]', Outcome.PRECONDITION_FAILED),
    (('search[tarn]',), 'click[< Prev]', Outcome.PRECONDITION_FAILED),
    (('search[tarn]',), 'click[lamp000001]', Outcome.PRECONDITION_FAILED),
    (('search[tarn]',), 'click[MIRROR0001]', Outcome.PRECONDITION_FAILED),
    (('search[tarn]',), 'click[Buy Now]', Outcome.PRECONDITION_FAILED),
    (('search[tarn]',), 'click[blue]', Outcome.PRECONDITION_FAILED),
    (('search[tarn]', 'click[LAMP000001]'), 'click[Next >]', Outcome.PRECONDITION_FAILED),
    (('search[tarn]', 'click[LAMP000001]'), 'click[LAMP000002]', Outcome.PRECONDITION_FAILED),
    (('search[tarn]', 'click[LAMP000001]'), 'click[Attributes]', Outcome.PRECONDITION_FAILED),
    (('search[tarn]', 'click[LAMP000001]'), 'click[Blue]', Outcome.PRECONDITION_FAILED),
    (('search[tarn]', 'click[LAMP000001]'), 'click[color]', Outcome.PRECONDITION_FAILED),
    (('search[tarn]', 'click[LAMP000002]'), 'click[blue]', Outcome.PRECONDITION_FAILED),
    (
        ('search[tarn]', 'click[LAMP000001]', 'click[Features]'),
        'click[Buy Now]',
        Outcome.PRECONDITION_FAILED,
    ),
]


@pytest.mark.parametrize(('skills', 'refused', 'outcome'), REFUSED)
def test_what_is_impossible_changes_nothing_and_counts(world, skills, refused, outcome) -> None:
    if skills:
        do(world, *skills)
    page, actions = world.page, world.actions[0]
    seen = world.step(refused)
    assert (seen.text, seen.outcome) == (IMPOSSIBLE, outcome)
    assert world.page == page and world.actions == (actions + 1, 15)


def test_an_episode_ends_after_its_actions_or_impossible_ones_in_a_row(world) -> None:
    for _ in range(7):
        do(world, 'search[tarn]', 'click[Back to Search]')
    seen = world.step('search[tarn]')
    assert seen.over and seen.succeeded and not seen.admissible_skills
    assert seen.text.endswith('\nThe episode is over after 15 actions: nothing was bought.')
    assert world.step('click[LAMP000001]').outcome is Outcome.PRECONDITION_FAILED
    assert world.actions == (15, 15)
    world.reset('', 'test:0', 0)
    for _ in range(3):
        assert not world.step('dance').over
        assert not world.step('dance').over
        do(world, 'search[tarn]', 'click[Back to Search]')
        world.reset('', 'test:0', 0)
    for skill in ('dance', 'click[no]'):
        assert not world.step(skill).over
    seen = world.step('search[]')
    assert seen.over
    assert seen.text == (
        f'{IMPOSSIBLE}\nThe episode is over after 3 impossible actions in a row: '
        'nothing was bought.'
    )
    assert world.progress().score == 0.0 and not world.progress().success


def test_impossible_actions_count_in_a_row_only_and_limits_may_be_none(small_shop) -> None:
    world = opened()
    for _ in range(2):
        world.step('dance')
        world.step('dance')
        do(world, 'search[tarn]')
        do(world, 'click[Back to Search]')
    assert not world.observe().over
    world = opened(most_actions=0, most_impossible=0)
    for _ in range(40):
        world.step('dance')
    assert not world.observe().over
    assert opened(most_actions=1).step('search[x]').over


def test_a_purchase_on_the_last_action_counts(small_shop) -> None:
    world = opened(most_actions=3)
    seen = do(world, 'search[tarn]', 'click[LAMP000001]', 'click[Buy Now]')
    assert seen.over and 'The episode is over' not in seen.text
    assert world.progress().score == 0.6


def test_progress_tells_what_would_be_bought_and_scores_what_was(world) -> None:
    assert (world.progress().met, world.progress().total, world.progress().score) == (0, 7, 0.0)
    do(world, 'search[tarn]', 'click[LAMP000001]', 'click[blue]')
    progress = world.progress()
    assert (progress.met, progress.score, progress.success) == (5, 0.0, False)
    assert progress.conditions == (
        'met: it is dimmable',
        'met: it is made of steel',
        'met: blue is chosen',
        'not met: tall is chosen',
        'met: the price is up to 30.00 dollars',
        'met: it is of the kind that is wanted',
        'not met: it is bought',
    )
    do(world, 'click[tall]')
    # All is right, but nothing is bought.
    assert (world.progress().met, world.progress().success) == (6, False)
    do(world, 'click[Buy Now]')
    assert world.progress().success and world.progress().score == 1.0


@pytest.mark.parametrize(
    ('asin', 'score'),
    [
        ('LAMP000001', 0.6),
        # One attribute of two, dear, without options: 1 of 5.
        ('LAMP000002', 0.2),
        # The price alone, and one word of three in the title.
        ('LAMP000003', 0.2),
        ('MIRROR0001', 0.2),
    ],
)
def test_each_product_scores_what_it_is_worth(world, asin: str, score: float) -> None:
    do(world, 'search[lamp]', f'click[{asin}]', 'click[Buy Now]')
    assert world.progress().score == pytest.approx(score)
    assert not world.progress().success


def test_the_expert_buys_what_was_in_mind_from_wherever_it_is(world) -> None:
    skills = (
        'search[Tarn Lamp, Dimmable]', 'click[LAMP000001]', 'click[blue]', 'click[tall]',
        'click[Buy Now]',
    )  # fmt: skip
    assert world.expert() == skills
    assert world.progress().success and world.observe().over
    world.reset('', '', 0)
    do(world, 'search[mirror]', 'click[MIRROR0001]', 'click[Features]')
    assert world.expert() == ('click[Back to Search]', *skills)
    assert world.progress().success
    with pytest.raises(SkillError, match='cannot go on: The episode is over'):
        world.expert()


def test_an_expert_without_actions_left_says_so(small_shop) -> None:
    with pytest.raises(SkillError, match='after 3 actions'):
        opened(most_actions=3).expert()


def test_every_shipped_goal_is_solved_by_the_expert_in_each_style() -> None:
    world, other = make_world('webshop'), make_world('webshop', style='sep')
    for part, count in (('test', 500), ('dev', 1000), ('train', 500)):
        for number in range(count):
            world.reset('', f'{part}:{number}', 0)
            assert len(world.expert()) <= 8
            assert world.progress().success and world.progress().score == 1.0
    for number in range(20):
        other.reset('', f'test:{number}', 0)
        other.expert()
        assert other.progress().success


def test_snapshots_keep_the_page_the_options_and_the_counts(world) -> None:
    do(world, 'search[tarn]', 'click[LAMP000001]', 'click[blue]')
    world.step('dance')
    kept = world.snapshot()
    do(world, 'click[tall]', 'click[Buy Now]')
    for _ in range(2):
        assert '[[blue]]\nsize [small][tall]' in world.restore(kept).text
        assert world.actions == (4, 15) and not world.observe().over
        world.step('dance')
        assert world.step('dance').over
    with pytest.raises(ConfigurationError, match='no snapshot of WebShop'):
        world.restore('something')


def test_it_has_the_ports_and_tasks_that_tools_ask_for(world) -> None:
    assert isinstance(world, TaskWorld) and isinstance(world, ExpertWorld)
    assert isinstance(world, SnapshotWorld)
    assert world.task_families() == ('test',) and world.scene_of(3) == 'generated'
    assert world.task().instruction == INSTRUCTION
    assert 'nouns: words' in world.task().notes[0]
    with pytest.raises(ConfigurationError, match='reads no task files'):
        world.tasks_of_file(Path('x.json'))
    with pytest.raises(ConfigurationError, match='reset the world first'):
        WebShopWorld().observe()


def test_tasks_are_named_by_part_and_number() -> None:
    world = WebShopWorld()
    for task, task_id, family, like in (
        ('test:3', 'test:3', 'test', 'test:503'),
        ('dev', 'dev:7', 'dev', 'dev:7'),
        ('', 'generated:7', 'train', 'train:7'),
        ('generated:12', 'generated:12', 'train', 'train:512'),
    ):
        text = world.reset('', task, 7).text
        assert (world.task().task_id, world.task().task_type) == (task_id, family)
        assert world.reset('', like, 0).text == text


@pytest.mark.parametrize(
    ('scene', 'task', 'says'),
    [
        ('nowhere', 'test:1', 'there is no catalogue'),
        ('', 'best:1', 'there is no task'),
        ('', 'test:x', 'there is no task'),
        ('', 'tasks.json', 'there is no task'),
    ],
)
def test_what_cannot_be_loaded_says_why_and_changes_nothing(scene, task, says) -> None:
    world = WebShopWorld()
    world.reset('', 'test:5', 0)
    before = world.step('search[lamp]')
    with pytest.raises(ConfigurationError, match=says):
        world.reset(scene, task, 0)
    assert world.observe().text == before.text


@pytest.mark.parametrize(
    ('options', 'says'),
    [
        ({'style': 'html'}, 'style must be text or sep'),
        ({'page_length': 11}, 'page_length must be 0 to 10'),
        ({'page_length': '3'}, 'page_length must be 0 to 10'),
        ({'most_actions': -1}, 'most_actions must be 0'),
        ({'most_impossible': True}, 'most_impossible must be 0'),
        ({'attributes': 1}, 'attributes must be true or false'),
        ({'nouns': 'all'}, 'nouns must be words or spacy'),
        ({'colour': 1}, 'no such option'),
    ],
)
def test_wrong_options_say_what_is_allowed(options, says) -> None:
    with pytest.raises(ConfigurationError, match=says):
        make_world('webshop', **options)


WORDS = st.sampled_from(
    ['lamp', 'tarn', 'Back to Search', '< Prev', 'Next >', 'Buy Now', 'Features', 'blue', 'red']
)
SKILLS = (
    st.builds('search[{}]'.format, WORDS | st.text(max_size=12))
    | st.builds('click[{}]'.format, WORDS | st.text(max_size=12))
    | st.text(max_size=20)
)


@settings(max_examples=80, deadline=None)
@given(st.data(), st.integers(0, 400), st.sampled_from(['text', 'sep']))
def test_whatever_is_done_the_shop_stays_sound(data, number: int, style: str) -> None:
    world = WebShopWorld(style=style)
    world.reset('', f'test:{number}', 0)
    for _ in range(18):
        offered = world.admissible_skills()
        was_over, page, (actions, most) = world.observe().over, world.page, world.actions
        skill = data.draw(st.sampled_from(offered) | SKILLS if offered else SKILLS)
        skill = skill.replace('<text>', 'lamp')
        seen = world.step(skill)
        assert seen.text.strip() and world.observe().over == seen.over
        assert seen.over == (not seen.admissible_skills)
        assert 0.0 <= world.progress().score <= 1.0
        assert world.progress().success == (world.progress().score == 1.0)
        if was_over:
            assert not seen.succeeded and world.actions == (actions, most) and world.page == page
            continue
        assert world.actions == (actions + 1, most) and actions < most
        if skill in offered or (skill == 'search[lamp]' and 'search[<text>]' in offered):
            assert seen.succeeded
        if not seen.succeeded:
            assert world.page == page
        assert (world.page.kind is PageKind.END) == (world.progress().conditions[-1][:3] == 'met')


def test_the_outline_is_the_page() -> None:
    world = WebShopWorld()
    world.reset('', 'test:3', 0)
    assert world.outline() == Outline('Search')
    world.step('search[bumper case]')
    results = world.outline()
    assert results.name == '"bumper case"' and results.state.startswith('Page 1 (Total results: ')
    assert len(results.parts) == 10 and all(part.state.startswith('$') for part in results.parts)
    world.reset('', 'test:3', 0)
    *_, colour, buy = world.expert()
    assert buy == 'click[Buy Now]'
    item = world.outline()
    assert item.met and item.state == 'bought, score 1.00'
    chosen = [value.name for option in item.parts for value in option.parts if value.met]
    assert f'click[{chosen[-1]}]' == colour
