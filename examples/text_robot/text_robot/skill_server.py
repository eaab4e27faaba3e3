"""A lamp with a voice in a museum: it tells its templates and answers in text, nothing else."""

import time
from collections.abc import Callable

from robot_skill_server.ros_server import RosSkillServer, serve

from reactree_ros.msg import Observation
from reactree_ros.srv import ListSkills

#: In `say <text>` the model writes the text.
TEMPLATES = ('wake up', 'shine on <exhibit>', 'say <text>')
EXHIBITS = ('globe', 'north door', 'old clock')
#: Longest text that is said, in characters.
LONGEST = 80
SECONDS_A_TURN = 0.5
#: Seconds between two looks whether to stop.
PERIOD = 0.02


class LampServer(RosSkillServer):
    """Node `bridge` of the lamp."""

    backend = 'text_robot'
    scene = 'museum'

    def __init__(self) -> None:
        self.awake = False
        self.exhibit = ''
        self.said = ''
        super().__init__()

    def declare(self, answer: ListSkills.Response) -> None:
        """Templates are enough."""
        answer.templates = list(TEMPLATES)

    def skills(self) -> list[str]:
        """What can succeed now."""
        if not self.awake:
            return ['wake up']
        dark = [exhibit for exhibit in EXHIBITS if exhibit != self.exhibit]
        return [*(f'shine on {exhibit}' for exhibit in dark), 'say <text>']

    def look(self, text: str, outcome: int = Observation.OUTCOME_SUCCEEDED) -> Observation:
        """Words only."""
        exhibits = ', '.join(EXHIBITS)
        text = text or f'You are a lamp in a museum. You can shine on: {exhibits}.'
        text += ' You are awake.' if self.awake else ' You are asleep.'
        text += f' Your light is on the {self.exhibit}.' if self.exhibit else ''
        text += f' You have said: {self.said}' if self.said else ''
        return Observation(text=text)

    def act(self, skill: str, must_stop: Callable[[], bool]) -> tuple[int, str]:
        """Do a skill, or say in a sentence what is wrong with it."""
        exhibit, words = skill.removeprefix('shine on '), skill.removeprefix('say ')
        if skill == 'wake up':
            self.awake = True
        elif skill not in (f'shine on {exhibit}', f'say {words}'):
            return Observation.OUTCOME_INVALID_SKILL, ''
        elif not self.awake:
            return Observation.OUTCOME_PRECONDITION_FAILED, 'Wake up first.'
        elif skill == f'say {words}':
            if not 0 < len(words.strip()) <= LONGEST or '<' in words:
                reason = f'Say a sentence of 1 to {LONGEST} characters.'
                return Observation.OUTCOME_PRECONDITION_FAILED, reason
            self.said = words
        elif exhibit not in EXHIBITS:
            return Observation.OUTCOME_INVALID_SKILL, f'You can shine on: {", ".join(EXHIBITS)}.'
        else:
            end = time.monotonic() + SECONDS_A_TURN
            while time.monotonic() < end:
                if must_stop():
                    return Observation.OUTCOME_CANCELED, ''
                time.sleep(PERIOD)
            self.exhibit = exhibit
        return Observation.OUTCOME_SUCCEEDED, ''


def main() -> None:
    """Serve skills until Ctrl-C."""
    serve(LampServer)
