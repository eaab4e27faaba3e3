#!/usr/bin/env python3
"""A recorded run read with Python alone: no ROS, and nothing of this package is imported.

reactree up --record --scene generated:3     (records every run; `reactree plan` makes one)
python examples/read_bag.py [FOLDER]         (the newest bag, or this one)

A bag is a rosbag2 folder that holds the definitions of its messages; needs `pip install rosbags`.
"""

import os
import sys
from collections import Counter
from pathlib import Path

from rosbags.highlevel import AnyReader

THINK, ACT, EXPAND, FINISH = 0, 1, 2, 3


def newest_bag() -> Path:
    """The bag that was written last."""
    state = Path(os.environ.get('XDG_STATE_HOME') or Path.home() / '.local' / 'state')
    bags = [path.parent for path in (state / 'reactree' / 'bags').glob('*/metadata.yaml')]
    if not bags:
        sys.exit(f'There is no bag in {state}/reactree/bags: record one, or name a folder.')
    return max(bags, key=lambda bag: bag.stat().st_mtime)


def main() -> int:
    """Print what was decided and answered, and what the model had to read for it."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else newest_bag()
    outcomes: Counter[str] = Counter()
    read = written = 0
    with AnyReader([folder]) as bag:
        for connection, _, data in bag.messages():
            message = bag.deserialize(data, connection.msgtype)
            if connection.topic.endswith('/decisions'):
                read += message.usage.evaluated_tokens
                written += message.usage.completion_tokens
                if message.kind == ACT:
                    print(f'{message.sequence:4} agent {message.node_id} does {message.skill}')
                elif message.kind == EXPAND:
                    print(f'{message.sequence:4} agent {message.node_id}: {message.subgoals}')
            elif connection.topic.endswith('/observations') and message.skill:
                outcomes['succeeded' if message.outcome == 0 else 'failed'] += 1
    print(f'skills: {dict(outcomes)}; tokens read {read}, written {written}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
