"""English verbs by what they ask for, and the states that they bring about.

Nothing here names a thing, a place or a skill: those come from the skill server.
"""

from __future__ import annotations

from enum import Enum

from reactree_planner.language.lexicon import words


class Act(Enum):
    """What a verb asks for."""

    # Enum's own works the name's out in Python, and charts ask for it all the time.
    __hash__ = object.__hash__

    #: Things shall be at a place.
    PUT = 'put'
    #: The same, or in the robot's hand where no place is told.
    BRING = 'bring'
    TAKE = 'take'
    #: The robot shall be there.
    MOVE = 'move'
    MAKE = 'make'
    #: A state shall hold; the verb tells which.
    CHANGE = 'change'
    FIND = 'find'
    #: Looking at a thing closely: in the hand, where light is asked for.
    EXAMINE = 'examine'
    #: "turn ... on".
    TURN = 'turn'
    #: "leave it closed", "keep it in your hand".
    LEAVE = 'leave'
    #: "load the truck with crates".
    FILL = 'fill'


VERBS = {
    Act.PUT: 'put place set lay store stow move return position deposit insert stick stash '
    'relocate pack pop rest hang stack transfer drop throw toss dump shove tuck slide stock '
    'arrange file shift haul drag throw_away throw_out put_down set_down lay_down lay_out set_out '
    'put_out put_away put_back add leave load unload distribute stand serve prepare',
    Act.BRING: 'bring carry deliver fetch take give hand pass',
    Act.TAKE: 'take get fetch grab pick pick_up collect hold obtain acquire retrieve gather lift '
    'take_out get_out pick_out carry go_get grasp collect_up bring',
    Act.MOVE: 'go walk head drive travel proceed navigate run come go_over move',
    Act.MAKE: 'make craft build create produce manufacture',
    Act.FIND: 'find locate look_for search_for',
    Act.EXAMINE: 'examine look_at inspect view see observe check check_out look search',
    Act.TURN: 'turn switch power',
    Act.LEAVE: 'leave have get keep',
    Act.FILL: 'load fill pack stock set lay',
}
#: What people say for skills that open, close and switch.
OPENING = 'open'
CLOSING = 'close shut'
STARTING = 'start activate run start_up start_off start_running set_going set_running'
STOPPING = 'deactivate stop'
#: Words for the states that opening, closing and switching bring about.
STATE_WORDS = {
    'open': words('open opened'),
    'closed': words('closed shut'),
    'on': words('on running'),
    'off': words('off'),
}
OPPOSITES = {'open': 'closed', 'closed': 'open', 'on': 'off', 'off': 'on'}
IRREGULAR_PARTICIPLES = {
    'put': 'put', 'set': 'set', 'shut': 'shut', 'take': 'taken', 'bring': 'brought',
    'get': 'gotten', 'hold': 'held', 'lay': 'laid', 'leave': 'left', 'make': 'made',
    'build': 'built', 'find': 'found', 'keep': 'kept', 'throw': 'thrown', 'hang': 'hung',
    'stick': 'stuck', 'go': 'gone', 'drive': 'driven', 'run': 'run', 'come': 'come',
    'mow': 'mown', 'cut': 'cut', 'steal': 'stolen', 'sweep': 'swept', 'freeze': 'frozen',
}  # fmt: skip
