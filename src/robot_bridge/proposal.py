"""A first file of a robot, from the actions, services and topics that it has."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from reactree_core.errors import ConfigurationError
from robot_bridge.filling import POSE_TYPES
from robot_bridge.interface_types import Catalogue, Shape, UnknownTypeError
from robot_bridge.robot import Interface

#: Topics that tell where the robot is: the type, the likeliest first, and the field of the pose.
_POSES = {
    'geometry_msgs/msg/PoseWithCovarianceStamped': 'pose.pose',
    'geometry_msgs/msg/PoseStamped': 'pose',
    'nav_msgs/msg/Odometry': 'pose.pose',
}
#: Services that need nothing to be filled in.
_SWITCHES = ('std_srvs/srv/Trigger', 'std_srvs/srv/Empty')
#: Words in the names of topics whose poses are not the robot's own.
_OTHER_POSES = ('goal', 'initial', 'target')
#: Beginnings of types of topics from which no fact is read.
_NO_SOURCES = (
    'rcl_interfaces/', 'rosgraph_msgs/', 'tf2_msgs/', 'diagnostic_msgs/', 'bond/', 'nav_msgs/',
    'sensor_msgs/msg/Image', 'sensor_msgs/msg/Compressed', 'sensor_msgs/msg/PointCloud',
    'sensor_msgs/msg/CameraInfo', 'sensor_msgs/msg/LaserScan', 'visualization_msgs/',
)  # fmt: skip
_MOST_TOPICS = 40
_BATTERY, _TRUTH = 'sensor_msgs/msg/BatteryState', 'std_msgs/msg/Bool'
_DETECTIONS = 'vision_msgs/msg/Detection3DArray'
#: Words of a topic's name that say what it reports of its thing.
_TOLD = frozenset(('is', 'open', 'opened', 'closed', 'state', 'status', 'sensor'))
_GRIPPER = 'control_msgs/action/GripperCommand'
_TRAJECTORY = 'control_msgs/action/FollowJointTrajectory'
_IMAGE, _CAMERA_INFO = 'sensor_msgs/msg/Image', 'sensor_msgs/msg/CameraInfo'
_BOXES = 'vision_msgs/msg/Detection2DArray'
#: The skill of an action that navigates.
_DRIVES = 'go to <place>'
_HEAD = """\
# What the actions, services and topics that were there look like as skills. Change what is not
# right: names of skills, places, limits. docs/robot_file.md explains every line.
#   reactree robot check FILE          is all of it right? with --live: and there?
#   reactree robot check FILE --dry-run "{example}"
#   reactree up --robot FILE

robot: my robot
# Read by the model: what the robot is, what it can hold, how far it sees.
about: You are a robot.

# Places that skills name. Drive there, look at the pose (`ros2 topic echo --once {pose}`), and
# write it down.
places:
  home: {{frame: map, x: 0.0, y: 0.0, yaw: 0 deg}}
"""


def proposal(
    interfaces: Sequence[Interface],
    latched: Collection[str],
    catalogue: Catalogue,
    faults: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """A file in YAML that has no mistakes: what is understood as skills, the rest as comments.

    :param latched: topics whose publishers keep their last message.
    :param faults: templates of skills that are to be comments, each with the reason.
    :raises ConfigurationError: there is nothing that could be a skill.
    """
    skills: list[str] = []
    comments: list[str] = []
    names: set[str] = set()
    for interface in sorted(interfaces, key=lambda one: (one.kind, one.name)):
        if interface.kind not in ('action', 'service'):
            continue
        known, text = _skill(interface, catalogue, names)
        for one in _each_skill(text):
            fault = faults.get(_template_of(one), '')
            as_skill = known and not fault
            (skills if as_skill else comments).append(_refused(one, fault) if fault else one)
    if not skills and not comments:
        raise ConfigurationError(
            'No actions or services of a robot are in the graph: start its nodes first, and look '
            'at ROS_DOMAIN_ID and --namespace'
        )
    known_types = [one for one in interfaces if _is_installed(one, catalogue)]
    if not skills:
        # A file needs one; that of the first action is as good as any.
        first = min(known_types, key=_first_action, default=None)
        if first is None or first.kind not in ('action', 'service'):
            raise ConfigurationError(
                'None of the types of the actions and services in the graph is installed here: '
                'source the workspace of the robot'
            )
        skills.append(_without_fields(first, set()))
    pose = min(filter(_tells_pose, known_types), key=_likeliest, default=None)
    drives = _DRIVES in names
    first_skill = skills[0].partition('\n')[0].partition(': ')[2]
    parts = [
        _HEAD.format(
            pose=pose.name if pose else '/amcl_pose',
            example=_DRIVES.replace('<place>', 'home') if drives else first_skill,
        ),
        _state(pose, known_types, latched, drives)
        + _other_topics(known_types, [pose, *_proposed(known_types)], catalogue)
        + _emergency_stop(known_types, latched)
        + _perception(known_types),
        'skills:\n',
    ]
    return '\n'.join(['\n'.join(parts[:2]), parts[2] + '\n'.join([*skills, *comments])])


def _each_skill(text: str) -> list[str]:
    """The skills of a text; a comment stays whole."""
    parts = text.split('  - skill: ')
    return [text] if len(parts) < 3 else [f'  - skill: {part}' for part in parts[1:]]


def _template_of(text: str) -> str:
    return text.partition('  - skill: ')[2].partition('\n')[0]


def _refused(text: str, fault: str) -> str:
    """A skill as a comment that says why it is none."""
    lines = [f'  # Not proposed: {fault}\n']
    lines += [f'  # {line[2:]}\n' for line in text.rstrip().split('\n')]
    return ''.join(lines)


def _is_installed(interface: Interface, catalogue: Catalogue) -> bool:
    kind = {'action': 'goal', 'service': 'request'}.get(interface.kind, 'message')
    try:
        catalogue.part(interface.type, kind)
    except UnknownTypeError:
        return False
    return True


def _tells_pose(interface: Interface) -> bool:
    others = any(word in interface.name for word in _OTHER_POSES)
    return interface.kind == 'await' and interface.type in _POSES and not others


def _likeliest(interface: Interface) -> tuple[int, str]:
    return list(_POSES).index(interface.type), interface.name


def _first_action(interface: Interface) -> tuple[bool, bool, str]:
    return interface.kind != 'action', interface.kind != 'service', interface.name


def _state(
    pose: Interface | None, interfaces: Sequence[Interface], latched: Collection[str], drives: bool
) -> str:
    sources = ''.join(_numbers(interfaces, latched)) + ''.join(_facts(interfaces, latched))
    if pose is None:
        believed = ': after "go to home" it is believed to be at home' if drives else ''
        nowhere = f'# Nothing was there that reports where the robot is{believed}.\n'
        return f'{nowhere}state:\n{sources}' if sources else nowhere
    return (
        f'state:\n  # The robot is at the nearest place within half a metre.\n'
        f'  pose:\n    topic: {pose.name}\n    type: {pose.type}\n'
        f'    field: {_POSES[pose.type]}\n    near: 50 cm\n{_age(pose, latched, "    ")}{sources}'
    )


def _age(one: Interface, latched: Collection[str], indent: str) -> str:
    return f'{indent}{"latched: true" if one.name in latched else "age: 5 s"}\n'


def _heard(interfaces: Sequence[Interface], kind: str, words: str = '') -> list[Interface]:
    """Topics of a type whose names have one of these words."""
    found = [one for one in interfaces if one.kind == 'await' and one.type == kind]
    named = [
        one for one in found if any(word in one.name.lower() for word in words.split() or ('',))
    ]
    return sorted(named, key=lambda one: one.name)


def _doors(interfaces: Sequence[Interface]) -> list[Interface]:
    return _heard(interfaces, _TRUTH, 'door gate hatch lid drawer')


def _stops(interfaces: Sequence[Interface]) -> list[Interface]:
    return _heard(interfaces, _TRUTH, 'estop e_stop emergency')


def _proposed(interfaces: Sequence[Interface]) -> list[Interface]:
    """Topics of which the file says what they tell."""
    return [
        *_heard(interfaces, _BATTERY)[:1],
        *_doors(interfaces),
        *_heard(interfaces, _DETECTIONS),
        *_heard(interfaces, _BOXES),
        *_stops(interfaces)[:1],
    ]


def _numbers(interfaces: Sequence[Interface], latched: Collection[str]) -> Iterator[str]:
    for one in _heard(interfaces, _BATTERY)[:1]:
        yield (
            f'  numbers:\n    battery:\n      topic: {one.name}\n      type: {one.type}\n'
            f"      field: percentage\n      unit: '%'\n"
            f"      words: {{low: '< 20 %', full: '> 95 %'}}\n{_age(one, latched, '      ')}"
        )


def _facts(interfaces: Sequence[Interface], latched: Collection[str]) -> Iterator[str]:
    doors, seen = _doors(interfaces), _heard(interfaces, _DETECTIONS)
    if doors or seen:
        yield '  facts:\n'
    for one in doors:
        yield (
            f'    # Is it open where the topic says true?\n    - topic: {one.name}\n'
            f'      type: {one.type}\n      name: {_thing(one.name)}\n'
            f"      state: '{{data}}'\n      words: {{'true': open, 'false': closed}}\n"
            f'{_age(one, latched, "      ")}'
        )
    for one in seen:
        yield (
            f'    - topic: {one.name}\n      type: {one.type}\n      field: detections\n'
            f"      name: '{{results[0].hypothesis.class_id}} {{id}}'\n"
            f'      position: bbox.center\n      age: 2 s\n'
        )


def _emergency_stop(interfaces: Sequence[Interface], latched: Collection[str]) -> str:
    proposed = _stops(interfaces)[:1]
    if not proposed:
        return ''
    kept = 'latched: true' if proposed[0].name in latched else 'age: 2 s'
    return (
        '# Pressed where the topic says true, and where it says nothing. Try it before you trust '
        f'it.\nemergency_stop:\n  pressed: {{topic: {proposed[0].name}, type: {proposed[0].type}, '
        f'field: data, {kept}}}\n\n'
    )


def _cameras(interfaces: Sequence[Interface]) -> Iterator[tuple[str, str]]:
    """The name of each camera, and its topics: those that tell its lens in the same folder."""
    infos = {one.name.rpartition('/')[0]: one.name for one in _heard(interfaces, _CAMERA_INFO)}
    depths = {one.name: one for one in _heard(interfaces, _IMAGE, 'depth')}
    for one in _heard(interfaces, _IMAGE):
        folder = one.name.rpartition('/')[0]
        if folder not in infos or one.name in depths:
            continue
        above = folder.rpartition('/')[0]
        depth = next((name for name in depths if above and name.startswith(f'{above}/')), '')
        depth_line = f', depth: {depth}' if depth else ''
        yield _words(folder), f'{{image: {one.name}, info: {infos[folder]}{depth_line}}}'


def _perception(interfaces: Sequence[Interface]) -> str:
    """Cameras that were there, as comments: nobody but you knows which things bear markers."""
    cameras = dict(_cameras(interfaces))
    if not cameras:
        return ''
    lines = ['perception:', '  frame: map', '  cameras:']
    lines += [f'    {name}: {topics}' for name, topics in cameras.items()]
    lines += ['  markers:', '    - {dictionary: 4x4_50, size: 5 cm, names: {1: crate 1}}']
    boxes = _heard(interfaces, _BOXES)
    lines += ['  detections:'] if boxes else []
    for one in boxes:
        lines.append(
            f'    - {{topic: {one.name}, type: {one.type}, camera: {next(iter(cameras))}, '
            f'classes: {{box: crate}}}}'
        )
    return (
        '# Cameras that were there. /tf must give where they are, or write `mount`. Uncomment '
        'what follows, and\n# write which things bear which markers, or what a detector calls '
        'them (docs/perception.md):\n' + ''.join(f'# {line}\n' for line in lines) + '\n'
    )


def _other_topics(
    interfaces: Sequence[Interface], used: Sequence[Interface | None], catalogue: Catalogue
) -> str:
    """What else may tell of the robot and the world, as comments."""
    found = [
        f'  #   - topic: {one.name}\n  #     type: {one.type}\n'
        f'  #     # its fields: {", ".join(catalogue.part(one.type, "message").fields)}\n'
        for one in sorted(interfaces, key=lambda one: one.name)
        if one.kind == 'await' and one not in used and not one.type.startswith(_NO_SOURCES)
    ]
    if not found:
        return ''
    more = f'  # ... and {len(found) - _MOST_TOPICS} more\n' if len(found) > _MOST_TOPICS else ''
    return (
        '  # More topics that were there; those that report what is held or open may be sources\n'
        '  # below state ("State" in docs/robot_file.md says how):\n'
        f'  # facts:\n{"".join(found[:_MOST_TOPICS])}{more}'
    )


def _skill(interface: Interface, catalogue: Catalogue, names: set[str]) -> tuple[bool, str]:
    """A skill, and whether it is understood; else it is a comment."""
    kind = 'goal' if interface.kind == 'action' else 'request'
    try:
        shape = catalogue.part(interface.type, kind)
    except UnknownTypeError as error:
        return False, f'  # {interface}: {error}.\n'
    poses = [field for field, field_type in shape.fields.items() if field_type.name in POSE_TYPES]
    single = [field for field in poses if shape.fields[field].is_message]
    if interface.type == _GRIPPER:
        return True, ''.join(_gripper(interface, names))
    if interface.kind == 'action' and len(single) == 1 and 'nav' in interface.name.lower():
        return True, _steps(
            _unused(_DRIVES, names),
            interface,
            f'{{{single[0]}: <place>}}',
            '    kind: move\n',
            '2 min',
        )
    if interface.type == _TRAJECTORY:
        return False, _posture(interface, names)
    if interface.type in _SWITCHES or not shape.fields:
        return True, _without_fields(interface, names)
    return False, _commented(interface, shape, names)


def _gripper(interface: Interface, names: set[str]) -> Iterator[str]:
    for verb, gap in (('open', '8 cm'), ('close', '0 cm')):
        send = f'{{command: {{position: {gap}, max_effort: 20.0}}}}'
        template = _unused(f'{verb} the {_words(interface.name)}', names)
        yield _steps(template, interface, send, '', '10 s')


def _posture(interface: Interface, names: set[str]) -> str:
    """A posture of an arm as a comment: which joints it has, and where they are, is not in the
    graph."""
    send = (
        '\n        trajectory:\n          # `ros2 topic echo --once /joint_states` tells both.\n'
        '          joint_names: [joint_1, joint_2]\n'
        '          points: [{positions: [0.0, 0.0], time_from_start: 3 s}]'
    )
    arm = _words(interface.name.removesuffix('/follow_joint_trajectory'))
    text = _steps(_unused(f'{arm} to home posture', names), interface, send, '', '10 s')
    return ''.join(f'  # {line[2:]}\n' for line in text.rstrip().split('\n'))


def _without_fields(interface: Interface, names: set[str]) -> str:
    return _steps(_unused(_words(interface.name), names), interface, '{}', '', '1 min')


def _steps(template: str, interface: Interface, send: str, more: str, within: str) -> str:
    send = send if send.startswith('\n') else f' {send}'
    return (
        f'  - skill: {template}\n{more}    do:\n      {interface.kind}: {interface.type}\n'
        f'      name: {interface.name}\n      send:{send}\n      within: {within}\n'
    )


def _commented(interface: Interface, shape: Shape, names: set[str]) -> str:
    """A skill as a comment, with the fields that are to be filled."""
    fields = '\n'.join(f'        {name}: ...   # {kind}' for name, kind in shape.fields.items())
    text = _without_fields(interface, names).replace(' send: {}', f' send:\n{fields}')
    return ''.join(f'  # {line[2:]}\n' for line in text.rstrip().split('\n'))


def _words(name: str) -> str:
    """A skill's words from a ROS name: '/arm/fold_in' is 'arm fold in'."""
    return ' '.join(re.findall(r'[A-Za-z0-9]+', name)) or 'do it'


def _thing(name: str) -> str:
    """The thing of which a topic reports whether it is open: '/lid/is_open' is 'lid'."""
    words = _words(name).split()
    named = [word for word in words if word.lower() not in _TOLD]
    return ' '.join(named or words)


def _unused(template: str, names: set[str]) -> str:
    found, number = template, 2
    while found in names:
        found, number = f'{template} by way {number}', number + 1
    names.add(found)
    return found
