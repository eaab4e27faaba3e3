"""The household's texts next to those of WAH-NL's published client, skill by skill.

ReAcTree's published client (`WahUnityEnv`, unchanged) plays on `VirtualHomeServer` what the
household plays in process: texts of observations, candidate sets, and what working memory recalls.
It is not part of this project: fetch https://github.com/Choi-JaeWoo/ReAcTree, and install what it
imports (`pip install "numpy<2" requests pillow ipdb opencv-python-headless`, best in an
environment of its own; of this project's requirements NumPy is enough).

Run: python -m benchmarks.published_wah_client CHECKOUT GRAPH.json... [--skills N] [--seed N]

Of a graph, characters are left out, `kitchencabinets` is spelled as the client does, and ids are
raised where a thing has id 1, which it takes for the robot's. Skills are chosen at random: offered
ones, other candidates, and some about things that were never seen. Pictures are asked for as the
client does.
"""

from __future__ import annotations

import argparse
import collections
import collections.abc
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

from reactree_core.working_memory import WorkingMemory
from sim_bridge.virtualhome_server import VirtualHomeServer, VirtualHomeService
from sim_bridge.virtualhome_server.scene_preparation import with_character
from sim_bridge.worlds.household import HouseholdWorld
from sim_bridge.worlds.household.graph_reading import read_graph, without_characters
from sim_bridge.worlds.household.nodes import is_room, read_node
from sim_bridge.worlds.household.roles import name_of

#: Rooms that the published client knows.
_ROOMS = ('kitchen', 'livingroom', 'bedroom', 'bathroom')
_SHIFT = 10
#: As WAH-NL spells what older files spell otherwise; the household reads both.
_SPELLED = {'kitchencabinets': 'kitchencabinet'}
_HANDLING = ('pick up', 'put down', 'open', 'close', 'turn on')
#: Differences that are printed.
_MOST_SHOWN = 5


def prepared(path: Path) -> dict[str, Any]:
    """The home of a file as the published client can play it."""
    graph: dict[str, Any] = json.loads(json.dumps(without_characters(read_graph(path))))
    shift = _SHIFT if any(node['id'] == 1 for node in graph['nodes']) else 0
    for node in graph['nodes']:
        node['id'] += shift
        node['class_name'] = _SPELLED.get(node['class_name'], node['class_name'])
    for edge in graph['edges']:
        edge['from_id'] += shift
        edge['to_id'] += shift
    return graph


class PublishedClient:
    """`WahUnityEnv` on a server of its own.

    :param checkout: of ReAcTree's code. :param folder: for a file that it wants to read.
    """

    def __init__(self, checkout: Path, server: VirtualHomeServer, folder: Path) -> None:
        # The client is older than Python 3.10.
        collections.Iterable = collections.abc.Iterable  # type: ignore[attr-defined]
        sys.path[:0] = [str(checkout), str(checkout / 'src')]
        # It finds its files from its own folder.
        os.chdir(checkout)
        from wah import wah_env, wah_utils  # type: ignore[import-not-found]

        self._recall = wah_utils.recall_working_memory
        self._names = json.loads((checkout / 'resource/wah_obj_dict_sim2nl.json').read_text())
        sim2nl = folder / 'sim2nl.json'
        sim2nl.write_text(json.dumps(self._names))
        environment = SimpleNamespace(
            observation_types=['partial'],
            use_editor=False,
            base_port=server.port,
            port_id=0,
            executable_args={},
            agent_reset_id=0,
            recording_options={'recording': False},
        )
        dataset = SimpleNamespace(
            obj_dict_sim2nl=str(sim2nl),
            obj_dict_nl2sim=str(checkout / 'resource/wah_obj_dict_nl2sim.json'),
        )
        self._env = wah_env.WahUnityEnv(
            SimpleNamespace(
                environment=environment,
                dataset=dataset,
                llm_agent=SimpleNamespace(working_memory=True),
            )
        )

    def reset(self, index: int, graph: dict[str, Any], room: str) -> str:
        """Begin in a home of the server; the first text."""
        # Names that its dictionary lacks are those of this project.
        lacking = {node['class_name']: name_of(node['class_name']) for node in graph['nodes']}
        self._env.obj_dict_sim2nl = {**lacking, 'character': 'user', **self._names}
        task = {
            'task_id': 0,
            'task_name': '',
            'env_id': index,
            'init_graph': graph,
            'init_room': room,
            'task_goal': {},
        }
        self._env.reset(task)
        return str(self._env.get_init_obs()['text'])

    def step(self, skill: str) -> str:
        """The text of a skill; what the client raised is one too."""
        try:
            return str(self._env.step(skill)['text'])
        except Exception as error:  # noqa: BLE001 - whatever somebody else's program raises
            return f'raised {type(error).__name__}: {error}'

    def candidates(self) -> set[str]:
        """Skills on offer, without those of the planner."""
        return {
            skill
            for skill in self._env.get_possible_skill_set()
            if skill not in ('done', 'failure') and not skill.startswith('recall')
        }

    def recall(self, word: str) -> str:
        """What working memory says of a class."""
        return str(self._recall(self._env.working_memory, word))


def choose(world: HouseholdWorld, random: Random) -> str:
    """A skill to try."""
    offered = world.admissible_skills()
    chance = random.random()
    if chance < 0.04:
        names = [name for name in world._now.state.names.name.values() if name != 'user 1']
        return f'{random.choice(_HANDLING)} {random.choice(names)}'
    if chance < 0.16:
        return random.choice(world.candidate_skills())
    handling = [skill for skill in offered if not skill.startswith('go to')]
    return random.choice(handling if handling and chance < 0.6 else offered)


def compare(client: PublishedClient, index: int, graph: dict[str, Any], arguments: Any) -> Any:
    """Play one home; counts of what was compared and of what was equal."""
    random = Random(f'{arguments.seed} {index}')
    rooms = sorted(
        (node['class_name'], node['id']) for node in graph['nodes'] if is_room(read_node(node))
    )
    room, room_id = random.choice([one for one in rooms if one[0] in _ROOMS])
    room_id = min(key for name, key in rooms if name == room)
    world = HouseholdWorld(remembered=arguments.remembered)
    observation = world.reset_to(with_character(graph, room_id))
    memory = WorkingMemory()
    memory.update(observation)
    counts: collections.Counter[str] = collections.Counter()
    different = []
    text, skill = client.reset(index, graph, room), ''
    for _ in range(arguments.skills + 1):
        counts['texts'] += 1
        counts['texts equal'] += text == observation.text
        counts['candidate sets equal'] += client.candidates() == set(world.candidate_skills())
        if text != observation.text:
            different.append((skill, observation.text, text))
        skill = choose(world, random)
        observation, text = world.step(skill), client.step(skill)
        memory.update(observation)
    for word in sorted(set(world._now.state.names.word.values())):
        counts['recalls'] += 1
        counts['recalls equal'] += memory.recall(word) == client.recall(word)
    return counts, different


def main() -> None:
    """Print what was equal, per home and in all."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('checkout', type=Path, help="of ReAcTree's code")
    parser.add_argument('graphs', type=Path, nargs='+', metavar='GRAPH', help='homes')
    parser.add_argument('--skills', type=int, default=60, help='per home')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--remembered', choices=('fixture', 'target'), default='fixture')
    arguments = parser.parse_args()
    homes = [prepared(path) for path in arguments.graphs]
    total: collections.Counter[str] = collections.Counter()
    shown = 0
    service = VirtualHomeService(homes)
    with VirtualHomeServer(service, 0) as server, tempfile.TemporaryDirectory() as folder:
        with contextlib.redirect_stdout(io.StringIO()):
            client = PublishedClient(arguments.checkout.resolve(), server, Path(folder))
        for index, home in enumerate(homes):
            with contextlib.redirect_stdout(io.StringIO()):
                counts, different = compare(client, index, home, arguments)
            total += counts
            print(f'{arguments.graphs[index].name:32} {told(counts)}', flush=True)
            for skill, ours, theirs in different[: max(0, _MOST_SHOWN - shown)]:
                shown += 1
                print(f'    {skill}\n        household: {ours}\n        published: {theirs}')
    print(f'{"all":32} {told(total)}')


def told(counts: collections.Counter[str]) -> str:
    """Counts in a line."""
    return (
        f'texts {counts["texts equal"]} of {counts["texts"]}, '
        f'candidate sets {counts["candidate sets equal"]} of {counts["texts"]}, '
        f'recalls {counts["recalls equal"]} of {counts["recalls"]}'
    )


if __name__ == '__main__':
    main()
