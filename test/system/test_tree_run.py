"""A run is planned, exported and done again as a tree by the running bridge: real nodes."""

from __future__ import annotations

import pytest


@pytest.mark.timeout(400)
def test_a_plan_that_worked_is_done_again_without_a_model(start, nodes, tmp_path):
    start('up', *nodes()).wait_for('Ready.')
    plan = start('plan', '--json', 'look into the fridge')
    plan.end()
    journal = next((tmp_path / 'state' / 'reactree' / 'runs').glob('*.jsonl'))
    for name in ('plan.xml', 'plan.py'):
        file = tmp_path / name
        asks = ['--bridge'] if name.endswith('.py') else []
        exported = start('export', str(journal), str(file), '--behavior-tree', *asks)
        assert exported.end() == 0, exported.text
        assert 'Behaviour tree written to' in exported.text
        start('world', 'reset', '--scene', 'generated:3').end()
        again = start('tree-run', str(file), '--plain')
        assert again.end() == 0, again.text
        assert 'go to kitchen 1' in again.text and 'open fridge 1' in again.text
        assert 'SUCCESS: ' in again.text
    # A tree about a thing that is not there.
    wrong = tmp_path / 'wrong.xml'
    text = (tmp_path / 'plan.xml').read_text(encoding='utf-8')
    wrong.write_text(text.replace('fridge 1', 'fridge 9'), encoding='utf-8')
    start('world', 'reset', '--scene', 'generated:3').end()
    failed = start('tree-run', str(wrong), '--plain')
    assert failed.end() == 1, failed.text
    assert 'FAILURE: ' in failed.text
    missing = start('tree-run', str(tmp_path / 'none.xml'))
    assert missing.end() == 2
    assert 'There is no file' in missing.text


@pytest.mark.timeout(400)
def test_a_skill_that_takes_too_long_is_stopped(start, nodes, tmp_path):
    start('up', *nodes(skill_seconds=100.0)).wait_for('Ready.')
    file = tmp_path / 'slow.xml'
    file.write_text(
        '<root BTCPP_format="4"><BehaviorTree ID="Slow"><Action ID="Go" room="kitchen 1"/>'
        '</BehaviorTree><TreeNodesModel><Action ID="Go"><input_port name="room"/><MetadataFields>'
        '<Metadata skill="go to &lt;room&gt;"/></MetadataFields></Action></TreeNodesModel></root>',
        encoding='utf-8',
    )
    slow = start('tree-run', str(file), '--timeout', '10')
    assert slow.end(90.0) == 1, slow.text
    assert 'The tree was stopped: the time limit ran out.' in slow.text
