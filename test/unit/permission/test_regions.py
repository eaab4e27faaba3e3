"""A ban of one region leaves every other region open, seen or not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_core.observation import ObjectFact, Observation
from reactree_core.permission.acts import Act
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rule, Rules
from reactree_core.skill_types import SkillKind, SkillType

TYPES = (SkillType('go to <place>', ('name',), kind=SkillKind.MOVE),)
REGIONS = st.lists(st.sampled_from([f'hall {n}' for n in range(1, 9)]), min_size=2, unique=True)


@pytest.mark.parametrize('doing', ['go', 'enter'])
@given(regions=REGIONS, data=st.data())
def test_only_the_banned_region_and_what_may_be_in_it_is_closed(
    doing: str, regions: list[str], data: st.DataObject
) -> None:
    banned = data.draw(st.sampled_from(regions))
    here = data.draw(st.sampled_from([one for one in regions if one != banned]))
    seen = data.draw(st.lists(st.sampled_from(regions), unique=True))
    facts = tuple(ObjectFact('crate', n, room=room) for n, room in enumerate([here, *seen], 1))
    act = Act('go', banned) if doing == 'go' else Act('enter', 'robot', banned)
    rule = Rule('the task', act, at_most=0, of_task=True)
    permission = Permission(Rules(), True, TYPES, (rule,), regions=tuple(regions))
    permission.see(Observation('', place=here, room=here, facts=facts))

    opened = {one for one in regions if not permission.objection(f'go to {one}')}
    assert opened == {*regions} - {banned}
    for fact in facts:
        assert bool(permission.objection(f'go to {fact.name}')) is (fact.room == banned)
    assert permission.objection('go to drum 7')
