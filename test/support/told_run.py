"""A run in the household world without a model, to which people talk while it goes."""

from __future__ import annotations

from reactree_core.cancellation import CancelToken
from reactree_core.observation import Observation
from reactree_core.record.events import Decision, DecisionKind, NodeStatus
from reactree_core.record.journal_lines import decode_record, encode_record
from reactree_core.record.questions import NOBODY
from reactree_core.record.run_settings import Limits
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_planner.planners.registry import make_planner
from reactree_planner.resume.logged_model import LoggedModel
from reactree_planner.resume.logged_ports import logged_gate, LoggedMemory, LoggedSkills
from reactree_planner.resume.run_log import RunLog
from reactree_planner.runs.mailbox import Mailbox
from reactree_planner.runs.run import carry_out, PlanRun
from reactree_planner.runs.run_ports import Ports
from reactree_planner.runs.settings import PlannerSettings
from reactree_tools.episode import InProcessMemory
from sim_bridge.in_process_skill_server import InProcessSkillServer
from sim_bridge.worlds.registry import make_world

RUN_ID = 'a' * 32


class Told:
    """A run in the household of which people say something behind certain skills.

    :param said: number of the skill behind which it is said -> what.
    :param model: its name, or itself. :param past: records of a run that is resumed.
    :param options: scene; others are of the run.
    """

    def __init__(self, task, said=(), *, planner='reactree', model='none', past=(), **options):
        world = make_world('household')
        world.reset(options.pop('scene', 'generated:3'), '', 0)
        self.world = world
        self.server = options.pop('serve', InProcessSkillServer)(world)
        self.mailbox = Mailbox()
        self.mailbox.open(RUN_ID)
        self.said = dict(said)
        self.records = []
        self.events = []
        self.cancel = CancelToken()
        self.planner = make_planner(planner)
        gate = options.pop('gate', None)
        log = RunLog(self._keep, past)
        self.run = PlanRun(
            task,
            Ports(
                LoggedModel(
                    load_model(model, ModelOptions()) if isinstance(model, str) else model, log
                ),
                LoggedSkills(self.server, log),
                LoggedMemory(InProcessMemory(), log),
                said=self.mailbox,
                people=options.pop('people', NOBODY),
            ),
            PlannerSettings(**options.pop('settings', {})),
            options.pop('limits', Limits()),
            self.cancel,
            self._hear,
            gate=gate and logged_gate(gate, log),
            log=log,
            **options,
        )

    def _keep(self, record):
        # As it stands on the disk.
        self.records.append(decode_record(encode_record(record)))

    def _hear(self, event):
        self.events.append(event)
        if isinstance(event, Observation) and event.skill:
            for text in self.said.pop(len(self.server.executed), ()):
                accepted, _ = self.mailbox.say('', text, 'the cook')
                assert accepted

    def go(self):
        """Carry it out, to its recorded end; whether the tree succeeded."""
        success = carry_out(self.planner, self.run)
        self.run.finish(NodeStatus.SUCCESS if success else NodeStatus.FAILURE, '')
        return success

    def decisions(self, kind):
        return [one for one in self.events if isinstance(one, Decision) and one.kind is kind]

    def corrections(self):
        return [(one.text, one.subgoals) for one in self.decisions(DecisionKind.CORRECT)]

    def where(self, name):
        """Of what a thing of the world is in or on, as the world tells the planner."""
        facts = {}
        for event in self.events:
            if isinstance(event, Observation):
                facts.update({one.name: one.receptacle for one in event.facts})
        return facts.get(name)
