// What the robots of a team do at the same time: a lane for each, a bar for each skill.

import { byId, draw, make } from './dom.js';

/** Bars that are drawn of one lane; of longer runs the newest. */
const MOST = 400;
const HEIGHT = 14;

export class Lanes {
  constructor(store, onchoose) {
    this.store = store;
    this.onchoose = onchoose;
    this.drawn = '';
  }

  /** Skills by their robots, up to the event that is shown. */
  #skills() {
    const { frames, shown } = this.store;
    const lanes = new Map();
    const open = new Map();
    for (const { event, time } of frames.slice(0, shown)) {
      if (!event.who) continue;
      if (!lanes.has(event.who)) lanes.set(event.who, []);
      if (event.kind === 'act') {
        const bar = { skill: event.skill, node: event.node, begin: time, end: null, outcome: 'at work' };
        open.set(event.sequence, bar);
        lanes.get(event.who).push(bar);
      } else if (event.kind === 'see' && open.has(event.sequence)) {
        Object.assign(open.get(event.sequence), { end: time, outcome: event.outcome });
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
    const lanes = this.#skills();
    const place = byId('lanes');
    place.classList.toggle('away', !lanes.size);
    if (!lanes.size) return;
    const now = Math.max(store.state.time, 0.001);
    place.replaceChildren(...[...lanes].sort(([a], [b]) => a.localeCompare(b)).map(([who, bars]) => {
      const svg = draw('svg', { viewBox: `0 0 ${now} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${who}: ${bars.length} skills` });
      for (const bar of bars.slice(-MOST)) {
        const width = Math.max((bar.end ?? now) - bar.begin, now * 0.002);
        const kind = bar.end === null ? 'running' : bar.outcome === 'succeeded' ? 'success' : 'refused';
        const rect = draw('rect', { x: bar.begin, y: 1, width, height: HEIGHT - 2, class: kind }, draw('title', {}));
        rect.firstChild.textContent = `${who}: ${bar.skill} (${bar.outcome})`;
        rect.addEventListener('click', () => this.onchoose(bar.node));
        svg.append(rect);
      }
      return make('div', { class: 'lane' }, make('span', {}, who), svg);
    }));
  }
}
