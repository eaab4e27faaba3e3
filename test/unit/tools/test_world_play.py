"""`reactree world play`: a person's lines, what is shown, and what is taken back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from reactree_tools.command_line import main
from reactree_tools.commands.world_play import Game
from reactree_tools.exit_codes import ExitCode
from reactree_tools.output import Output
from sim_bridge.worlds.registry import make_world


def play(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *lines: str, world: str
) -> str:
    """What a game shows of which these lines are typed, and then the end."""
    left: Iterator[str] = iter(lines)

    def typed(prompt: str = '') -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr('builtins.input', typed)
    tasks = {'textcraft': 'depth_2:3', 'alfworld': 'clean:3', 'webshop': 'test:3'}
    options = ['--task', tasks[world]]
    assert main(['world', 'play', world, *options, '--plain']) == ExitCode.OK
    return capsys.readouterr().out


def test_a_game_is_played_to_its_end(monkeypatch, capsys) -> None:
    lines = ('get 2 hemp', 'craft 3 twine using 2 hemp', 'craft 2 rope using 3 twine', 'get 9 sun')
    shown = play(monkeypatch, capsys, *lines, world='textcraft')
    assert 'Task: craft rope' in shown and 'Crafted 2 minecraft:rope' in shown
    assert '3 of 3 conditions met after 3 skills' in shown
    assert 'sun' not in shown, 'nobody is asked after the end'


def test_what_is_not_a_skill_is_answered_and_nothing_is_lost(monkeypatch, capsys) -> None:
    lines = ('get 2 hempp', 'dance', '', ':goal', ':help', ':nonsense', ':quit')
    shown = play(monkeypatch, capsys, *lines, world='textcraft')
    assert 'Could not find hempp' in shown
    assert 'Could not execute dance' in shown
    assert '  get 2 hemp' in shown
    assert shown.count(':undo') == 2
    assert '0 of 3 conditions met after 1 skill' in shown


def test_a_skill_is_taken_back_and_the_expert_goes_on(monkeypatch, capsys) -> None:
    lines = (':undo', 'get 2 hemp', ':undo', ':look', ':expert')
    shown = play(monkeypatch, capsys, *lines, world='textcraft')
    assert 'There is nothing to take back' in shown
    assert 'Inventory: You are not carrying anything.' in shown
    assert '3 of 3 conditions met' in shown


def test_near_names_are_proposed(monkeypatch, capsys) -> None:
    shown = play(monkeypatch, capsys, 'go to drawr 1', world='alfworld')
    assert 'Did you mean: go to drawer 1' in shown


def test_a_shop_is_played_to_its_score(monkeypatch, capsys) -> None:
    lines = ('', 'search[bumper case]', 'click[Next >]', ':undo', ':expert', ':goal')
    shown = play(monkeypatch, capsys, *lines, world='webshop')
    assert '  search[<text>]' in shown and 'Page 2 (Total results: ' in shown
    assert '  click[Buy Now]' in shown and 'a score of 1.00' in shown


@pytest.mark.parametrize(
    ('world', 'options', 'word'),
    [
        ('webshop', {}, 'search['),
        ('textcraft', {}, 'inventory'),
        ('programs', {'form': 'program'}, '[Walk] <kitchen> (11)'),
    ],
)
def test_completion_leaves_texts_to_the_person(
    world: str, options: dict[str, str], word: str
) -> None:
    played = make_world(world, **options)
    played.reset('', 'generated:1', 1)
    assert word in Game(played, Output(plain=True)).words()


@pytest.mark.parametrize(
    ('arguments', 'says'),
    [
        (['nowhere'], "no world 'nowhere'"),
        (['textcraft', '--task', 'dig:3'], 'there is no task'),
        (['alfworld', '--options', '{'], '--options is not JSON'),
        (['alfworld', '--options', '{"engine": 3}'], 'builtin or textworld'),
        (['alfworld', '--options', '{"colour": 3}'], 'no such option'),
        (['webshop', '--task', 'best:3', '--browser'], 'there is no task'),
        (['textcraft', '--browser'], 'the world textcraft has no web pages'),
        (['webshop', '--port', '8080'], '--port needs --browser'),
    ],
)
def test_what_cannot_be_played_says_why(capsys, arguments: list[str], says: str) -> None:
    assert main(['world', 'play', *arguments, '--plain']) == ExitCode.UNUSABLE
    assert says in capsys.readouterr().err
