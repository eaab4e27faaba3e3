"""The prompt of ProgPrompt: importable actions, known objects, example programs, a head to go on.

Examples are plans of steps, put as programs by what the skills are declared to do: a skill that
handles something asserts that the robot is close to it, opening that it is closed, putting down
that it is held.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reactree_core.observation import Vocabulary
from reactree_core.record.trajectory_text import task_line
from reactree_core.skill_types import SkillKind, SkillType
from reactree_planner.facts.skills import Skill, Skills
from reactree_planner.planners.plans.programs import Call, function_name, imported, skill_function
from reactree_planner.prompting.plan_prompt import PlanExample

#: What ends a program.
PROGRAM_STOPS = ('\n\n', '\ndef ', 'Your task')
_INDENT = '    '
#: Kinds that set a state, which an assertion can ask for before: kind -> state there is before.
_STATE_BEFORE = {
    SkillKind.OPEN: ('closed', SkillKind.CLOSE),
    SkillKind.CLOSE: ('open', SkillKind.OPEN),
    SkillKind.SWITCH_ON: ('off', SkillKind.SWITCH_OFF),
    SkillKind.SWITCH_OFF: ('on', SkillKind.SWITCH_ON),
}


def program_head(task: str) -> str:
    """The first line of the program of a task."""
    return f'def {function_name(task)}():'


def system_text(prompt: str, vocabulary: Vocabulary) -> str:
    """Instruction, actions to import, and what is known by name."""
    rooms = tuple(room.rpartition(' ')[0] or room for room in vocabulary.rooms)
    names = dict.fromkeys((*rooms, *vocabulary.place_classes, *vocabulary.object_classes))
    actions = dict.fromkeys(imported(skill) for skill in vocabulary.skills)
    lines = [prompt.strip(), '', f'from actions import {", ".join(actions)}']
    if names:
        lines += ['', f'objects = [{", ".join(map(repr, names))}]']
    return '\n'.join(lines)


def program_example(example: PlanExample, skills: Skills, gripper: str) -> str:
    """A task and its plan as a program.

    :param gripper: what holds things, in the words of the domain.
    """
    lines = [task_line(example.task) + program_head(example.task)]
    part = 0
    observed = False
    for step in example.steps:
        skill = _skill_of(step, skills)
        name, values, kind = skill
        if not observed:
            part += 1
            lines.append(f'{_INDENT}# {part}: {_next_deed(example.steps, step, skills)}')
            observed = True
        lines += _assertions(values, kind, skills, gripper)
        lines.append(f'{_INDENT}{Call(name, values)}')
        observed = kind is SkillKind.MOVE
    lines.append(f'{_INDENT}# {part + 1}: done')
    return '\n'.join(lines)


def _next_deed(steps: Sequence[str], step: str, skills: Skills) -> str:
    """The next of these steps from one on that is no move."""
    rest = steps[steps.index(step) :]
    return next((one for one in rest if _skill_of(one, skills)[2] is not SkillKind.MOVE), step)


def _skill_of(step: str, skills: Skills) -> tuple[str, tuple[str, ...], SkillKind]:
    """Function, arguments and kind of a step of an example."""
    parsed: Skill | None = skills.parse(step)
    if parsed is not None:
        return skill_function(parsed.type), parsed.values, parsed.kind
    fitting = [one for one in skills.types if one.verb and step.startswith(f'{one.verb} ')]
    if not fitting:
        return function_name(step), (), SkillKind.OTHER
    best = max(fitting, key=lambda one: (len(one.verb), -len(one.slots)))
    return skill_function(best), (step.removeprefix(best.verb).strip(),), best.kind


def _assertions(
    values: tuple[str, ...], kind: SkillKind, skills: Skills, gripper: str
) -> Iterator[str]:
    """What must hold before a skill, and what makes it good."""
    if kind is SkillKind.MOVE or not values:
        return
    thing = values[0]
    go = _of_one_thing(skills, SkillKind.MOVE)
    take = _of_one_thing(skills, SkillKind.TAKE)
    if kind is SkillKind.PUT:
        if take is not None:
            yield from _assertion(f"'{thing}' in '{gripper}'", take, thing)
    elif go is not None:
        yield from _assertion(f"'close' to '{thing}'", go, thing)
    if kind in _STATE_BEFORE:
        state, other = _STATE_BEFORE[kind]
        back = _of_one_thing(skills, other)
        if back is not None:
            yield from _assertion(f"'{thing}' is '{state}'", back, thing)


def _of_one_thing(skills: Skills, kind: SkillKind) -> SkillType | None:
    types = [one for one in skills.of_kind(kind) if len(one.slots) == 1]
    return types[-1] if types else None


def _assertion(claim: str, skill: SkillType, thing: str) -> tuple[str, str]:
    call = Call(skill_function(skill), (thing,))
    return f'{_INDENT}assert({claim})', f'{_INDENT}{_INDENT}else: {call}'
