"""The actions of programs as skills: in words (`put apple 12 in fridge 30`) or as they are
written (`[PutIn] <apple> (12) <fridge> (30)`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reactree_core.errors import ConfigurationError
from reactree_core.skill_types import class_and_number, SkillKind, SkillType
from sim_bridge.worlds.household.nodes import is_room
from sim_bridge.worlds.household.programs.actions import ACTIONS
from sim_bridge.worlds.household.programs.script import Named, read_step, Step
from sim_bridge.worlds.household.programs.stage import Stage
from sim_bridge.worlds.programs.pairs import spoken_name
from sim_bridge.worlds.programs.seeing import is_furnishing, visible

WORDS = 'words'
PROGRAM = 'program'
FORMS = (WORDS, PROGRAM)
#: Values of the option `actions`: those of Tree-Planner's table, or all that are known.
PUBLISHED_ACTIONS = '28'
ALL_ACTIONS = 'all'


@dataclass(frozen=True, slots=True)
class ProgramSkill:
    """An action with a number of objects.

    :param name: as a program writes it. :param words: template.
    :param published: whether it is among Tree-Planner's 28.
    """

    name: str
    words: str
    kind: SkillKind = SkillKind.OTHER
    inverse: str = ''
    effects: tuple[str, ...] = ()
    description: str = ''
    published: bool = True

    @property
    def action(self) -> str:
        """Its key in `ACTIONS`."""
        return self.name.upper()

    @property
    def objects(self) -> int:
        """How many it takes."""
        return self.words.count('<')

    def type(self, form: str) -> SkillType:
        """As a skill server declares it."""
        if form == WORDS:
            inverse = self.inverse
            template = self.words
        else:
            template = _bracketed(self)
            inverse = next((_bracketed(one) for one in SKILLS if one.words == self.inverse), '')
        slots = ('thing', 'place') if self.objects == 2 else ('name',) * self.objects
        return SkillType(template, slots, self.kind, inverse, self.effects, self.description)


def _bracketed(skill: ProgramSkill) -> str:
    return ' '.join([f'[{skill.name}]', '<object>', '<place>'][: 1 + skill.objects])


_S = ProgramSkill
_K = SkillKind
# fmt: off
SKILLS: tuple[ProgramSkill, ...] = (
    _S('Walk', 'walk to <object>', _K.MOVE, description='to a room, or up to a thing anywhere'),
    _S('Run', 'run to <object>', _K.MOVE),
    _S('Find', 'find <object>', _K.MOVE, description='goes up to it, unless it is close already'),
    _S('Grab', 'grab <object>', _K.TAKE, 'drop <object>',
       description='from close by, with a free hand'),
    _S('PutIn', 'put <object> in <place>', _K.PUT, 'grab <object>',
       description='what is held, into what is close and open'),
    _S('PutBack', 'put <object> on <place>', _K.PUT, 'grab <object>',
       description='what is held, onto what is close'),
    _S('Drop', 'drop <object>', _K.PUT, 'grab <object>', description='on the floor'),
    _S('Open', 'open <object>', _K.OPEN, 'close <object>', description='what is closed and off'),
    _S('Close', 'close <object>', _K.CLOSE, 'open <object>'),
    _S('SwitchOn', 'switch on <object>', _K.SWITCH_ON, 'switch off <object>'),
    _S('SwitchOff', 'switch off <object>', _K.SWITCH_OFF, 'switch on <object>'),
    _S('Sit', 'sit on <object>', description='no walking before standing up'),
    _S('Lie', 'lie on <object>', description='no walking before standing up'),
    _S('StandUp', 'stand up'),
    _S('Sleep', 'sleep', description='when sitting or lying'),
    _S('WakeUp', 'wake up', description='when sitting or lying'),
    _S('TurnTo', 'turn to <object>', _K.LOOK),
    _S('Watch', 'watch <object>', _K.LOOK, description='what one is turned to'),
    _S('PointAt', 'point at <object>', _K.LOOK, description='what one is turned to'),
    _S('Wash', 'wash <object>', _K.CHANGE, effects=('<object> is clean',)),
    _S('Wipe', 'wipe <object>', _K.CHANGE, effects=('<object> is clean',),
       description='with something in a hand'),
    _S('Pour', 'pour <object>', _K.CHANGE, description='into the nearest vessel'),
    _S('Pour', 'pour <object> into <place>', _K.CHANGE, effects=('<object> in <place>',),
       published=False),
    _S('PutOn', 'put on <object>', _K.CHANGE, description='clothes that are held'),
    _S('Drink', 'drink <object>'),
    _S('Read', 'read <object>', _K.LOOK),
    _S('Touch', 'touch <object>'),
    _S('Push', 'push <object>'),
    _S('Pull', 'pull <object>'),
    _S('LookAt', 'look at <object>', _K.LOOK, published=False),
    _S('LookAt_Short', 'look shortly at <object>', _K.LOOK, published=False),
    _S('LookAt_Medium', 'look a while at <object>', _K.LOOK, published=False),
    _S('LookAt_Long', 'look long at <object>', _K.LOOK, published=False),
    _S('Greet', 'greet <object>', published=False),
    _S('PlugIn', 'plug in <object>', _K.CHANGE, 'unplug <object>', published=False),
    _S('PlugOut', 'unplug <object>', _K.CHANGE, 'plug in <object>', published=False),
    _S('PutObjBack', 'put back <object>', _K.PUT, 'grab <object>', published=False,
       description='to where it was taken from'),
    _S('Release', 'let go of <object>', _K.PUT, 'grab <object>', published=False),
    _S('PutOff', 'take off <object>', _K.CHANGE, published=False, description='clothes'),
    _S('Eat', 'eat <object>', published=False),
    _S('Cut', 'cut <object>', _K.CHANGE, published=False, description='with a knife in a hand'),
    _S('Type', 'type on <object>', published=False),
    _S('Squeeze', 'squeeze <object>', published=False),
    _S('Move', 'move <object>', published=False),
    _S('Rinse', 'rinse <object>', _K.CHANGE, effects=('<object> is clean',), published=False),
    _S('Scrub', 'scrub <object>', _K.CHANGE, effects=('<object> is clean',), published=False),
)
# fmt: on


def skills_of(actions: str) -> tuple[ProgramSkill, ...]:
    """Those of an option's value. :raises ConfigurationError: it has no such value."""
    if actions == ALL_ACTIONS:
        return SKILLS
    if actions == PUBLISHED_ACTIONS:
        return tuple(skill for skill in SKILLS if skill.published)
    raise ConfigurationError(f'actions must be {PUBLISHED_ACTIONS} or {ALL_ACTIONS}: {actions!r}')


def name_in(form: str, home: Stage, key: int) -> str:
    """How skills of a form name a node."""
    return spoken_name(home, key) if form == WORDS else home.name(key)


def text_of(skill: ProgramSkill, form: str, home: Stage, keys: tuple[int, ...]) -> str:
    """A skill with its objects."""
    return skill.type(form).filled([name_in(form, home, key) for key in keys])


def read_skill(text: str) -> Step | None:
    """A step in either form; None for what is none."""
    text = ' '.join(text.split())
    if text.startswith('['):
        try:
            return read_step(text)
        except ConfigurationError:
            return None
    # Longer templates first: what stands between two names is no part of one.
    for skill in sorted(SKILLS, key=lambda skill: -len(skill.words)):
        for values in skill.type(WORDS).splits(text.lower()):
            return Step(skill.action, tuple(map(_named, values)))
    return None


def _named(value: str) -> Named:
    name, number = class_and_number(value)
    return Named('_'.join(name.split()), number)


def groundings(
    home: Stage, skills: tuple[ProgramSkill, ...], checked: bool
) -> Iterator[tuple[ProgramSkill, tuple[int, ...]]]:
    """Skills with what is seen; of two objects, the first is held.

    :param checked: only those that can be done now; else moves to what is not seen too.
    """
    seen = visible(home)
    things = sorted(key for key in seen if is_furnishing(home, key))
    anywhere = things if checked else sorted(key for key in home.nodes if is_furnishing(home, key))
    rooms = sorted(key for key, node in home.nodes.items() if is_room(node))
    held = home.held()
    for skill in skills:
        if skill.objects == 0:
            choices: list[tuple[int, ...]] = [()]
        elif skill.objects == 2:
            choices = [(one, other) for one in held for other in things if one != other]
        else:
            # A room is gone to, and nothing else is done with it.
            keys_of = [*rooms, *anywhere] if skill.kind is SkillKind.MOVE else things
            choices = [(key,) for key in keys_of]
        if checked:
            action = ACTIONS[skill.action]
            whole = skill.objects == action.objects
            failed = action.failed_precondition if whole else _cannot_pour
            choices = [keys for keys in choices if not failed(home, keys)]
        yield from ((skill, keys) for keys in choices)


def _cannot_pour(home: Stage, keys: tuple[int, ...]) -> bool:
    pour = ACTIONS['POUR'].failed_precondition
    return keys[0] not in home.held() or all(pour(home, (*keys, into)) for into in home.close_by())
