// What the robots of a team do at the same time: a lane for each, a bar for each skill and wait.

import { byId, make } from './dom.js';

/** Bars that are drawn of one lane; of longer runs the newest. */
const MOST = 400;
/** How the record tells of a wait (reactree_planner.team.reservations). */
const WAITS = 'waits for ';

export class Lanes {
  constructor(store, onchoose) {
    this.store = store;
    this.onchoose = onchoose;
    this.drawn = '';
  }

  /** Skills and waits by their robots, up to the event that is shown. */
  #bars() {
    const { frames, shown } = this.store;
    const lanes = new Map();
    const open = new Map();
    for (const { event, time } of frames.slice(0, shown)) {
      if (!event.who) continue;
      if (!lanes.has(event.who)) lanes.set(event.who, []);
      const lane = lanes.get(event.who);
      const last = lane.at(-1);
      const begins = { node: event.node, begin: time, end: null };
      if (event.kind === 'act') {
        if (last?.kind === 'wait') last.end ??= time;
        const bar = { ...begins, kind: 'running', text: event.skill, outcome: 'at work' };
        open.set(event.sequence, bar);
        lane.push(bar);
      } else if (event.kind === 'think' && event.text.startsWith(WAITS)) {
        if (last?.kind !== 'wait' || last.end !== null) lane.push({ ...begins, kind: 'wait', text: event.text, outcome: '' });
      } else if (event.kind === 'see' && open.has(event.sequence)) {
        const kind = event.outcome === 'succeeded' ? 'success' : 'refused';
        Object.assign(open.get(event.sequence), { end: time, kind, outcome: event.outcome });
        open.delete(event.sequence);
      }
    }
    return lanes;
  }

  render() {
    const { store } = this;
    const key = `${store.run} ${store.offset} ${store.shown}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const lanes = this.#bars();
    const place = byId('lanes');
    place.classList.toggle('away', !lanes.size);
    if (!lanes.size) return;
    const now = Math.max(store.state.time, 0.001);
    place.replaceChildren(...[...lanes].sort(([a], [b]) => a.localeCompare(b)).map(([who, bars]) => this.#lane(who, bars, now)));
  }

  #lane(who, bars, now) {
    const skills = bars.filter((bar) => bar.kind !== 'wait').length;
    const track = make('div', { class: 'track', role: 'group', 'aria-label': `${who}: ${skills} skills` });
    for (const bar of bars.slice(-MOST)) {
      const told = `${who}: ${bar.text}${bar.outcome ? ` (${bar.outcome.replaceAll('_', ' ')})` : ''}`;
      // One stop of the Tab key a lane: its skills are those of its agent, which the tree shows.
      const button = make('button', { class: `doing ${bar.kind}`, title: told, 'aria-label': told, tabindex: -1, onclick: () => this.onchoose(bar.node) }, make('span', {}, bar.text));
      button.style.left = `${(100 * bar.begin) / now}%`;
      button.style.width = `${(100 * ((bar.end ?? now) - bar.begin)) / now}%`;
      track.append(button);
    }
    const first = bars.at(-1);
    return make('div', { class: 'lane' }, make('button', { class: 'link', onclick: () => first && this.onchoose(first.node) }, who), track);
  }
}
