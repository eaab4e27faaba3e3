"""The page asks why: of a skill, of another in its place, and of the end."""

from __future__ import annotations

import pytest

from reactree_core.record.journal_lines import Answer
from reactree_tools.viewer.sources import GivenRun
from support.approved_run import approved_run, RULES

RUN = 'a' * 32


@pytest.fixture
def why(serve):
    """Asks of the run: status and answer."""
    _, client = serve(GivenRun(RUN, approved_run()), rules=RULES)

    def why(**asked):
        answer = client.get('api/why', params={'run': RUN, **asked})
        return answer.status_code, answer.json()

    return why


def test_a_skill_is_told_with_who_allowed_it_and_what_was_possible_beside_it(why):
    status, told = why(number=4)
    assert status == 200
    assert told['sentences'][0].startswith('Skill 4, "open gate 1", was done by agent 1')
    assert 'The model chose it; the skill server offered 2 others.' in told['sentences']
    assert 'The agent had thought: "The first gate is the nearest."' in told['sentences']
    assert 'It was approved by Ada <b> (rule "gates").' in told['sentences']
    assert '"close gate 1" takes it back.' in told['sentences']
    assert told['others'] == ['open gate 2', 'take knife 1']


def test_another_skill_is_told_as_of_that_moment(why):
    _, told = why(number=4, instead='take knife 1')
    assert told['sentences'][0].startswith('It was forbidden: Rule "hands off" forbids it')
    _, told = why(number=4, instead='open gate 2')
    assert told['sentences'][0] == (
        'It could have been done once, first before skill 4, where "open gate 1" was chosen.'
    )
    _, told = why(number=4, instead='fly away')
    assert told['sentences'] == [
        'No skill of the server reads so: see the skills that it declares.'
    ]
    assert told['others'] == []


def test_the_end_is_told(why):
    assert why()[1]['sentences'][0] == 'The run ended with success: verified'


def test_what_is_no_skill_is_refused_with_a_sentence(why):
    assert why(number=3) == (503, {'message': 'Event 3 of this run is no skill.'})
    assert why(number=5)[0] == 503
    assert why(number='1; drop')[0] == 400
    assert why(run='b' * 32, number=4)[0] == 503


def test_a_record_without_declared_skills_says_so_and_tells_the_rest(serve):
    events = [one for one in approved_run() if not isinstance(one, Answer)]
    _, client = serve(GivenRun(RUN, events))
    told = client.get('api/why', params={'run': RUN, 'number': 4}).json()['sentences']
    assert told[0].startswith('The record does not say what its skill server declares')
    assert 'It was approved by Ada <b> (rule "gates").' in told
