"""A robot that only goes from region to region: what is in its region is in reach."""

from __future__ import annotations

from dataclasses import replace

from reactree_planner.facts.reasoner import Reasoner
from reactree_planner.reading.reader import read_alone
from reactree_planner.runs.run_belief import RunBelief
from support.warehouse import Warehouse


def test_what_is_in_the_region_needs_no_way_to_its_place():
    world = Warehouse()
    vocabulary, seen = world.list_skills(None)
    belief = RunBelief(vocabulary)
    belief.update(seen)
    goal = read_alone('load two crates onto the truck and switch on the pump', belief.names)
    reasoner = Reasoner(vocabulary, goal.milestones)
    reasoner.see(seen)
    for number in range(20):
        step = reasoner.next()
        if not step.skill:
            break
        seen = world.execute(number, 1, step.skill, None)
        reasoner.see(replace(seen, skill=step.skill))
    assert step.is_done, step.unreachable
    assert world.pump_is_on and list(world.at.values()).count('truck 1') == 2
