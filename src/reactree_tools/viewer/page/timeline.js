// Scrubbing through a run: one stop for every event, played at the pace of its own clock.

import { byId, clock, draw, setText } from './dom.js';
import { STATUS } from './signs.js';

const SPEEDS = [1, 4, 16];
/** Longest pause between two events while playing, milliseconds. */
const LONGEST = 1200;
const COLUMNS = 160;
/** Milliseconds between two drawings of the marks while a run grows. */
const MARKS_PERIOD = 2000;

/** Drawn, because few fonts have these signs. */
const ICONS = {
  'to-start': 'M3 3v10M13 3L6 8l7 5z',
  back: 'M11 3L4 8l7 5z',
  play: 'M4 2.5l9 5.5-9 5.5z',
  stop: 'M4 3h3v10H4zM9.5 3h3v10h-3z',
  forward: 'M4 3l7 5-7 5zM13 3v10',
};

const icon = (name) => draw('svg', { viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true' }, draw('path', { d: ICONS[name] }));

export class Timeline {
  /** @param onmove called after the store shows another moment */
  constructor(store, onmove) {
    this.store = store;
    this.onmove = onmove;
    this.slider = byId('position');
    this.speed = 0;
    this.timer = 0;
    this.marked = '';
    for (const name of ['to-start', 'back', 'play', 'forward']) byId(name).append(icon(name));
    this.slider.addEventListener('input', () => this.go(Number(this.slider.value)));
    byId('to-start').addEventListener('click', () => this.go(1));
    byId('back').addEventListener('click', () => this.go(this.store.shown - 1));
    byId('forward').addEventListener('click', () => this.go(this.store.shown + 1));
    byId('live').addEventListener('click', () => this.toNewest());
    byId('play').addEventListener('click', () => this.toggle());
    byId('speed').addEventListener('click', () => {
      this.speed = (this.speed + 1) % SPEEDS.length;
      setText(byId('speed'), `${SPEEDS[this.speed]}×`);
    });
  }

  go(count, playing = false) {
    if (!playing) this.stop();
    this.store.newest = count >= this.store.length && !playing;
    this.store.show(Math.max(Math.min(1, this.store.length), count));
    this.onmove();
  }

  toNewest() {
    this.stop();
    this.store.newest = true;
    this.store.show(this.store.length);
    this.onmove();
  }

  toggle() {
    if (this.timer) {
      this.stop();
      this.onmove();
      return;
    }
    if (this.store.shown >= this.store.length) this.go(1, true);
    else this.store.newest = false;
    this.#next();
  }

  #next() {
    const { frames, shown } = this.store;
    if (shown >= frames.length) {
      this.stop();
      this.onmove();
      return;
    }
    const pause = shown ? (frames[shown].time - frames[shown - 1].time) * 1000 : 0;
    const wait = Math.max(30, Math.min(LONGEST, pause / SPEEDS[this.speed]));
    this.timer = setTimeout(() => {
      this.go(shown + 1, true);
      this.#next();
    }, wait);
    this.render();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
  }

  render() {
    const { store, slider } = this;
    slider.max = store.length;
    slider.value = store.shown;
    const last = store.frames.at(-1)?.time ?? 0;
    slider.setAttribute('aria-valuetext', `event ${store.offset + store.shown} of ${store.offset + store.length}, ${clock(store.state.time)}`);
    setText(byId('clock'), `${clock(store.state.time)} / ${clock(last)}`);
    byId('live').setAttribute('aria-pressed', String(store.newest));
    const play = byId('play');
    const label = this.timer ? 'Stop' : 'Play';
    if (play.getAttribute('aria-label') !== label) {
      play.setAttribute('aria-label', label);
      play.replaceChildren(icon(this.timer ? 'stop' : 'play'));
    }
    this.#marks();
  }

  /** Where agents expanded and ended, in so many columns. */
  #marks() {
    const { store } = this;
    const step = Math.max(1, Math.floor(store.length / COLUMNS));
    const key = `${store.run} ${store.offset} ${Math.floor(store.length / step)} ${step}`;
    const now = performance.now();
    const grows = this.markedRun === `${store.run} ${store.offset}` && store.live;
    if (key === this.marked || (grows && now - this.markedAt < MARKS_PERIOD)) return;
    this.marked = key;
    this.markedRun = `${store.run} ${store.offset}`;
    this.markedAt = now;
    const svg = byId('marks');
    svg.setAttribute('viewBox', `0 0 ${Math.max(1, store.length)} 10`);
    const columns = new Map();
    store.frames.forEach(({ event }, index) => {
      const kind = event.kind === 'expand' || event.kind === 'repair' ? 'expanded'
        : event.kind === 'finish' ? STATUS[event.status]
          : event.kind === 'see' && event.outcome !== 'succeeded' ? 'refused' : '';
      if (kind) columns.set(`${Math.floor(index / step)} ${kind}`, [index, kind]);
    });
    svg.replaceChildren(...[...columns.values()].map(([index, kind]) => draw('rect', {
      x: index + 0.5, y: kind === 'refused' ? 6 : 2, width: store.length * 0.004, height: kind === 'refused' ? 4 : 8, class: kind,
    })));
  }
}
