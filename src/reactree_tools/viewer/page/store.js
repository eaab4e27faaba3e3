// The run that is looked at: its frames, and the state at one of them.
//
// A frame says what one event changed. Laying frames over each other gives the state at any
// moment, so that scrubbing needs neither the server nor a second copy of the planner's rules.

/** Frames kept one by one; older ones are laid into the state before them. */
const KEPT = 5000;

export const NODE = {
  id: 0, parent: 1, kind: 2, status: 3, goal: 4, detail: 5, decisions: 6, steps: 7, started: 8, ended: 9,
};

/** What is known of the world before anything was seen, and after it was put back. */
const nothingKnown = () => ({
  facts: new Map(),
  lookedAt: [],
  path: [],
  held: [],
  here: { place: '', room: '' },
});

const freshState = () => ({
  ...nothingKnown(),
  nodes: new Map(),
  children: new Map(),
  /** Whether the world was put back to where the task began. */
  cleared: false,
  run: null,
  time: 0,
  earlier: 0,
});

function lay(state, frame) {
  for (const node of frame.nodes) {
    if (!state.nodes.has(node[NODE.id])) {
      const siblings = state.children.get(node[NODE.parent]);
      if (siblings) siblings.push(node[NODE.id]);
      else state.children.set(node[NODE.parent], [node[NODE.id]]);
    }
    state.nodes.set(node[NODE.id], node);
  }
  if (frame.cleared) Object.assign(state, nothingKnown(), { cleared: true });
  for (const [name, fact] of Object.entries(frame.facts ?? {})) {
    if (fact === null) state.facts.delete(name);
    else state.facts.set(name, fact);
  }
  if (frame.looked_at?.length) state.lookedAt.push(...frame.looked_at);
  const event = frame.event;
  if (event.kind === 'see') {
    const before = state.here;
    if (event.place !== before.place || event.room !== before.room) {
      state.here = { place: event.place, room: event.room };
      state.path.push(state.here);
      if (state.path.length > 500) state.path.shift();
    }
    state.held = event.held;
  } else if (event.kind === 'earlier') {
    state.earlier += event.count;
  }
  state.run = frame.run;
  state.time = frame.time;
}

function copy(state) {
  const children = new Map();
  for (const [id, list] of state.children) children.set(id, [...list]);
  return {
    ...state,
    nodes: new Map(state.nodes),
    children,
    facts: new Map(state.facts),
    lookedAt: [...state.lookedAt],
    path: [...state.path],
  };
}

export class Store {
  constructor() {
    this.clear('', false);
  }

  /** Begin with another run. */
  clear(run, live) {
    this.run = run;
    this.live = live;
    this.base = freshState();
    /** Frames that were laid into the base. */
    this.offset = 0;
    this.frames = [];
    /** How many frames are shown; all of them while `newest` holds. */
    this.shown = 0;
    this.newest = true;
    this.state = freshState();
    /** Node id -> positions in `frames` of its events. */
    this.byNode = new Map();
    this.structure = 0;
    this.total = 0;
    /** Events that folded frames stand for, beyond one each. */
    this.folded = 0;
  }

  /** Number within the run of the event that is shown. */
  get number() {
    return this.offset + this.folded + this.shown;
  }

  /** How many frames to show for an event of this number; more than there are when it is to come. */
  positionOf(number) {
    return Math.max(1, number - this.offset - this.folded);
  }

  get length() {
    return this.frames.length;
  }

  /** More frames, in order. */
  add(frames) {
    for (const frame of frames) {
      const id = frame.event.node;
      if (frame.event.kind === 'earlier') this.folded += frame.event.count - 1;
      const list = this.byNode.get(id);
      if (list) list.push(this.frames.length);
      else this.byNode.set(id, [this.frames.length]);
      this.frames.push(frame);
    }
    if (this.newest) this.show(this.frames.length);
    if (this.frames.length > KEPT) this.#forget(KEPT / 5);
  }

  #forget(count) {
    count = Math.min(count, this.shown);
    for (const frame of this.frames.splice(0, count)) lay(this.base, frame);
    this.base.earlier += count;
    this.offset += count;
    this.shown -= count;
    this.byNode = new Map();
    this.frames.forEach((frame, position) => {
      const list = this.byNode.get(frame.event.node);
      if (list) list.push(position);
      else this.byNode.set(frame.event.node, [position]);
    });
    this.structure += 1;
  }

  /** Show the state after so many frames. */
  show(count) {
    count = Math.max(0, Math.min(count, this.frames.length));
    if (count < this.shown) {
      this.state = copy(this.base);
      this.shown = 0;
      this.structure += 1;
    }
    const before = this.state.nodes.size;
    for (; this.shown < count; this.shown += 1) lay(this.state, this.frames[this.shown]);
    if (this.state.nodes.size !== before) this.structure += 1;
  }

  /** Events of a node that are shown, oldest first. */
  eventsOf(id) {
    const positions = this.byNode.get(id) ?? [];
    return positions.filter((position) => position < this.shown).map((position) => this.frames[position]);
  }
}
