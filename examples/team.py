"""Several robots do one task: who did what, and how much sooner than one robot alone.

python examples/team.py                 two robots that can do all
python examples/team.py --different     three with different skills, which hand things over
"""

import argparse
from pathlib import Path

from reactree_tools.team_episode import TeamEpisode
from sim_bridge.worlds.household.team import read_robots

FILES = [
    str(Path(__file__).parent / 'team' / f'{name}.yaml') for name in ('cook', 'carrier', 'scout')
]


def main() -> None:
    """Run the task, and show each robot's skills on a line of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--different', action='store_true', help='three with different skills')
    if parser.parse_args().different:
        robots = read_robots(FILES)
        sentence = 'Put one bar soap on the kitchen table.'
        goal = {'on_barsoap_kitchentable': 1}
        team = TeamEpisode('generated:10402', '', 10402, tuple(robots), robots, sentence, goal)
    else:
        team = TeamEpisode('generated:9', 'generated:9', 9)
    print(f'"{team.sentence}"')
    success = team.run()
    for who in team.robots:
        skills = [skill for one, skill in team.skills.executed if one == who]
        print(f'  {who}: {"; ".join(skills) or "nothing to do"}')
    print(
        f'{"done" if success else "not done"}: {team.progress}; '
        f'{len(team.skills.executed)} skills in the time of {team.makespan:.0f}, '
        f'robots idle {team.idle_share:.0%} of it'
    )


if __name__ == '__main__':
    main()
