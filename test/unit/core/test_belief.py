"""Facts with a source and a time: which of them decides, and what is said of the others."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from reactree_core.belief import (
    Belief,
    ExpectedChange,
    Fact,
    holds,
    remedy,
    SIGHT,
    Source,
    SourceKind,
    Status,
    status_of,
    Verdict,
    why,
)
from reactree_core.observation import ObjectFact, Observation, restamped
from reactree_core.skill_types import Effect, read_effect, Relation

CAMERA = Source(SourceKind.SENSOR, '/camera')
GRIPPER = Source(SourceKind.SENSOR, '/gripper')
PUT = Source(SourceKind.EFFECT, 'put crate 1 on table 1')
ON_TABLE = Effect(Relation.IN, 'crate 1', 'table 1')
ON_SHELF = Effect(Relation.IN, 'crate 1', 'shelf 1')
HELD = Effect(Relation.HOLDING, '', 'crate 1')
NOT_HELD = Effect(Relation.HOLDING, '', 'crate 1', False)


def believing(*facts: Fact, tested: tuple[Source, ...] = ()) -> Belief:
    """A belief of these facts. :param tested: sources that have followed an act before."""
    rivals = {'open': ('closed',), 'closed': ('open',)}
    belief = Belief(lambda word: rivals.get(word, ()))
    at, there = (Effect(Relation.AT, '', name) for name in ('dock 1', 'hall 1'))
    for source in tested:
        belief.tell(Fact(at, source, -9.0, 1.0))
        belief.expect([there], -9.0)
        belief.tell(Fact(there, source, -8.0, 1.0))
    for fact in facts:
        belief.tell(fact)
    return belief


def asked(belief: Belief, what: Effect | str, now: float) -> tuple[bool | None, str, str]:
    effect = read_effect(what) if isinstance(what, str) else what
    assert effect is not None
    verdict = holds(belief, effect, now)
    return verdict.holds, verdict.status.value, why(verdict, now)


def test_what_a_sensor_reports_within_its_age_is_verified() -> None:
    belief = believing(Fact(ON_TABLE, CAMERA, 10.0, 2.0), tested=(CAMERA,))
    assert asked(belief, ON_TABLE, 11.0) == (True, 'verified', '')
    assert asked(belief, ON_SHELF, 11.0) == (False, 'not met', '')


def test_what_was_sensed_and_is_older_than_its_age_is_assumed_with_its_time() -> None:
    belief = believing(Fact(ON_TABLE, CAMERA, 10.0, 2.0))
    assert asked(belief, ON_TABLE, 40.0) == (True, 'assumed', 'last seen 30 s ago by /camera')


def test_a_sight_without_an_age_is_good_until_something_else_is_seen() -> None:
    belief = believing(Fact(ON_TABLE, SIGHT, 1.0))
    assert asked(belief, ON_TABLE, 900.0) == (True, 'verified', '')
    belief.tell(Fact(ON_SHELF, SIGHT, 901.0))
    assert asked(belief, ON_TABLE, 902.0) == (False, 'not met', '')


def test_an_effect_outdates_what_was_sensed_before_and_is_itself_only_assumed() -> None:
    belief = believing(Fact(ON_SHELF, CAMERA, 10.0, 60.0), Fact(ON_TABLE, PUT, 11.0))
    known = (True, 'assumed', 'effect of `put crate 1 on table 1`, no sensor reports it')
    assert asked(belief, ON_TABLE, 12.0) == known


def test_a_sense_after_an_effect_overrules_it() -> None:
    belief = believing(Fact(ON_TABLE, PUT, 11.0), Fact(ON_SHELF, CAMERA, 11.0, 2.0))
    assert asked(belief, ON_TABLE, 12.0) == (False, 'not met', '')


def test_two_sensors_that_disagree_leave_it_unknown_and_are_both_named() -> None:
    belief = believing(Fact(HELD, GRIPPER, 10.0, 2.0), Fact(ON_TABLE, CAMERA, 10.5, 2.0))
    said = '/camera says crate 1 in table 1; /gripper says holding crate 1'
    assert asked(belief, HELD, 11.0) == (None, 'not known', said)
    assert asked(belief, ON_TABLE, 11.0) == (None, 'not known', said)
    # Once the gripper is silent, the camera alone decides.
    belief.tell(Fact(ON_TABLE, CAMERA, 20.0, 2.0))
    assert asked(belief, HELD, 21.0) == (False, 'not met', '')


def test_states_that_exclude_each_other_disagree() -> None:
    open_, closed = (Effect(Relation.IS, 'door 1', word) for word in ('open', 'closed'))
    belief = believing(Fact(open_, CAMERA, 1.0, 9.0), Fact(closed, GRIPPER, 1.0, 9.0))
    assert asked(belief, open_, 2.0)[:2] == (None, 'not known')
    belief = believing(Fact(open_, CAMERA, 1.0, 9.0))
    assert asked(belief, closed, 2.0)[:2] == (False, 'not met')


def test_what_an_earlier_run_knew_decides_nothing() -> None:
    seen = believing(Fact(ON_TABLE, CAMERA, -120.0, 2.0))
    assert asked(seen, ON_TABLE, 0.0) == (None, 'not known', 'last seen 2 min ago by /camera')
    done = believing(Fact(ON_TABLE, PUT, -120.0))
    assert asked(done, ON_TABLE, 0.0) == (None, 'not known', 'in an earlier run, 2 min ago')
    told = believing(Fact(ON_TABLE, Source(SourceKind.RUN, '3f2a'), -120.0))
    assert asked(told, ON_TABLE, 0.0) == (None, 'not known', 'in run 3f2a, 2 min ago')
    sight = believing(Fact(ON_TABLE, SIGHT, -1.0))
    assert asked(sight, ON_TABLE, 0.0)[:2] == (None, 'not known')


def test_a_reading_of_just_before_the_run_counts_within_its_age() -> None:
    belief = believing(Fact(ON_TABLE, CAMERA, -0.2, 2.0), tested=(CAMERA,))
    assert asked(belief, ON_TABLE, 0.1) == (True, 'verified', '')


def test_a_person_is_believed_and_named() -> None:
    belief = believing(Fact(ON_TABLE, Source(SourceKind.PERSON, 'Ana'), 1.0))
    assert asked(belief, ON_TABLE, 2.0) == (True, 'assumed', 'said by Ana')


def test_own_sight_beats_hearsay_of_the_same_time() -> None:
    other = Source(SourceKind.ROBOT, 'robot 2')
    belief = believing(Fact(ON_SHELF, other, 5.0), Fact(ON_TABLE, SIGHT, 5.0))
    assert asked(belief, ON_TABLE, 6.0) == (True, 'verified', '')
    belief.tell(Fact(ON_SHELF, other, 7.0))
    assert asked(belief, ON_TABLE, 8.0) == (False, 'not met', '')


def test_a_number_is_compared_and_its_newest_value_decides() -> None:
    def moist(number: int, time: float) -> Fact:
        return Fact(Effect(Relation.IS, 'plant 1', f'moisture {number} %'), CAMERA, time, 2.0)

    belief = believing(moist(23, 1.0))
    belief.expect([], 1.0, [ExpectedChange('plant 1', 'moisture', Decimal(20))])
    belief.tell(moist(45, 3.0))
    assert asked(belief, 'moisture of plant 1 > 40 %', 4.0) == (True, 'verified', '')
    assert asked(belief, 'moisture of plant 1 < 40 %', 4.0) == (False, 'not met', '')
    assert asked(belief, 'warmth of plant 1 < 40 %', 4.0) == (None, 'not known', '')


def test_a_source_takes_back_what_it_said() -> None:
    belief = believing(
        Fact(HELD, GRIPPER, 1.0, 9.0), Fact(NOT_HELD, GRIPPER, 2.0, 9.0), tested=(GRIPPER,)
    )
    assert asked(belief, HELD, 3.0) == (False, 'not met', '')
    assert asked(belief, NOT_HELD, 3.0) == (True, 'verified', '')


def test_a_negated_question_has_the_opposite_answer() -> None:
    belief = believing(Fact(ON_TABLE, CAMERA, 1.0, 9.0), tested=(CAMERA,))
    not_there = Effect(Relation.IN, 'crate 1', 'shelf 1', False)
    assert asked(belief, not_there, 2.0) == (True, 'verified', '')


def test_the_status_of_several_facts_is_the_worst_of_theirs() -> None:
    one = Verdict(True, Status.VERIFIED)
    assert status_of([one, Verdict(True, Status.ASSUMED)]) is Status.ASSUMED
    assert status_of([one, Verdict(None, Status.NOT_KNOWN)]) is Status.NOT_KNOWN
    assert status_of([one]) is Status.VERIFIED
    assert status_of([]) is Status.NOT_KNOWN


# Properties ----------------------------------------------------------------------------------

SOURCES = (CAMERA, GRIPPER, PUT, SIGHT, Source(SourceKind.RUN, '3f2a'))
WHATS = (ON_TABLE, ON_SHELF, HELD, NOT_HELD, Effect(Relation.IN, 'crate 1', 'table 1', False))
TIMES = st.integers(-50, 50).map(float)
FACTS = st.builds(
    Fact, st.sampled_from(WHATS), st.sampled_from(SOURCES), TIMES, st.sampled_from((1.0, 5.0, 1e9))
)


@given(st.lists(FACTS, max_size=8), st.sampled_from(WHATS), st.integers(0, 60).map(float))
def test_verified_means_sensed_within_its_age_by_one_that_agrees(
    facts: list[Fact], what: Effect, now: float
) -> None:
    facts = [fact for fact in facts if fact.time <= now]
    verdict = holds(believing(*facts), what, now)
    if verdict.status is Status.VERIFIED:
        assert verdict.holds and verdict.evidence
        assert all(one.source.kind.senses and one.is_fresh(now) for one in verdict.evidence)
    assert (verdict.status is Status.NOT_MET) == (verdict.holds is False)
    assert (verdict.status is Status.NOT_KNOWN) == (verdict.holds is None)


@given(st.lists(FACTS, max_size=8), st.sampled_from(WHATS), st.integers(0, 60).map(float))
def test_a_fact_and_its_negation_never_both_hold(
    facts: list[Fact], what: Effect, now: float
) -> None:
    belief = believing(*(fact for fact in facts if fact.time <= now))
    negated = Effect(what.relation, what.subject, what.value, not what.holds)
    pair = holds(belief, what, now).holds, holds(belief, negated, now).holds
    assert pair in ((True, False), (False, True), (None, None))


@given(st.lists(FACTS, max_size=6), st.integers(0, 60).map(float))
def test_a_thing_is_never_in_two_places_nor_held_in_one(facts: list[Fact], now: float) -> None:
    belief = believing(*(fact for fact in facts if fact.time <= now))
    assert sum(holds(belief, one, now).holds is True for one in (ON_TABLE, ON_SHELF, HELD)) <= 1


@given(st.lists(FACTS, max_size=6), st.integers(0, 60).map(float))
def test_facts_of_earlier_runs_change_no_answer(facts: list[Fact], now: float) -> None:
    ours = [fact for fact in facts if 0.0 <= fact.time <= now]
    ours = [fact for fact in ours if fact.source.kind is not SourceKind.RUN]
    run = Source(SourceKind.RUN, '3f2a')
    remembered = [Fact(what, run, -9.0) for what in WHATS]
    for what in WHATS:
        plain, more = believing(*ours), believing(*remembered, *ours)
        assert holds(plain, what, now).holds is holds(more, what, now).holds


def test_facts_about_a_thing_are_dropped_in_hand_and_in_place_alike() -> None:
    belief = believing(Fact(HELD, GRIPPER, 1.0, 9.0), Fact(ON_TABLE, CAMERA, 1.0, 9.0))
    belief.forget(ON_TABLE)
    assert not list(belief)


# In observations -----------------------------------------------------------------------------


def test_evidence_moves_to_the_clock_of_a_run_with_its_observation() -> None:
    seen = Observation('', stamp=1000.0, evidence=(Fact(ON_TABLE, CAMERA, 970.0, 2.0),))
    moved = restamped(seen, 0.5)
    assert moved.stamp == 0.5 and moved.evidence == (Fact(ON_TABLE, CAMERA, -29.5, 2.0),)


def test_what_a_server_without_sources_saw_before_the_run_is_of_that_time() -> None:
    old = ObjectFact('crate', 1, '', 'table 1', 'dusty', seen_at=970.0)
    new = ObjectFact('crate', 2, '', 'table 1', seen_at=999.8)
    moved = restamped(Observation('', stamp=1000.0, facts=(old, new)), 0.5)
    dusty = Effect(Relation.IS, 'crate 1', 'dusty')
    assert moved.evidence == (Fact(ON_TABLE, SIGHT, -29.5), Fact(dusty, SIGHT, -29.5))
    plain = Observation('', stamp=9.0, facts=(ObjectFact('crate', 1, '', 'table 1'),))
    assert not restamped(plain, 0.5).evidence


def test_that_a_thing_is_not_in_one_place_says_nothing_of_another() -> None:
    not_there = Effect(Relation.IN, 'crate 1', 'shelf 1', False)
    belief = believing(
        Fact(not_there, CAMERA, 1.0, 9.0), Fact(ON_TABLE, GRIPPER, 1.0, 9.0), tested=(GRIPPER,)
    )
    assert asked(belief, ON_TABLE, 2.0) == (True, 'verified', '')
    assert asked(believing(Fact(not_there, CAMERA, 1.0, 9.0)), ON_TABLE, 2.0)[0] is None


def test_what_is_recalled_of_another_run_decides_nothing_whenever_it_is_recalled() -> None:
    belief = believing(Fact(ON_TABLE, Source(SourceKind.RUN, '3f2a'), 5.0))
    assert asked(belief, ON_TABLE, 6.0)[:2] == (None, 'not known')


def test_a_later_report_of_a_source_replaces_its_own_earlier_one_within_the_age():
    belief = Belief(lambda word: {'running': ('stopped',), 'stopped': ('running',)}.get(word, ()))
    sensor = Source(SourceKind.SENSOR, '/extractor')
    running, stopped = (Effect(Relation.IS, 'extractor', word) for word in ('running', 'stopped'))
    belief.tell(Fact(stopped, sensor, 10.0, age=2.0))
    belief.expect([running], 10.0)
    belief.tell(Fact(running, sensor, 10.1, age=2.0))
    assert holds(belief, running, 10.2).status is Status.VERIFIED
    assert holds(belief, stopped, 10.2).holds is False
    other = Source(SourceKind.SENSOR, '/camera')
    belief.tell(Fact(stopped, other, 10.1, age=2.0))
    assert holds(belief, running, 10.2).status is Status.NOT_KNOWN


# No single fault leaves what is sensed as it is ------------------------------------------------

DOOR = Source(SourceKind.SENSOR, '/door')
LIMIT = Source(SourceKind.SENSOR, '/limit switch')
ECHO = Source(SourceKind.REPORT, '/state')
OPEN, CLOSED = (Effect(Relation.IS, 'door 1', word) for word in ('open', 'closed'))
UNTESTED = 'only /door says so, and it has followed no act in this run'


def opened(*sources: Source, follows: bool = True) -> Belief:
    """A belief after a door was opened, of sources that said before that it is closed."""
    belief = believing(*(Fact(CLOSED, source, 1.0, 2.0) for source in sources))
    belief.expect([OPEN], 1.0)
    for source in sources:
        belief.tell(Fact(OPEN if follows else CLOSED, source, 2.0, 2.0))
    return belief


def test_a_sensor_that_has_followed_an_act_verifies() -> None:
    assert asked(opened(DOOR), OPEN, 3.0) == (True, 'verified', '')


def test_a_sensor_that_never_said_otherwise_does_not_verify() -> None:
    belief = believing(Fact(OPEN, DOOR, 1.0, 2.0))
    assert asked(belief, OPEN, 2.0) == (True, 'assumed', UNTESTED)
    # Nor does one that said so before the act.
    belief.expect([OPEN], 1.0)
    belief.tell(Fact(OPEN, DOOR, 2.0, 2.0))
    assert asked(belief, OPEN, 3.0) == (True, 'assumed', UNTESTED)


def test_a_report_of_before_the_act_is_no_answer_to_it() -> None:
    belief = believing(Fact(CLOSED, DOOR, 1.0, 9.0))
    belief.expect([OPEN], 5.0)
    belief.tell(Fact(OPEN, DOOR, 4.0, 9.0))
    assert asked(belief, OPEN, 6.0) == (True, 'assumed', UNTESTED)


def test_a_sensor_that_stops_following_verifies_no_more() -> None:
    belief = opened(DOOR)
    belief.expect([CLOSED], 2.0)
    belief.tell(Fact(OPEN, DOOR, 3.0, 2.0))
    said = 'only /door says so, and it has not followed the newest act'
    assert asked(belief, OPEN, 3.5) == (True, 'assumed', said)


def test_two_sensors_that_agree_verify_untested() -> None:
    belief = believing(Fact(OPEN, DOOR, 1.0, 2.0), Fact(OPEN, LIMIT, 1.0, 2.0))
    assert asked(belief, OPEN, 2.0) == (True, 'verified', '')
    # What was sensed too long ago agrees with nobody.
    belief = believing(Fact(OPEN, DOOR, 9.0, 2.0), Fact(OPEN, LIMIT, 1.0, 2.0))
    assert asked(belief, OPEN, 10.0) == (True, 'assumed', UNTESTED)


def test_what_may_repeat_the_command_verifies_only_beside_a_sensor() -> None:
    said = 'only /state says so, which may repeat the command'
    assert asked(opened(ECHO), OPEN, 3.0) == (True, 'assumed', said)
    other = Source(SourceKind.REPORT, '/other')
    assert asked(opened(ECHO, other), OPEN, 3.0)[1] == 'assumed'
    assert asked(opened(ECHO, DOOR), OPEN, 3.0)[1] == 'verified'
    # It still says otherwise where it does.
    assert asked(opened(ECHO, follows=False), OPEN, 3.0)[:2] == (False, 'not met')


def test_a_number_is_verified_once_a_change_of_known_size_was_seen() -> None:
    def level(number: str, time: float) -> Fact:
        return Fact(Effect(Relation.IS, 'tank', f'{number} %'), DOOR, time, 2.0)

    def raised(before: str, after: str, amount: int, sets: bool = False) -> Belief:
        belief = believing(level(before, 1.0), tested=(DOOR,))
        belief.expect([], 1.0, [ExpectedChange('tank', '', Decimal(amount), sets)])
        belief.tell(level(after, 2.0))
        return belief

    assert asked(raised('30', '50', 20), 'tank > 40 %', 3.0) == (True, 'verified', '')
    assert asked(raised('30', '52', 20), 'tank > 40 %', 3.0)[1] == 'verified'
    assert asked(raised('30', '70', 70, True), 'tank > 40 %', 3.0)[1] == 'verified'
    # A sensor in another unit says twice as much, or all of it.
    assert asked(raised('60', '100', 20), 'tank > 40 %', 3.0)[1] == 'assumed'
    assert asked(raised('10', '90', 45, True), 'tank > 40 %', 3.0)[1] == 'assumed'
    said = 'only /door says so, and no act has shown its scale'
    assert asked(believing(level('50', 1.0)), 'tank > 40 %', 2.0) == (True, 'assumed', said)


def test_one_source_alone_does_not_say_which_of_several_things_it_is() -> None:
    belief = believing(Fact(ON_SHELF, CAMERA, 1.0, 9.0))
    belief.tell(Fact(Effect(Relation.IN, 'crate 2', 'shelf 1'), CAMERA, 1.0, 9.0))
    belief.expect([ON_TABLE], 1.0)
    belief.tell(Fact(ON_TABLE, CAMERA, 2.0, 9.0))
    assert asked(belief, ON_TABLE, 3.0) == (True, 'assumed', 'only /camera says which crate it is')
    assert holds(belief, ON_TABLE, 3.0, which=False).status is Status.VERIFIED
    # A gripper that named it in between says it, too.
    belief.expect([HELD], 3.0, denied=[HELD])
    belief.tell(Fact(HELD, GRIPPER, 4.0, 9.0))
    belief.expect([ON_TABLE], 4.0)
    belief.forget(HELD)
    belief.tell(Fact(ON_TABLE, CAMERA, 5.0, 9.0))
    assert asked(belief, ON_TABLE, 6.0) == (True, 'verified', '')


def test_a_source_that_reads_what_things_carry_says_alone_which_it_is() -> None:
    tags = Source(SourceKind.TAG, '/tags')
    belief = believing(Fact(ON_SHELF, tags, 1.0, 9.0))
    belief.tell(Fact(Effect(Relation.IN, 'crate 2', 'shelf 1'), tags, 1.0, 9.0))
    # As any sensor it has to follow an act first.
    assert asked(belief, ON_SHELF, 2.0)[1] == 'assumed'
    belief.expect([ON_TABLE], 1.0)
    belief.tell(Fact(ON_TABLE, tags, 2.0, 9.0))
    assert asked(belief, ON_TABLE, 3.0) == (True, 'verified', '')


def test_a_remedy_names_the_source_and_what_to_write() -> None:
    said = remedy('only /camera says which crate it is')
    assert said.startswith('write `identifies: true` beside /camera')
    assert '/door and /state' in remedy(
        'only /door and /state says so, which may all repeat the command'
    )
    assert '`age` of /seen' in remedy('last seen 5 s ago by /seen')
    assert remedy('said by Ana') == ''


@given(st.lists(FACTS, max_size=8), st.sampled_from(WHATS), st.integers(0, 60).map(float))
def test_without_an_act_only_what_names_no_sensor_and_two_that_agree_verify(
    facts: list[Fact], what: Effect, now: float
) -> None:
    verdict = holds(believing(*(fact for fact in facts if fact.time <= now)), what, now)
    if verdict.status is Status.VERIFIED:
        sources = {fact.source for fact in verdict.evidence}
        assert SIGHT in sources or len(sources) > 1
    assert bool(verdict.doubt) <= (verdict.status is Status.ASSUMED)
