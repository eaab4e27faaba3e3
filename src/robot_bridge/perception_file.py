"""What a robot's file says of its cameras, and of what is to be seen in their pictures.

`perception_node` reads pictures as this says; the bridge hears what it sees. docs/perception.md
explains it by examples.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, model_validator

from reactree_core.skill_types import class_and_number
from reactree_core.written_files import Written
from robot_bridge.faults import Faults, Location
from robot_bridge.quantities import Metres, Radians, Seconds

Name = Annotated[str, Field(min_length=1, max_length=200)]
Length = Annotated[Metres, Field(gt=0)]
#: Families of markers that OpenCV reads, by their usual names.
Dictionary = Literal[
    'aruco_original', '4x4_50', '4x4_100', '4x4_250', '4x4_1000', '5x5_50', '5x5_100', '5x5_250',
    '5x5_1000', '6x6_50', '6x6_100', '6x6_250', '6x6_1000', '7x7_50', '7x7_100', '7x7_250',
    '7x7_1000', 'apriltag_16h5', 'apriltag_25h9', 'apriltag_36h10', 'apriltag_36h11',
]  # fmt: skip
DETECTIONS_2D = 'vision_msgs/msg/Detection2DArray'
DETECTIONS_3D = 'vision_msgs/msg/Detection3DArray'
IMAGE, INFO = 'sensor_msgs/msg/Image', 'sensor_msgs/msg/CameraInfo'
#: What the node publishes, and the bridge hears; in the namespace of both.
TOPIC, TYPE = 'perception/things', 'reactree_ros/msg/PerceivedThings'


class MountEntry(Written):
    """Where a camera is, for one whose frame /tf does not say: its optical frame, z forward.

    :param frame: that the pose is in. :param x: m. :param roll: about x, then `pitch` about y,
        then `yaw` about z, all of `frame`, rad; `roll: 180 deg` looks straight down.
    """

    frame: Name
    x: Metres = 0.0
    y: Metres = 0.0
    z: Metres = 0.0
    roll: Radians = 0.0
    pitch: Radians = 0.0
    yaw: Radians = 0.0

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """x, y, z, w."""
        sr, cr = math.sin(self.roll / 2), math.cos(self.roll / 2)
        sp, cp = math.sin(self.pitch / 2), math.cos(self.pitch / 2)
        sy, cy = math.sin(self.yaw / 2), math.cos(self.yaw / 2)
        return (
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
            cr * cp * cy + sr * sp * sy,
        )


class CameraEntry(Written):
    """A camera.

    :param image: topic of sensor_msgs/Image. :param info: topic of its sensor_msgs/CameraInfo.
    :param depth: topic of a depth picture of the same view: 16UC1 in mm, or 32FC1 in m.
    :param mount: where it is; left out: /tf tells the frame that its pictures name.
    """

    image: Name
    info: Name
    depth: str = ''
    mount: MountEntry | None = None


class MarkersEntry(Written):
    """Markers of one family and size. :param size: of the black square, m.

    :param names: id -> name of the thing that carries it.
    """

    dictionary: Dictionary
    size: Length
    names: Annotated[dict[int, Name], Field(min_length=1, max_length=1000)]


class DetectionsEntry(Written):
    """What a detector of the robot's publishes.

    :param type: vision_msgs/msg/Detection2DArray, which needs a camera with depth, or
        vision_msgs/msg/Detection3DArray. :param camera: whose pictures the boxes are in.
    :param classes: the detector's `class_id` -> class of ours; others are left out. Of a thing
        that there is once, the whole name, e.g. 'crate 3'.
    :param score: what is less certain is left out.
    """

    topic: Name
    type: Literal['vision_msgs/msg/Detection2DArray', 'vision_msgs/msg/Detection3DArray']
    camera: str = ''
    classes: Annotated[dict[str, Name], Field(min_length=1, max_length=1000)]
    score: Annotated[float | int, Field(ge=0, le=1)] = 0.5


class QuestionEntry(Written):
    """What a model is asked of one thing. :param places: where it may be.

    :param states: of which one holds, e.g. [open, closed].
    """

    places: Annotated[list[Name], Field(max_length=20)] = Field(default_factory=list)
    states: Annotated[list[Name], Field(max_length=20)] = Field(default_factory=list)

    @model_validator(mode='after')
    def _asks(self) -> QuestionEntry:
        if not self.places and not self.states:
            raise ValueError('name the places where it may be, its states, or both')
        return self


class VisionModelEntry(Written):
    """A vision-language model that is asked about what no marker and no detector reports.

    :param model: as the planner takes it: http://HOST:PORT/v1 or vision:FOLDER.
    :param camera: whose pictures it gets. :param ask: name of a thing -> what is asked of it.
    :param every: shortest time between two pictures for it. :param within: longest for one.
    :param budget: most requests in an hour; then it is asked no more until the hour is over.
    :param age: an older answer is as good as none.
    """

    model: Name
    camera: Name
    ask: Annotated[dict[Name, QuestionEntry], Field(min_length=1, max_length=50)]
    every: Seconds = 10.0
    within: Seconds = 20.0
    budget: Annotated[int, Field(ge=1, le=100_000)] = 360
    age: Seconds = 60.0


class PerceptionEntry(Written):
    """Cameras, and what is read in their pictures.

    :param frame: that poses are given in, e.g. 'map' or 'table'.
    :param cameras: by name. :param every: shortest time between two pictures that are read.
    :param near: a thing is at the nearest place within this, m.
    :param same_within: a detection no farther than this from a known thing of its class is it, m.
    :param age: pictures, detections and what was seen in them are not known any more when older.
    :param gone_after: so long must the place of a thing be in view without it.
    """

    frame: Name
    cameras: Annotated[dict[Name, CameraEntry], Field(min_length=1, max_length=8)]
    markers: list[MarkersEntry] = Field(default_factory=list, max_length=8)
    detections: list[DetectionsEntry] = Field(default_factory=list, max_length=8)
    model: VisionModelEntry | None = None
    every: Seconds = 0.1
    near: Length = 0.3
    same_within: Length = 0.15
    age: Seconds = 2.0
    gone_after: Seconds = 1.0

    @model_validator(mode='after')
    def _reads_something(self) -> PerceptionEntry:
        if not self.markers and not self.detections and self.model is None:
            raise ValueError('say what is to be seen: markers, detections, model')
        return self

    @property
    def sensed_names(self) -> tuple[str, ...]:
        """Names and classes that markers and detectors can report."""
        found = [name for entry in self.markers for name in entry.names.values()]
        found += [name for entry in self.detections for name in entry.classes.values()]
        return tuple(dict.fromkeys(found))

    @property
    def classes(self) -> Iterator[str]:
        """Classes of everything that can be given."""
        asked = self.model.ask if self.model is not None else ()
        for name in (*self.sensed_names, *asked):
            yield class_and_number(name)[0]


def check_perception(entry: PerceptionEntry, places: list[str], faults: Faults) -> None:
    """Note names that do not fit together."""
    here: Location = ('perception',)
    known: set[str] = set()
    for index, markers in enumerate(entry.markers):
        for number, name in markers.names.items():
            where: Location = (*here, 'markers', index, 'names', number)
            _check_name(name, places, where, faults)
            if name in known:
                faults.add(where, f'"{name}" has two markers: give each thing one')
            known.add(name)
    for index, detections in enumerate(entry.detections):
        where = (*here, 'detections', index)
        for word, name in detections.classes.items():
            _check_name(name, places, (*where, 'classes', word), faults)
        camera = entry.cameras.get(detections.camera)
        if detections.camera and camera is None:
            faults.add((*where, 'camera'), _no_camera(detections.camera, entry))
        elif detections.type == DETECTIONS_2D and (camera is None or not camera.depth):
            faults.add(
                (*where, 'type'),
                'a box in a picture gives no place: name a camera with depth, or publish '
                'Detection3DArray',
            )
    if entry.model is None:
        return
    where = (*here, 'model')
    if entry.model.camera not in entry.cameras:
        faults.add((*where, 'camera'), _no_camera(entry.model.camera, entry))
    for name, question in entry.model.ask.items():
        _check_name(name, places if question.places else [], (*where, 'ask', name), faults)
        for place in question.places:
            if place not in places:
                faults.add((*where, 'ask', name, 'places'), f'there is no place "{place}"')


def _check_name(name: str, places: list[str], where: Location, faults: Faults) -> None:
    if name != ' '.join(name.split()) or set('<>,') & set(name):
        faults.add(where, f'"{name}" cannot be a name: no <, > or comma, and single spaces')
    elif name in places:
        faults.add(where, f'"{name}" is a place already: give one another name')


def _no_camera(name: str, entry: PerceptionEntry) -> str:
    return f'there is no camera "{name}"; there are {", ".join(entry.cameras)}'
