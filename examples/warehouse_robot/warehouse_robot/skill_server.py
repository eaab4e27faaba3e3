"""The warehouse robot as a skill server: it declares kinds, effects, classes and a domain."""

import re
from collections.abc import Callable

from robot_skill_server.ros_server import RosSkillServer, serve

from reactree_ros.msg import NameClass, ObjectFact, Observation, SkillType
from reactree_ros.srv import ListSkills
from warehouse_robot.warehouse import DOCKS, Refusal, Stopped, TRUCKS, Warehouse

SKILLS = (
    SkillType(
        skill_template='drive to <dock>',
        slot_types=['place'],
        kind=SkillType.KIND_MOVE,
        description='takes you to a dock',
    ),
    SkillType(
        skill_template='scan <crate>',
        slot_types=['thing'],
        kind=SkillType.KIND_CHANGE,
        effects=['<crate> is scanned'],
        description='reads the label of a crate at your dock',
    ),
    SkillType(
        skill_template='load <crate> onto <truck>',
        slot_types=['thing', 'place'],
        kind=SkillType.KIND_PUT,
        inverse='unload <crate> from <truck>',
        effects=['<crate> in <truck>'],
        description='crate and truck must be at your dock, and the crate scanned',
    ),
    SkillType(
        skill_template='unload <crate> from <truck>',
        slot_types=['thing', 'place'],
        inverse='load <crate> onto <truck>',
        effects=['not <crate> in <truck>'],
        description='leaves the crate at your dock',
    ),
)
CLASSES = (
    NameClass(name='crate', kind=NameClass.KIND_THING, other_words=['box', 'parcel']),
    NameClass(name='truck', kind=NameClass.KIND_PLACE, other_words=['lorry']),
    NameClass(name='dock', kind=NameClass.KIND_PLACE, other_words=['bay', 'gate']),
)
ABOUT = (
    'You are a loader in a warehouse with three docks. Trucks stand at docks; you see the crates '
    'and the truck of the dock where you are. A crate is scanned before it is loaded.'
)


class WarehouseServer(RosSkillServer):
    """Node `bridge` of the warehouse robot."""

    backend = 'warehouse_robot'
    scene = 'warehouse'

    def __init__(self) -> None:
        self.warehouse = Warehouse()
        super().__init__()

    def declare(self, answer: ListSkills.Response) -> None:
        """What the robot can do, and the names it knows."""
        answer.skill_types = list(SKILLS)
        answer.classes = list(CLASSES)
        answer.domain = 'warehouse'
        answer.about = ABOUT

    def skills(self) -> list[str]:
        """What can succeed now."""
        world = self.warehouse
        skills = [f'drive to {dock}' for dock in DOCKS if dock != world.dock]
        trucks = world.trucks_here()
        for crate in world.crates_at(world.dock):
            if crate in world.scanned:
                skills += [f'load {crate} onto {truck}' for truck in trucks]
            else:
                skills.append(f'scan {crate}')
        for truck in trucks:
            skills += [f'unload {crate} from {truck}' for crate in world.crates_at(truck)]
        return skills

    def look(self, text: str, outcome: int = Observation.OUTCOME_SUCCEEDED) -> Observation:
        """What stands at the dock where the robot is, and what is on its truck."""
        world = self.warehouse
        places = [world.dock, *world.trucks_here()]
        if not text:
            stand = ', '.join(f'{truck} at {dock}' for truck, dock in TRUCKS.items())
            text = f'Docks are {", ".join(DOCKS)}; {stand}.'
        seen = ', '.join(world.crates_at(world.dock) + world.trucks_here()) or 'nothing'
        text += f' You are at {world.dock} and see {seen}.'
        for truck in world.trucks_here():
            text += f' On {truck}: {", ".join(world.crates_at(truck)) or "nothing"}.'
        observation = Observation(text=text, place=world.dock, looked_at=places)
        for truck in world.trucks_here():
            name, _, number = truck.partition(' ')
            observation.facts.append(
                ObjectFact(object_class=name, instance=int(number), receptacle=world.dock)
            )
        for place in places:
            for crate in world.crates_at(place):
                state = 'scanned' if crate in world.scanned else ''
                # "crate A-7" has no number: its name is its class.
                fact = ObjectFact(object_class=crate, receptacle=place, state=state)
                observation.facts.append(fact)
        return observation

    def act(self, skill: str, must_stop: Callable[[], bool]) -> tuple[int, str]:
        """From the text of a skill to the robot."""
        world = self.warehouse
        for pattern, kinds, do in (
            (r'drive to (.*)', (DOCKS,), lambda dock: world.drive(dock, must_stop)),
            (r'scan (.*)', (world.crates,), world.scan),
            (r'load (.*) onto (.*)', (world.crates, TRUCKS), world.load),
            (r'unload (.*) from (.*)', (world.crates, TRUCKS), world.unload),
        ):
            match = re.fullmatch(pattern, skill)
            if match and all(map(lambda name, known: name in known, match.groups(), kinds)):
                try:
                    do(*match.groups())
                except Refusal as refusal:
                    return Observation.OUTCOME_PRECONDITION_FAILED, str(refusal)
                except Stopped:
                    return Observation.OUTCOME_CANCELED, ''
                return Observation.OUTCOME_SUCCEEDED, ''
        return Observation.OUTCOME_INVALID_SKILL, ''


def main() -> None:
    """Serve skills until Ctrl-C."""
    serve(WarehouseServer)
