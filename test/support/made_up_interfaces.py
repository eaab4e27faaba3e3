"""Interface types for tests without ROS: fields as messages tell them."""

from __future__ import annotations

from robot_bridge.interface_types import near, read_field_type, Shape, UnknownTypeError

_MESSAGES = {
    'std_msgs/Header': {'stamp': 'builtin_interfaces/Time', 'frame_id': 'string'},
    'std_msgs/Bool': {'data': 'boolean'},
    'std_msgs/String': {'data': 'string'},
    'std_msgs/Float64': {'data': 'double'},
    'builtin_interfaces/Time': {'sec': 'int32', 'nanosec': 'uint32'},
    'builtin_interfaces/Duration': {'sec': 'int32', 'nanosec': 'uint32'},
    'geometry_msgs/Point': {'x': 'double', 'y': 'double', 'z': 'double'},
    'geometry_msgs/Quaternion': {'x': 'double', 'y': 'double', 'z': 'double', 'w': 'double'},
    'geometry_msgs/Pose': {
        'position': 'geometry_msgs/Point',
        'orientation': 'geometry_msgs/Quaternion',
    },
    'geometry_msgs/PoseStamped': {'header': 'std_msgs/Header', 'pose': 'geometry_msgs/Pose'},
    'tf2_msgs/TFMessage': {'transforms': 'sequence<geometry_msgs/TransformStamped>'},
    'vision/Seen': {'id': 'string', 'score': 'float', 'at': 'geometry_msgs/Point'},
    'vision/AllSeen': {'header': 'std_msgs/Header', 'seen': 'sequence<vision/Seen>'},
    'sensor_msgs/Image': {'header': 'std_msgs/Header', 'encoding': 'string'},
    'sensor_msgs/CameraInfo': {'header': 'std_msgs/Header', 'k': 'double[9]'},
    'vision_msgs/Detection2DArray': {'header': 'std_msgs/Header'},
    'trajectory_msgs/JointTrajectoryPoint': {
        'positions': 'sequence<double>',
        'time_from_start': 'builtin_interfaces/Duration',
    },
    'trajectory_msgs/JointTrajectory': {
        'joint_names': 'sequence<string>',
        'points': 'sequence<trajectory_msgs/JointTrajectoryPoint>',
    },
    'sensor_msgs/BatteryState': {'voltage': 'float', 'percentage': 'float'},
    'garden/Plant': {'id': 'uint32', 'wetness': 'float', 'ripe': 'boolean'},
    'garden/Plants': {'plants': 'sequence<garden/Plant>'},
    'arm/Joints': {'name': 'sequence<string>', 'effort': 'sequence<double>'},
    'arm/Codes': {'val': 'int32', 'message': 'string'},
    'vision/Unframed': {'seen': 'sequence<vision/Seen>'},
}
_PARTS = {
    'nav/action/Go': (
        {
            'pose': 'geometry_msgs/PoseStamped',
            'mode': 'uint8',
            'speed': 'float',
            'tree': 'string<20>',
            'patience': 'builtin_interfaces/Duration',
            'via': 'sequence<geometry_msgs/PoseStamped, 3>',
            'gains': 'double[2]',
            'carefully': 'boolean',
            'dock': 'uint16',
        },
        {'error_code': 'uint16', 'error_msg': 'string', 'pose': 'geometry_msgs/PoseStamped'},
        {'left': 'float', 'note': 'string'},
    ),
    'control_msgs/action/FollowJointTrajectory': (
        {'trajectory': 'trajectory_msgs/JointTrajectory'},
        {'error_code': 'int32', 'error_string': 'string'},
        {},
    ),
    'arm/action/Reach': ({'group': 'string'}, {'error_code': 'arm/Codes'}, {}),
    'std_srvs/srv/Trigger': ({}, {'success': 'boolean', 'message': 'string'}),
}
_CONSTANTS = {
    'the goal of nav/action/Go': {'FAST': 1, 'SLOW': 2},
    'the result of nav/action/Go': {'NONE': 0, 'BLOCKED': 7},
    'arm/Codes': {'SUCCESS': 1, 'FAILURE': 99, 'PLANNING_FAILED': -1, 'NO_IK_SOLUTION': -31},
}
_RANGES = {'sensor_msgs/BatteryState': {'percentage': (0.0, 1.0)}}
_ORDER = {'action': ('goal', 'result', 'feedback'), 'srv': ('request', 'response')}


class MadeUpInterfaces:
    """Port `Catalogue` over the tables above."""

    def part(self, name, part):
        package, kind, short = name.split('/')
        if kind == 'msg' and f'{package}/{short}' in _MESSAGES:
            return self.message(f'{package}/{short}')
        if name not in _PARTS:
            raise UnknownTypeError(f'there is no type {name}; {near(name, list(_PARTS))}')
        fields = _PARTS[name][_ORDER[kind].index(part)]
        return _shape(f'the {part} of {name}', fields)

    def message(self, name):
        return _shape(name, _MESSAGES[name])


def _shape(name, fields):
    types = {field: read_field_type(told) for field, told in fields.items()}
    return Shape(name, types, _CONSTANTS.get(name, {}), _RANGES.get(name, {}))
