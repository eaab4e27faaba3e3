"""Bags of runs, as `ros2 bag record` makes them and as other tools write them anew."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import yaml
import zstandard
from mcap.reader import make_reader
from mcap.records import Schema
from mcap.writer import CompressionType, IndexType, Writer
from rclpy.serialization import serialize_message
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer as RosbagWriter

from reactree_core.observation import Observation
from reactree_core.record.events import Event
from reactree_core.ros.conversions import observation_to_message
from reactree_planner.ros.run_messages import decision_to_message
from reactree_tools.recording.bag_writing import write_bag
from reactree_tools.recording.mcap_reading import RawMessage, Topic
from reactree_tools.recording.ros.definitions import definition_of, digest_of

Records = list[tuple[Any, Any, Any]]
FILE = 'b_0.mcap'


def topic_of(kind: str) -> Topic:
    """As the recorder of rosbag2 has it."""
    name = f'reactree_ros/msg/{kind}'
    return Topic(f'/planner/{kind.lower()}s', name, definition_of(name), digest_of(name))


def bag_of(folder: Path, **runs: Sequence[Event]) -> str:
    """What `ros2 bag record` makes of a session: all runs in one bag."""
    topics = {kind: topic_of(kind) for kind in ('Decision', 'Observation')}
    messages: list[RawMessage] = []
    for began, (digit, events) in enumerate(runs.items()):
        for event in events:
            if isinstance(event, Observation):
                message, kind = observation_to_message(event, digit * 32), 'Observation'
            else:
                message, kind = decision_to_message(event, digit * 32, 0.0), 'Decision'
            time = began * 10**12 + len(messages)
            messages.append(RawMessage(topics[kind], time, bytes(serialize_message(message))))
    write_bag(folder, messages)
    return str(folder)


def records_of(bag: Path) -> Records:
    """Schema, channel and message of every record of a bag with one file."""
    with next(bag.glob('*.mcap')).open('rb') as file:
        return list(make_reader(file).iter_messages(log_time_order=False))


def write(path: Path, records: Records, more: Sequence[tuple[str, ...]] = (), **how: Any) -> None:
    """Write a file with another tool's settings.

    :param more: topics of others, each with one message: name, type, language and text of its
        definition, form and content of its message.
    """
    with path.open('wb') as file:
        writer = Writer(file, **how)
        writer.start('ros2')
        schemas: dict[str, int] = {}
        channels: dict[str, int] = {}
        for schema, channel, message in records:
            if channel.topic not in channels:
                schemas[schema.name] = writer.register_schema(
                    schema.name, schema.encoding, schema.data
                )
                channels[channel.topic] = writer.register_channel(
                    channel.topic, channel.message_encoding, schemas[schema.name], channel.metadata
                )
            writer.add_message(
                channels[channel.topic], message.log_time, message.data, message.publish_time
            )
        for topic, kind, language, text, form, content in more:
            number = writer.register_schema(kind, language, text.encode())
            at = writer.register_channel(topic, form, number)
            writer.add_message(at, records[-1][2].log_time, content.encode(), 0)
        writer.finish()


def _metadata(folder: Path, like: Path, **changed: Any) -> None:
    content = yaml.safe_load((like / 'metadata.yaml').read_text())
    about = content['rosbag2_bagfile_information']
    names = sorted(path.name for path in folder.iterdir())
    about |= {'relative_file_paths': names, 'files': [], **changed}
    (folder / 'metadata.yaml').write_text(yaml.safe_dump(content))


#: Topics of other nodes in the same bag, which are nothing that a run needs.
_STRANGERS = {
    'a type without definition': ('/x', 'my_msgs/msg/Thing', '', '', 'cdr', '\0\1\0\0....'),
    'a type of JSON': ('/x', 'foxglove.Log', 'jsonschema', '{}', 'json', '{"a": 1}'),
    'a broken IDL': ('/x', 'my_msgs/msg/Pose', 'ros2idl', 'module {', 'cdr', '\0\1\0\0'),
    'a cut message': ('/x', 'std_msgs/msg/String', 'ros2msg', 'string data\n', 'cdr', '\0\1\0\0z'),
}
_WRITERS: dict[str, dict[str, Any]] = {
    'chunks without message index': {'index_types': IndexType.CHUNK},
    'no index at all': {
        'use_chunking': False,
        'index_types': IndexType.NONE,
        'repeat_channels': False,
        'use_summary_offsets': False,
    },
    'no chunks': {'use_chunking': False, 'enable_crcs': False},
    'zstd': {'compression': CompressionType.ZSTD},
    'lz4': {'compression': CompressionType.LZ4},
}


def whole_variants(bag: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """The same bag as other tools write it, with all its messages; each by what it is called."""
    records = records_of(bag)
    half = len(records) // 2
    plain = next(bag.glob('*.mcap'))

    def variant(name: str, fill: Callable[[Path], object], **changed: Any) -> tuple[str, Path]:
        made = folder / name.replace(' ', '_')
        made.mkdir(parents=True)
        fill(made)
        if changed.pop('described', True):
            _metadata(made, bag, **changed)
        return name, made

    def copy(made: Path) -> None:
        shutil.copy(plain, made / FILE)

    def split(made: Path) -> None:
        write(made / 'b_0.mcap', records[:half])
        write(made / 'b_1.mcap', records[half:])

    def compressed(made: Path) -> None:
        packed = zstandard.compress(plain.read_bytes())
        (made / f'{FILE}.zstd').write_bytes(packed)

    def each_compressed(made: Path) -> None:
        packed = [
            (schema, channel, _with_data(message, zstandard.compress(message.data)))
            for schema, channel, message in records
        ]
        write(made / FILE, packed)

    yield 'the bag itself', bag
    yield 'the path of its file', plain
    yield variant('no storage named', copy, storage_identifier='')
    yield variant('no metadata', copy, described=False)
    yield variant('metadata of version 4', copy, version=4)
    yield variant('metadata of a later version', copy, version=11)
    yield variant('counts of zero', copy, message_count=0)
    yield variant('a file of another name', copy, relative_file_paths=['a_0.mcap'])
    yield variant('split', split)
    yield variant('split without metadata', split, described=False)
    yield variant('out of order', lambda made: write(made / FILE, records[half:] + records[:half]))
    yield variant(
        'a compressed file', compressed, compression_mode='FILE', compression_format='zstd'
    )
    yield variant(
        'compressed messages',
        each_compressed,
        compression_mode='MESSAGE',
        compression_format='zstd',
    )
    yield variant('SQLite', lambda made: _sqlite(made, records), described=False)
    (file,) = (folder / 'SQLite').glob('*.db3')
    yield 'the path of a file of SQLite', file
    yield variant('SQLite without metadata', lambda made: shutil.copy(file, made), described=False)
    yield variant(
        'SQLite without definitions',
        lambda made: _without_definitions(Path(shutil.copy(file, made))),
        described=False,
    )
    yield variant(
        'MCAP without definitions',
        lambda made: write(
            made / FILE, [(Schema(one.id, b'', '', one.name), *more) for one, *more in records]
        ),
    )
    for name, how in _WRITERS.items():
        yield variant(name, lambda made, how=how: write(made / FILE, records, **how))
    for name, more in _STRANGERS.items():
        yield variant(name, lambda made, more=more: write(made / FILE, records, [more]))


def _sqlite(made: Path, records: Records) -> None:
    made.rmdir()  # the writer makes it
    with RosbagWriter(made, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
        connections: dict[str, Any] = {}
        for schema, channel, message in records:
            if channel.topic not in connections:
                connections[channel.topic] = writer.add_connection(
                    channel.topic,
                    schema.name,
                    msgdef=schema.data.decode(),
                    # Of a definition with other comments, say.
                    rihs01=f'RIHS01_{"0" * 64}',
                )
            writer.write(connections[channel.topic], message.log_time, message.data)


def _without_definitions(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute('DELETE FROM message_definitions')
        database.execute(
            'INSERT INTO topics (id, name, type, serialization_format, offered_qos_profiles, '
            "type_description_hash) VALUES (99, '/x', 'my_msgs/msg/Thing', 'cdr', '', '')"
        )
        database.execute("INSERT INTO messages (topic_id, timestamp, data) VALUES (99, 5, x'00')")
        database.commit()


def _with_data(message: Any, data: bytes) -> Any:
    return type(message)(
        message.channel_id, message.log_time, data, message.publish_time, message.sequence
    )


def torn(bag: Path, folder: Path, share: float, described: bool) -> Path:
    """A bag that ends in the middle: by a full disk, a broken copy, or a killed recorder.

    :param share: of its bytes that are left, 0.0 to 1.0.
    """
    folder.mkdir()
    # In small chunks, so that some are whole, and with most of the bytes in them.
    how = {'chunk_size': 500, 'compression': CompressionType.NONE, 'repeat_schemas': False}
    write(folder / FILE, records_of(bag), **how)
    content = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(content[: int(share * len(content))])
    if described:
        _metadata(folder, bag)
    return folder
