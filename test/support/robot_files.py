"""A robot's file that has nothing wrong with it; its types are those of `MadeUpInterfaces`."""

PORTER = """\
robot: porter
about: You carry crates.
hands: 1
places:
  dock: {frame: map, x: 0, y: 0, region: hall 1, values: {number: 4}}
  shelf 1: {frame: map, x: 400 cm, y: 0, yaw: 90 deg, region: hall 1, values: {number: 17}}
  charger: {frame: map, tf: charger, region: hall 2, values: {number: 1}}
things:
  crate 9: {place: shelf 1}
classes:
  - {name: crate, other_words: [box]}
state:
  pose: {topic: /pose, type: geometry_msgs/msg/PoseStamped, near: 0.5}
  held: {topic: /holds, type: std_msgs/msg/Bool, field: data}
  facts:
    - topic: /seen
      type: vision/msg/AllSeen
      field: seen
      name: crate {id}
      when: {score: '> 0.5'}
      position: at
procedures:
  fold:
    - service: std_srvs/srv/Trigger
      name: /arm/fold
skills:
  - skill: go to <place>
    kind: move
    do:
      action: nav/action/Go
      name: /go
      send: {pose: <place>, mode: FAST, patience: 2 min, dock: <place.number>}
      within: 1 min
      feedback:
        say: '{left:.1f} m to <place>'
        completion: {field: left}
      results:
        - when: {error_code: BLOCKED}
          outcome: execution_failed
          say: 'The way to <place> is blocked: {error_msg}.'
  - skill: pick up <thing>
    slots: [thing]
    kind: take
    other_words: [lift]
    needs: [hands free, <thing> in here]
    do:
      - action: nav/action/Go
        name: /reach
        send: {pose: {pose_of: <thing>, z: 10 cm}}
      - procedure: fold
    done: You have <thing>.
  - skill: put <thing> on <place>
    slots: [thing, place]
    kind: put
    needs: [holding <thing>, at <place>]
    do: {publish: std_msgs/msg/Bool, name: /grip, send: {data: false}}
  - skill: wait <number> s
    do:
      publish: std_msgs/msg/Float64
      name: /wait
      send: {data: <number>}
"""
