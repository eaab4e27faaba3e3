"""The perception node: a robot's cameras in, what is known of things out."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.exceptions import InvalidHandle
from sensor_msgs.msg import CompressedImage, Image

from perception.drawing import drawn_over
from perception.errors import PictureError
from perception.perceiver import Perceiver
from perception.pictures import jpeg_of, Pixels
from perception.ros.camera_feed import CameraFeed, seconds
from perception.ros.conversions import to_message
from perception.ros.parameters import PARAMETERS
from perception.vision_language import Answer, VisionAsker
from reactree_core.errors import ConfigurationError, SkillError
from reactree_core.ros import qos
from reactree_core.ros.diagnostics import Health
from reactree_core.ros.managed_node import ManagedNode
from reactree_core.ros.parameter_specs import LiveValues, read_all
from reactree_planner.llm.registry import load_model, ModelOptions
from reactree_ros.msg import PerceivedThings
from robot_bridge.loading import read_robot_file
from robot_bridge.perception_file import PerceptionEntry
from robot_bridge.poses import Pose
from robot_bridge.reading import pose_from
from robot_bridge.robot_file import needs_frames, RobotFile
from robot_bridge.ros.installed_types import installed_type
from robot_bridge.sources import TF_TYPE

#: Seconds that threads get to end; a model may still be answering.
_ENDING = 5.0


class PerceptionNode(ManagedNode):
    """Node `perception`: reads pictures as the robot's file says.

    Subscribes what the file names: images (sensor_msgs/Image), CameraInfo, depth pictures,
    detections (vision_msgs); `/tf` and `/tf_static` where a camera has no mount, or detections and
    places are in frames of their own.
    Publishers: `~/things` (PerceivedThings), after each picture and message that was read;
    `~/picture` (sensor_msgs/CompressedImage), with what is seen drawn over, while somebody looks;
    `/diagnostics`.
    Parameters: table PARAMETERS of perception.ros.parameters.

    A picture that comes while one is read replaces the one that waits: nothing queues up. The
    model is asked in a thread of its own, so that its seconds keep no picture waiting.

    :param options: of rclpy's Node.
    :raises ConfigurationError: a parameter, the file or the model cannot be used.
    """

    _asker: VisionAsker | None = None
    _model: Any = None

    def __init__(self, **options: Any) -> None:
        super().__init__('perception', PARAMETERS, **options)
        self._live = LiveValues(self, PARAMETERS)
        self._file = ''
        self._perceiver: Perceiver | None = None
        self._feeds: dict[str, CameraFeed] = {}
        self._troubles: dict[str, str] = {}
        self._answers: dict[str, Answer] = {}
        self._read_count, self._read_seconds = 0, 0.0
        #: Newest picture for the model, and when it was taken.
        self._for_model: tuple[Pixels, float] | None = None
        self._shown_at = -float('inf')
        self._lock = threading.Lock()
        self._news = threading.Condition()
        self._ending = threading.Event()
        self._threads: list[threading.Thread] = []
        self._things = self.create_publisher(
            PerceivedThings, '~/things', qos.pictures(), qos_overriding_options=qos.overridable()
        )
        self._pictures = self.create_publisher(
            CompressedImage, '~/picture', qos.pictures(), qos_overriding_options=qos.overridable()
        )
        self.begin()

    # The lifecycle ------------------------------------------------------------------------

    def configure(self) -> None:
        """Read the file, load the model, and listen to the cameras.

        :raises ConfigurationError: something of it cannot be used.
        """
        values = read_all(self, PARAMETERS)
        if not values.robot:
            raise ConfigurationError(
                'perception needs the file of a robot: -p robot:=my_robot.yaml'
            )
        file = read_robot_file(Path(values.robot).expanduser())
        if file.perception is None:
            raise ConfigurationError(
                f'{values.robot} says nothing of "perception": name its cameras, and what is to '
                'be seen (docs/perception.md)'
            )
        entry = file.perception
        if entry.model is not None:
            options = ModelOptions(
                server_model=values.server_model,
                api_key_variable=values.api_key_variable,
                api_key_over_http=values.api_key_over_http,
                request_timeout=entry.model.within,
            )
            self._model = load_model(entry.model.model, options)
            self._asker = VisionAsker(entry.model, self._model)
        if self._perceiver is None:
            self._listen(file, entry)
            self._file = values.robot
        elif self._file != values.robot or self._perceiver.entry != entry:
            raise ConfigurationError(
                f'perception cannot change its file ({self._file}) while it runs: restart it'
            )

    def _listen(self, file: RobotFile, perception: PerceptionEntry) -> None:
        self._perceiver = Perceiver(perception, lambda: self._places(file, perception.frame))
        for index, entry in enumerate(perception.detections):
            self.create_subscription(
                installed_type(entry.type),
                entry.topic,
                lambda message, index=index: self._detect(index, message),
                qos.heard(False),
                callback_group=MutuallyExclusiveCallbackGroup(),
            )
        if needs_frames(file):
            static = qos.latched()
            static.depth = 100
            for topic, profile in (('/tf', qos.heard(False, 100)), ('/tf_static', static)):
                self.create_subscription(
                    installed_type(TF_TYPE),
                    topic,
                    self._hear_frames,
                    profile,
                    callback_group=MutuallyExclusiveCallbackGroup(),
                )
        self._feeds = {
            name: CameraFeed(self, name, entry, self._wake)
            for name, entry in perception.cameras.items()
        }

    def activate(self) -> None:
        """Read pictures from now on."""
        self._ending.clear()
        work = [self._read_pictures, *([self._ask_model] if self._asker is not None else [])]
        self._threads = [
            threading.Thread(target=one, name=f'perception {one.__name__}', daemon=True)
            for one in work
        ]
        for thread in self._threads:
            thread.start()

    def deactivate(self) -> None:
        """Read no more; what was given grows old."""
        self._ending.set()
        if self._asker is not None:
            self._asker.stop()
        self._wake()
        for thread in self._threads:
            thread.join(_ENDING)
        self._threads = []
        if self._asker is not None:
            self._asker.begin()

    def cleanup(self) -> None:
        """Let go of the model."""
        if self._model is not None:
            self._model.close()
        self._model = self._asker = None

    def stop(self) -> None:
        """End the threads before the node goes down."""
        self.deactivate()

    # What comes ---------------------------------------------------------------------------

    def _wake(self) -> None:
        with self._news:
            self._news.notify_all()

    def _hear_frames(self, message: Any) -> None:
        assert self._perceiver is not None
        for transform in message.transforms:
            pose = pose_from(transform, '')
            self._perceiver.frames.hear(transform.child_frame_id, pose, time.monotonic())

    def _places(self, file: RobotFile, frame: str) -> dict[str, Pose]:
        """Places whose poses are known now."""
        assert self._perceiver is not None
        found = {}
        for name, place in file.places.items():
            if place.tf:
                pose = Pose(place.tf)
            elif place.x is not None and place.y is not None:
                pose = Pose(place.frame, place.x, place.y, place.z)
            else:
                continue
            with suppress(SkillError):
                found[name] = self._perceiver.frames.pose_in(pose, frame)
        return found

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds * 1e-9)

    def _taken_at(self, message: Any) -> float:
        """When a picture was taken. :raises PictureError: too long ago to tell what is now."""
        assert self._perceiver is not None
        now, stamp = self._now(), seconds(message)
        if stamp == 0.0:
            return now
        if abs(now - stamp) > self._perceiver.entry.age:
            raise PictureError(
                f'its stamp is {abs(now - stamp):.1f} s {"old" if stamp < now else "ahead"}: are '
                'the clocks set, and use_sim_time where time is simulated?'
            )
        return stamp

    def _detect(self, index: int, message: Any) -> None:
        if not self.is_active or self._perceiver is None:
            return
        source = self._perceiver.entry.detections[index].topic
        try:
            with self._lock:
                self._perceiver.detect(index, message, self._taken_at(message))
        except PictureError as error:
            self._complain(source, f'{source}: {error}')
            return
        self._complain(source, '')
        self._tell()

    def _read_pictures(self) -> None:
        """Of the thread that reads: the newest picture of each camera in turn."""
        assert self._perceiver is not None
        while not self._ending.is_set():
            with self._news:
                self._news.wait_for(
                    lambda: self._ending.is_set() or any(f.waits for f in self._feeds.values())
                )
            started = time.monotonic()
            for feed in self._feeds.values():
                picture = feed.take()
                if picture is not None and not self._ending.is_set():
                    self._read(feed, picture)
            rest = self._perceiver.entry.every - (time.monotonic() - started)
            if rest > 0:
                self._ending.wait(rest)

    def _read(self, feed: CameraFeed, picture: Image) -> None:
        assert self._perceiver is not None
        started = time.monotonic()
        try:
            at = self._taken_at(picture)
            depth = feed.depth_of(picture)
            with self._lock:
                pixels = self._perceiver.look(feed.name, picture, feed.info, depth, at)
        except PictureError as error:
            feed.trouble = str(error)
            self._complain(feed.name, f'camera {feed.name}: {error}')
            return
        feed.trouble = ''
        self._complain(feed.name, '')
        self._read_count += 1
        self._read_seconds += time.monotonic() - started
        model = self._perceiver.entry.model
        if model is not None and model.camera == feed.name:
            self._for_model = pixels, at
        self._tell()
        self._show(feed, picture, pixels)

    def _complain(self, source: str, sentence: str) -> None:
        """Say what is wrong with a source once, however often it happens."""
        if sentence and self._troubles.get(source) != sentence:
            self.get_logger().warning(sentence)
        self._troubles[source] = sentence

    # What is told -------------------------------------------------------------------------

    def _fresh_answers(self) -> list[Answer]:
        assert self._perceiver is not None
        model = self._perceiver.entry.model
        oldest = self._now() - (model.age if model is not None else 0.0)
        return [answer for answer in self._answers.values() if answer.seen_at >= oldest]

    def _tell(self) -> None:
        assert self._perceiver is not None
        now = self._now()
        with self._lock:
            findings = self._perceiver.told(now)
        frame = self._perceiver.entry.frame
        with suppress(InvalidHandle):  # the node goes down
            self._things.publish(to_message(findings, self._fresh_answers(), frame, now))

    def _show(self, feed: CameraFeed, picture: Image, pixels: Pixels) -> None:
        now = time.monotonic()
        if (
            now - self._shown_at < self._live.shown_picture_period
            or self._pictures.get_subscription_count() == 0
        ):
            return
        self._shown_at = now
        assert self._perceiver is not None
        with self._lock:
            findings = self._perceiver.told(self._now())
        tracks = [track for track in findings.things if track.camera == feed.name]
        model = self._perceiver.entry.model
        asked = model is not None and model.camera == feed.name
        size = self._live.shown_picture_size
        drawn = drawn_over(pixels, tracks, self._fresh_answers() if asked else [], size)
        message = CompressedImage(format='jpeg', data=jpeg_of(drawn, size).data)
        message.header = picture.header
        # Who looks distinguishes cameras by it.
        message.header.frame_id = feed.name
        with suppress(InvalidHandle):
            self._pictures.publish(message)

    def _ask_model(self) -> None:
        """Of the thread that asks: a picture, its answers, and a rest."""
        asker = self._asker
        assert self._perceiver is not None and self._perceiver.entry.model is not None
        assert asker is not None
        every = self._perceiver.entry.model.every
        while not self._ending.is_set():
            shown, self._for_model = self._for_model, None
            started = time.monotonic()
            if shown is not None:
                pixels, at = shown
                answers = asker.ask(jpeg_of(pixels, self._live.model_picture_size), at)
                if self._ending.is_set():
                    return
                self._answers |= {answer.name: answer for answer in answers}
                trouble = asker.trouble
                self._complain('model', f'the vision model: {trouble}' if trouble else '')
                self._tell()
            rest = every - (time.monotonic() - started) if shown is not None else 0.1
            self._ending.wait(max(0.01, rest))

    def health(self) -> Health:
        """How its cameras are."""
        assert self._perceiver is not None
        age = self._perceiver.entry.age
        silent = [feed.silence(age) for feed in self._feeds.values()]
        others = [self._troubles.get(e.topic, '') for e in self._perceiver.entry.detections]
        troubles = [*silent, *others, self._troubles.get('model', '')]
        values = {
            'pictures read': str(self._read_count),
            'pictures skipped': str(sum(feed.skipped for feed in self._feeds.values())),
            'seconds per picture': f'{self._read_seconds / max(1, self._read_count):.3f}',
        }
        if self._asker is not None:
            values['requests left to the model'] = str(self._asker.left)
        broken = self.is_active and not all(thread.is_alive() for thread in self._threads)
        fault = 'The reading of pictures broke: look at its log, and restart it.' if broken else ''
        return Health(fault, '; '.join(filter(None, troubles)), values, 'looks')
