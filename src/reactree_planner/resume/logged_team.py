"""What the robots of a team answered: logged, and repeated in the order in which it came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Observation, Vocabulary
from reactree_core.ports import Listed, TeamSkillServer
from reactree_core.record.journal_lines import decode_event, encode_event, text, value_of
from reactree_core.whole_team import whole_of
from reactree_planner.resume.logged_ports import LoggedSkills
from reactree_planner.resume.run_log import RunLog


class LoggedTeam(LoggedSkills):
    """Another team (port `TeamSkillServer`).

    Skills that were under way when the planner ended are sent once more under their numbers: a
    skill server does none twice, and answers what came of it.
    """

    def __init__(self, inner: TeamSkillServer, log: RunLog) -> None:
        super().__init__(inner, log)
        self._team = inner
        self._listed: tuple[Listed, ...] = ()
        #: Skills of the past whose answers have not come yet, by their robots.
        self._open: dict[str, tuple[int, int, str]] = {}
        #: What each robot saw last.
        self._last: dict[str, Observation] = {}

    def list_team(self, cancel: CancelToken) -> tuple[Listed, ...]:
        """The robots, as they were at the beginning of the run."""
        if not self._listed:

            def ask() -> dict[str, Any]:
                listed = self._team.list_team(cancel)
                return {
                    'robots': [
                        {
                            'who': one.who,
                            'vocabulary': asdict(one.vocabulary),
                            'observation': encode_event(one.observation),
                        }
                        for one in listed
                    ]
                }

            self._listed = self._log.answer('list_team', ask, _read)
        return self._listed

    def list_skills(self, cancel: CancelToken) -> tuple[Vocabulary, Observation]:
        """What the robots can do together, and what the first of them sees."""
        whole = whole_of(self.list_team(cancel))
        self._types = whole[0].skills
        return whole

    def ask_ahead(self, cancel: CancelToken) -> Vocabulary:
        """What `list_skills` will answer, before the log of the run begins."""
        return whole_of(self._team.list_team(cancel))[0]

    def look_of(self, who: str, cancel: CancelToken) -> Observation:
        """What a robot saw, or sees now."""
        if self._log.replaying:
            self._last[who] = self._log.observation()
            return self._last[who]
        self._go_on(cancel)
        return self._team.look_of(who, cancel)

    def is_there(self, who: str) -> bool:
        """Whether a robot came back here, or is there again now; only that it is, is logged."""
        if self._log.replaying:
            recorded = self._log.peek(_BACK)
            return (
                recorded is not None
                and recorded.get('who') == who
                and bool(self._log.recall(_BACK))
            )
        if not self._team.is_there(who):
            return False
        self._log.note(_BACK, {'who': who})
        return True

    def send(
        self,
        who: str,
        sequence: int,
        node_id: int,
        skill: str,
        cancel: CancelToken,
        before: Observation | None = None,
    ) -> None:
        """Have a skill begun, unless it was in the past."""
        if self._log.replaying or sequence in self._log.under_way:
            self._open[who] = sequence, node_id, skill
            return
        self._go_on(cancel)
        self._team.send(who, sequence, node_id, skill, cancel, before)

    def next_ended(self, cancel: CancelToken) -> Observation:
        """What ended next."""
        if self._log.replaying:
            observation = self._log.observation()
            self._open.pop(observation.who, None)
            self._last[observation.who] = observation
            return observation
        self._go_on(cancel)
        return self._team.next_ended(cancel)

    def _go_on(self, cancel: CancelToken) -> None:
        """Ask once more for what was under way."""
        under_way, self._open = self._open, {}
        for who, (sequence, node_id, skill) in under_way.items():
            self._log.go_on()
            self._team.send(who, sequence, node_id, skill, cancel, self._last[who])


#: Kind of answer: a robot that was lost is there again.
_BACK = 'back'


def _read(answer: Mapping[str, Any]) -> tuple[Listed, ...]:
    listed = []
    for one in answer['robots']:
        observation = decode_event(one['observation'])
        if not isinstance(observation, Observation):
            raise TypeError('a decision instead of a look')
        observation = replace(observation, who=text(one['who']))
        listed.append(
            Listed(text(one['who']), value_of(Vocabulary, one['vocabulary']), observation)
        )
    return tuple(listed)
