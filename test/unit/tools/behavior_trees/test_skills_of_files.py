"""What a tree may do is listed before a person approves it."""

from __future__ import annotations

import pytest

from reactree_core.errors import ConfigurationError
from reactree_tools.behavior_trees.running import skills_of_file

XML = """\
<root BTCPP_format="4">
  <BehaviorTree ID="Plan">
    <Sequence>
      <Go room="kitchen 1"/>
      <IsAt place="kitchen 1"/>
      <Action ID="Take" thing="{found}"/>
      <Go room="kitchen 1"/>
      <Take/>
    </Sequence>
  </BehaviorTree>
  <TreeNodesModel>
    <Action ID="Go"><input_port name="room"/>
      <MetadataFields><Metadata skill="go to &lt;room&gt;"/></MetadataFields></Action>
    <Action ID="Take"><input_port name="thing"/>
      <MetadataFields><Metadata skill="take &lt;thing&gt;"/></MetadataFields></Action>
    <Condition ID="IsAt"><input_port name="place"/></Condition>
  </TreeNodesModel>
</root>
"""


def test_skills_of_a_tree_are_told_once_each(tmp_path):
    file = tmp_path / 'plan.xml'
    file.write_text(XML)
    assert skills_of_file(file) == ('go to kitchen 1', 'take {found}', 'take ?')
    assert 'plan.py' in skills_of_file(tmp_path / 'plan.py')[0]
    file.write_text('rubbish')
    with pytest.raises(ConfigurationError, match='no XML'):
        skills_of_file(file)
