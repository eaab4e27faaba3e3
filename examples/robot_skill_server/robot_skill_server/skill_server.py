"""The workshop robot as a skill server: what it can do, what it sees, and from text to robot."""

from collections.abc import Callable

from reactree_ros.msg import NameClass, ObjectFact, Observation, SkillType
from reactree_ros.srv import ListSkills
from robot_skill_server.robot import Ending, PLACES, Robot, ROOM
from robot_skill_server.ros_server import RosSkillServer, serve

#: Only the templates are needed; the rest lets more rules of the planner help.
SKILLS = (
    SkillType(
        skill_template='go to <place>',
        slot_types=['place'],
        kind=SkillType.KIND_MOVE,
        description='drives to a place',
    ),
    SkillType(
        skill_template='pick up <object>',
        slot_types=['thing'],
        kind=SkillType.KIND_TAKE,
        inverse='put down <object>',
        description='takes a thing that is where you are; your gripper must be empty',
    ),
    SkillType(
        skill_template='put down <object>',
        slot_types=['thing'],
        kind=SkillType.KIND_PUT,
        inverse='pick up <object>',
        description='leaves the thing you hold where you are',
    ),
)
CLASSES = (
    NameClass(name='cup', kind=NameClass.KIND_THING, other_words=['mug']),
    NameClass(name='book', kind=NameClass.KIND_THING),
    NameClass(name='table', kind=NameClass.KIND_PLACE, other_words=['bench']),
    NameClass(name='shelf', kind=NameClass.KIND_PLACE),
    NameClass(name='dock', kind=NameClass.KIND_PLACE),
)
ABOUT = (
    'You are a workshop robot with one gripper, which holds one thing at a time. You see what can '
    'be taken where you are, and nothing else.'
)
#: How working memory calls a hand.
HAND = 'agent 1'
OUTCOMES = {
    Ending.DONE: Observation.OUTCOME_SUCCEEDED,
    Ending.IMPOSSIBLE: Observation.OUTCOME_PRECONDITION_FAILED,
    Ending.STOPPED: Observation.OUTCOME_CANCELED,
}


class SkillServer(RosSkillServer):
    """Node `bridge` of the workshop robot."""

    backend = 'robot_skill_server'
    scene = 'workshop'

    def __init__(self) -> None:
        self.robot = Robot()
        super().__init__()

    def declare(self, answer: ListSkills.Response) -> None:
        """What the robot can do, and the names it knows."""
        answer.skill_types = list(SKILLS)
        answer.classes = list(CLASSES)
        answer.rooms = [ROOM]
        answer.about = ABOUT

    def skills(self) -> list[str]:
        """What can succeed now."""
        robot = self.robot
        ways = [f'go to {place}' for place in PLACES if place != robot.place]
        if robot.held:
            return [*ways, f'put down {robot.held}']
        return [*ways, *(f'pick up {thing}' for thing in robot.here())]

    def look(self, text: str, outcome: int = Observation.OUTCOME_SUCCEEDED) -> Observation:
        """An observation of the place where the robot is."""
        robot = self.robot
        text = text or (
            f'You are in the workshop, at {robot.place}. Places are {", ".join(PLACES)}.'
        )
        text += f' You see {", ".join(robot.here()) or "nothing to take"}.'
        text += f' You hold {robot.held}.' if robot.held else ''
        observation = Observation(text=text, place=robot.place, room=ROOM)
        observation.looked_at = [robot.place]
        observation.held = [robot.held] if robot.held else []
        observation.facts = [self.fact(thing, robot.place) for thing in robot.here()]
        observation.facts += [self.fact(thing, HAND) for thing in observation.held]
        return observation

    def fact(self, thing: str, place: str) -> ObjectFact:
        """Where a thing is, for working memory."""
        name, _, number = thing.rpartition(' ')
        return ObjectFact(object_class=name, instance=int(number), room=ROOM, receptacle=place)

    def act(self, skill: str, must_stop: Callable[[], bool]) -> tuple[int, str]:
        """From the text of a skill to the robot."""
        robot = self.robot
        skills = {
            'go to': (PLACES, lambda place: robot.move(place, must_stop)),
            'pick up': (robot.places, robot.grasp),
            'put down': (robot.places, robot.release),
        }
        for verb, (names, do) in skills.items():
            name = skill.removeprefix(f'{verb} ')
            if skill == f'{verb} {name}' and name in names:
                return OUTCOMES[do(name)], ''
        return Observation.OUTCOME_INVALID_SKILL, ''


def main() -> None:
    """Serve skills until Ctrl-C."""
    serve(SkillServer)
