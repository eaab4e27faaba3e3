"""What the last hour has spent outlives the node, or nothing is done."""

from __future__ import annotations

import json
import stat

import pytest
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st

from reactree_core.durability import state_file
from reactree_core.errors import ConfigurationError
from reactree_core.observation import Observation
from reactree_core.permission.guard import SkillGuard
from reactree_core.permission.kept_ledger import KeptLedger, ledger_of
from reactree_core.permission.permission import Permission
from reactree_core.permission.rules import Rules
from reactree_core.permission.rules_file import RuleEntry
from reactree_core.permission.spending import Amounts, Limits

#: When the tests take place, in seconds since 1970.
BEGAN = 1_764_000_000.0


class Clocks:
    """A machine's clocks, and the files of nodes that are started one after another."""

    def __init__(self, folder):
        self.wall = BEGAN
        self._folder = folder
        self._starts = 0

    @property
    def path(self):
        return self._folder / 'state' / 'last_hour.domain_0.bridge.json'

    def started(self):
        """The ledger of a node that is started now; its clock begins anywhere."""
        self._starts += 1
        offset = self._starts * 1e6 - self.wall
        return KeptLedger(self.path, lambda: self.wall + offset, lambda: self.wall)


@pytest.fixture
def clocks(tmp_path):
    return Clocks(tmp_path)


def test_what_was_spent_is_known_to_the_next_node_until_the_hour_is_over(clocks):
    first = clocks.started()
    first.spend(Amounts(skills=2, distance=1.5, tokens=100, cost=0.25))
    first.count('opening')
    clocks.wall += 1800
    again = clocks.started()
    assert again.spent() == Amounts(skills=2, distance=1.5, tokens=100, cost=0.25)
    assert again.counted() == {'opening': 1}
    again.count('opening')
    clocks.wall += 1811
    assert clocks.started().spent() == Amounts()
    assert clocks.started().counted() == {'opening': 1}


def test_a_rule_of_an_hour_holds_after_a_restart(clocks):
    rule = RuleEntry(name='seldom', skills='open *', at_most=1, per='hour').rule
    rules = Rules((rule,))

    def guard():
        made = SkillGuard(True)
        made.keep(rules, clocks.started())
        return made

    first = guard()
    assert first.refusal('a', 'open gate 1', False, Observation('x'), ()) is None
    first.record('a', Observation('done', skill='open gate 1'), 1.0)
    refusal = guard().refusal('b', 'open gate 2', False, Observation('x'), ())
    assert refusal is not None and 'more than once in an hour' in refusal.reason
    clocks.wall += 3601
    assert guard().refusal('c', 'open gate 2', False, Observation('x'), ()) is None


def test_a_clock_that_was_put_back_forgets_nothing(clocks):
    clocks.started().spend(Amounts(skills=3))
    clocks.wall -= 86_400
    again = clocks.started()
    assert again.spent().skills == 3
    clocks.wall += 3700
    assert again.spent().skills == 0


@pytest.mark.parametrize(
    'content',
    [
        b'',
        b'{',
        b'\xff\xfe',
        b'[]',
        b'{"format":2,"spent":[],"counted":{}}',
        b'{"format":1,"spent":[{"at":1,"skills":-1}],"counted":{}}',
        b'{"format":1,"spent":[{"at":NaN}],"counted":{}}',
        b'{"format":1,"spent":[],"counted":{"x":["a"]}}',
        b'{"format":1,"spent":[],"counted":{},"more":1}',
        b' ' * 1_000_001,
    ],
)
def test_a_broken_file_keeps_the_node_from_starting(clocks, content):
    clocks.path.parent.mkdir()
    clocks.path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r'cannot be read .*remove it'):
        clocks.started()
    # It stays for whoever looks.
    assert clocks.path.read_bytes() == content


def test_what_cannot_be_kept_is_refused_until_it_can_be(clocks):
    ledger = clocks.started()
    # Whoever tests may be root, whom no mode of a folder stops.
    new = clocks.path.with_name(f'{clocks.path.name}.new')
    new.mkdir()
    guard = SkillGuard(True)
    guard.keep(Rules(limits=Limits(per_hour=Amounts(skills=5))), ledger)
    assert guard.refusal('a', 'dock', False, Observation('x'), ()) is None
    guard.record('a', Observation('x', skill='dock'), 1.0)
    refusal = guard.refusal('a', 'dock', False, Observation('x'), ())
    assert refusal is not None and 'cannot be written to' in refusal.reason
    new.rmdir()
    assert guard.refusal('a', 'dock', False, Observation('x'), ()) is None
    assert ledger.spent().skills == 1


def test_where_nothing_can_be_written_the_node_does_not_start(clocks):
    clocks.path.parent.write_text('no folder')
    with pytest.raises(ConfigurationError, match='cannot be'):
        clocks.started()


def test_the_file_is_the_users_alone_and_bounded(clocks):
    ledger = clocks.started()
    for _ in range(2000):
        clocks.wall += 1.0
        Permission(Rules(), ledger=ledger)
        ledger._spent.append((ledger._clock(), Amounts(skills=1)))
    ledger.spend(Amounts(skills=1))
    assert stat.S_IMODE(clocks.path.stat().st_mode) == 0o600
    assert len(json.loads(clocks.path.read_text())['spent']) <= 361
    assert clocks.started().spent().skills == 2001


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.floats(0, 900), st.integers(1, 5), st.booleans()), min_size=1, max_size=12
    )
)
def test_restarts_forget_nothing_of_the_hour(tmp_path_factory, steps):
    clocks = Clocks(tmp_path_factory.mktemp('hour'))
    ledger, spent = clocks.started(), []
    for pause, skills, restarts in steps:
        clocks.wall += pause
        if restarts:
            ledger = clocks.started()
        ledger.spend(Amounts(skills=skills))
        spent.append((clocks.wall, skills))
        least = sum(many for at, many in spent if clocks.wall - at < 3600)
        most = sum(many for at, many in spent if clocks.wall - at < 3611)
        assert least <= ledger.spent().skills <= most


def test_a_resumed_run_is_not_counted_twice(clocks):
    rule = RuleEntry(name='seldom', skills='dock', at_most=5, per='hour').rule
    ledger = clocks.started()
    for replaying in (False, True):
        permission = Permission(Rules((rule,)), True, ledger=ledger)
        permission.account.replaying = lambda told=replaying: told
        permission.record('dock', Observation('x', skill='dock'))
    assert ledger.spent().skills == 1 and ledger.counted() == {'seldom': 1}
    assert permission.account.spent.skills == 1


def test_nodes_of_one_name_in_two_domains_have_a_file_each(monkeypatch, tmp_path):
    names = []
    for domain in ('', '0', '07', '7', '42'):
        monkeypatch.setenv('ROS_DOMAIN_ID', domain)
        names.append(state_file('last_hour.json', '/robot_1/bridge', tmp_path).name)
    assert names == [
        f'last_hour.domain_{domain}.robot_1.bridge.json' for domain in (0, 0, 7, 7, 42)
    ]


def test_only_rules_of_an_hour_need_a_file(monkeypatch, tmp_path):
    monkeypatch.delenv('ROS_DOMAIN_ID', raising=False)
    never = RuleEntry(name='never', skills='open *', at_most=0).rule
    assert not ledger_of(Rules((never,)), '/bridge', tmp_path).is_kept
    assert not list(tmp_path.iterdir())
    limits = Rules(limits=Limits(per_hour=Amounts(tokens=9)))
    assert ledger_of(limits, '/robot_1/planner', tmp_path).is_kept
    assert [one.name for one in tmp_path.iterdir()] == ['last_hour.domain_0.robot_1.planner.json']
