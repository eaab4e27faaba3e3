// A robot's map: its places from above, its base as it moves, and the way that it went.
//
// Drawn in pixels, so that signs and names keep their size whether places are metres or kilometres
// apart. What stands is laid out when it changes; the base alone moves in between.

import { count, draw, make, setText } from './dom.js';

/** Pixels: half the size of signs, around all that is drawn, and between two lines of the grid at least. */
const PLACE = 6;
const THING = 4;
const AROUND = 30;
const GRID = 56;
/** Metres that are shown at least, and around a robot that is looked at closely. */
const LEAST = 2;
const CLOSE = 5;
/** Metres of a map from which on it can be looked at closely. */
const LARGE = 25;
/** Height of a name in pixels, how far from their sign names may stand, and how many are placed. */
const LINE = 15;
const AWAY = [7, 14, 26, 40, 56];
const MOST_NAMES = 200;
/** Seconds from which on a pose is shown as an old one. */
const OLD = 5;
const SIDES = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [1, 1], [-1, -1], [-1, 1]];

export class MapView {
  constructor() {
    this.way = draw('polyline', { class: 'map-way' });
    this.base = draw('g', { class: 'map-base' },
      draw('title', {}, 'the robot'), draw('circle', { r: 10 }), draw('path', { d: 'M6.5 0L-4 4.6L-1.6 0L-4 -4.6z' }));
    /** What stands, below the robot's way and above it. */
    this.ground = draw('g');
    this.signs = draw('g');
    this.svg = draw('svg', { class: 'map', role: 'img' }, this.ground, this.way, this.signs, this.base);
    this.where = make('p', { class: 'small' });
    this.trouble = make('p', { class: 'trouble small' });
    this.close = make('button', { type: 'button', 'aria-pressed': 'false', onclick: () => this.#toggle() }, 'Around the robot');
    this.left = make('p', { class: 'muted small' });
    this.unplaced = make('ul', { class: 'muted small' });
    this.rows = make('tbody');
    this.frame = make('summary');
    const heads = ['', 'x in m', 'y in m', 'heading'].map((word) => make('th', { scope: 'col' }, word));
    this.element = make('div', {}, this.trouble, this.where, this.svg, this.close, this.left, this.unplaced,
      make('details', {}, this.frame, make('table', { class: 'map-places' }, make('thead', {}, make('tr', {}, ...heads)), this.rows)));
    /** Where names stood: they stay there while there is room. */
    this.sides = new Map();
    this.key = '';
    this.measure = document.createElement('canvas').getContext('2d');
    new ResizeObserver(() => this.plan && this.#show()).observe(this.element);
  }

  /** What the bridge has told now. @param visited names of places where the run was @param period ms until the next */
  show(plan, visited, period) {
    const before = this.plan;
    this.plan = plan;
    this.visited = visited;
    this.period = period;
    this.heard = performance.now();
    this.lost = '';
    if (before && before.map.frame !== plan.map.frame) this.shown = null;
    this.#show(before);
  }

  /** The bridge does not answer. */
  lose(reason) {
    this.lost = reason;
    if (this.plan) this.#say();
  }

  #toggle() {
    this.close.setAttribute('aria-pressed', String(this.close.ariaPressed !== 'true'));
    this.#show();
  }

  #show(before = null) {
    const width = Math.round(this.element.clientWidth);
    if (!width) return;
    this.#say();
    const view = this.#view(width);
    const { locations, fixtures, map } = this.plan;
    const key = JSON.stringify([view, locations, fixtures, map.here, map.unplaced, [...this.visited]]);
    if (key !== this.key) {
      this.key = key;
      this.view = view;
      this.#lay();
    }
    this.#move(before);
  }

  // Words ----------------------------------------------------------------------------------------

  #say() {
    const { robot, map, scene } = this.plan;
    const age = map.age + (performance.now() - this.heard) / 1000;
    const old = age > OLD || Boolean(map.trouble || this.lost);
    const why = this.lost || map.trouble;
    const known = robot ? `This is where the robot was ${ago(age)}` : 'Where the robot is, is not known yet';
    setText(this.trouble, why ? `${known}: ${why.replace(/\.$/, '')}.` : '');
    this.trouble.hidden = !why;
    const at = map.here ? `at ${map.here}` : 'at no named place';
    const parts = robot ? [
      at,
      `x ${robot[0].toFixed(2)} m, y ${(-robot[1]).toFixed(2)} m`,
      map.heading === null ? '' : `heading ${degrees(map.heading)}`,
      age > OLD && !why ? `told ${ago(age)}` : '',
    ] : [map.here && at];
    setText(this.where, parts.filter(Boolean).join(' · '));
    this.where.hidden = !parts.some(Boolean);
    this.base.classList.toggle('old', old);
    this.svg.setAttribute('aria-label', `${scene} from above, ${count(this.plan.locations.length, 'place')}; ${
      robot || map.here ? `the robot is ${at}` : 'where the robot is, is not known'}`);
  }

  // What stands ------------------------------------------------------------------------------------

  /** Which part of the world is shown, and how large. */
  #view(width) {
    const { locations, fixtures, robot, map } = this.plan;
    const all = [...locations, ...fixtures].map(({ x, y }) => [x, y]).concat(map.way, robot ? [robot] : []);
    const whole = edges(all.length ? all : [[0, 0]]);
    const large = Math.max(whole.right - whole.left, whole.bottom - whole.top) > LARGE;
    this.close.hidden = !large || !robot;
    const close = !this.close.hidden && this.close.ariaPressed === 'true';
    const seen = close ? { left: robot[0] - CLOSE, right: robot[0] + CLOSE, top: robot[1] - CLOSE, bottom: robot[1] + CLOSE } : whole;
    // In steps, so that the picture does not follow every move of a robot at its edge.
    const step = round(Math.max(seen.right - seen.left, seen.bottom - seen.top, LEAST) / 8);
    for (const side of ['left', 'top']) seen[side] = Math.floor(seen[side] / step) * step;
    for (const side of ['right', 'bottom']) seen[side] = Math.ceil(seen[side] / step) * step;
    const across = Math.max(LEAST, seen.right - seen.left);
    const down = Math.max(LEAST / 2, seen.bottom - seen.top);
    const most = Math.max(180, Math.min(width * 1.1, innerHeight * 0.6));
    const height = Math.round(Math.min(most, (down / across) * (width - 2 * AROUND) + 2 * AROUND));
    const scale = Math.min((width - 2 * AROUND) / across, (height - 2 * AROUND) / down);
    return { width, height, scale, x: (seen.left + seen.right) / 2, y: (seen.top + seen.bottom) / 2 };
  }

  #at([x, y]) {
    const { width, height, scale } = this.view;
    return [(x - this.view.x) * scale + width / 2, (y - this.view.y) * scale + height / 2];
  }

  #lay() {
    const { width, height } = this.view;
    const { locations, fixtures, map } = this.plan;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.setAttribute('height', height);
    this.svg.setAttribute('width', width);
    this.measure.font = `12px ${getComputedStyle(this.element).fontFamily}`;
    const signs = [
      ...locations.map((box) => ({ ...box, size: PLACE, kind: 'place' })),
      ...fixtures.map((box) => ({ ...box, size: THING, kind: 'thing' })),
    ].map((sign) => ({ ...sign, at: this.#at([sign.x, sign.y]) })).filter(({ at: [x, y] }) => x > 0 && y > 0 && x < width && y < height);
    const names = this.#names(signs);
    this.ground.replaceChildren(this.#grid(), ...names.lines);
    this.signs.replaceChildren(...signs.map((sign) => this.#sign(sign)), ...names.texts, this.#bar());
    setText(this.left, names.left ? `${count(names.left, 'name')} would not fit: point at a sign, or see the list.` : '');
    this.left.hidden = !names.left;
    setText(this.frame, `${count(locations.length, 'place')}, in the frame ${map.frame}`);
    this.rows.replaceChildren(...locations.map(({ name, x, y, heading }) => make('tr', { class: name === map.here ? 'here' : null },
      make('th', { scope: 'row' }, name), ...[x.toFixed(2), (-y).toFixed(2), heading === null ? '' : degrees(heading)].map((word) => make('td', {}, word)))));
    this.unplaced.replaceChildren(...map.unplaced.slice(0, 8).map(([name, why]) => make('li', {}, `Not on the map: ${name}. ${why}`)),
      ...map.unplaced.length > 8 ? [make('li', {}, `${count(map.unplaced.length - 8, 'more place')} not on the map.`)] : []);
  }

  #sign({ name, at: [x, y], x: east, y: south, size, kind, heading }) {
    const { map } = this.plan;
    const title = draw('title', {}, `${name}: x ${east.toFixed(2)} m, y ${(-south).toFixed(2)} m${heading === null ? '' : `, heading ${degrees(heading)}`}`);
    if (kind === 'thing') return draw('rect', { x: x - size, y: y - size, width: 2 * size, height: 2 * size, class: 'map-thing' }, title);
    const state = name === map.here ? ' here' : this.visited.has(name) ? ' visited' : '';
    const turn = !turned({ kind, heading }) ? [] : [draw('path', { d: `M${size} 0h7`, transform: `rotate(${(-heading * 180) / Math.PI})` })];
    return draw('g', { class: `map-place${state}`, transform: `translate(${x} ${y})` }, title, ...turn, draw('circle', { r: size }));
  }

  /** Names beside their signs, none over another; those for which there is no room are left out. */
  #names(signs) {
    const { width, height } = this.view;
    const taken = [this.#barBox(), ...signs.map(({ at: [x, y], size }) => around(x, y, size)), ...signs.filter(turned).map(
      ({ at: [x, y], heading }) => around(x + (PLACE + 4) * Math.cos(heading), y - (PLACE + 4) * Math.sin(heading), 3))];
    const free = (box) => box.left > 2 && box.right < width - 2 && box.top > 2 && box.bottom < height - 2
      && taken.every((other) => box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom);
    const lines = [];
    const texts = [];
    const sides = new Map();
    for (const { name, at: [x, y], size, kind } of signs.slice(0, MOST_NAMES)) {
      const wide = this.measure.measureText(name).width + 2;
      const places = AWAY.slice(0, kind === 'thing' ? 2 : AWAY.length).flatMap((away) => SIDES.map(([right, down]) => [right, down, away]));
      const old = this.sides.get(name);
      for (const [right, down, away] of old ? [old, ...places] : places) {
        const gap = size + away;
        const middle = x + right * (gap * (down ? 0.75 : 1) + wide / 2);
        const level = y + down * (gap * (right ? 0.75 : 1) + LINE / 2);
        const box = { left: middle - wide / 2, right: middle + wide / 2, top: level - LINE / 2, bottom: level + LINE / 2 };
        if (!free(box)) continue;
        taken.push(box);
        sides.set(name, [right, down, away]);
        texts.push(draw('text', { x: middle, y: level + 4, class: `map-name ${kind}` }, name));
        if (away > AWAY[1]) {
          lines.push(draw('line', { x1: x, y1: y, x2: middle - (right * wide) / 2, y2: level - (down * LINE) / 2, class: 'map-leader' }));
        }
        break;
      }
    }
    this.sides = sides;
    return { lines, texts, left: signs.length - texts.length };
  }

  get #step() {
    return round(GRID / this.view.scale);
  }

  #grid() {
    const { width, height, scale } = this.view;
    const step = this.#step;
    const lines = [];
    for (let x = Math.ceil((this.view.x - width / 2 / scale) / step) * step; this.#at([x, 0])[0] < width; x += step) {
      lines.push(`M${this.#at([x, 0])[0]} 0v${height}`);
    }
    for (let y = Math.ceil((this.view.y - height / 2 / scale) / step) * step; this.#at([0, y])[1] < height; y += step) {
      lines.push(`M0 ${this.#at([0, y])[1]}h${width}`);
    }
    return draw('path', { d: lines.join(''), class: 'map-grid' });
  }

  #barBox() {
    return { left: 0, right: this.#step * this.view.scale + 20, top: this.view.height - 26, bottom: this.view.height };
  }

  /** How long a side of the grid's squares is. */
  #bar() {
    const { height, scale } = this.view;
    const step = this.#step;
    return draw('g', { class: 'map-bar' },
      draw('path', { d: `M10 ${height - 12}v4h${step * scale}v-4` }),
      draw('text', { x: 10 + (step * scale) / 2, y: height - 12 }, step < 1 ? `${Math.round(step * 100)} cm` : step < 1000 ? `${step} m` : `${step / 1000} km`));
  }

  // What moves -------------------------------------------------------------------------------------

  /** Go from where the base was shown to where it is told to be, until the next is told. */
  #move(before) {
    const { robot, map } = this.plan;
    this.base.toggleAttribute('hidden', !robot);
    cancelAnimationFrame(this.moving);
    const there = robot && { at: robot, heading: map.heading ?? 0, way: map.way };
    const here = this.shown;
    const jumps = here && robot && Math.hypot(here.at[0] - robot[0], here.at[1] - robot[1]) * this.view.scale > this.view.width / 3;
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (!robot || !here || !before || jumps || still) {
      this.#put(there);
      return;
    }
    const turn = Math.atan2(Math.sin(there.heading - here.heading), Math.cos(there.heading - here.heading));
    const begin = performance.now();
    const go = (now) => {
      const part = Math.min(1, Math.max(0, (now - begin) / this.period));
      const at = [0, 1].map((axis) => here.at[axis] + part * (robot[axis] - here.at[axis]));
      this.#put(part < 1 ? { at, heading: here.heading + part * turn, way: before.map.way } : there);
      if (part < 1) this.moving = requestAnimationFrame(go);
    };
    go(begin);
  }

  #put(shown) {
    this.shown = shown;
    if (!shown) {
      this.way.setAttribute('points', '');
      return;
    }
    const [x, y] = this.#at(shown.at);
    this.base.setAttribute('transform', `translate(${x} ${y}) rotate(${(-shown.heading * 180) / Math.PI})`);
    this.way.setAttribute('points', [...shown.way, shown.at].map((point) => this.#at(point).map((one) => one.toFixed(1)).join(',')).join(' '));
  }
}

/** A round number that is no smaller: 1, 2 or 5 of some size. */
function round(least) {
  const size = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find((one) => one * size >= least * 0.999) * size;
}

function edges(points) {
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

const around = (x, y, size) => ({ left: x - size, right: x + size, top: y - size, bottom: y + size });

/** Whether a sign shows which way the robot looks there. */
const turned = ({ kind, heading }) => kind === 'place' && heading !== null;

const degrees = (angle) => `${Math.round((angle * 180) / Math.PI)}°`;

function ago(seconds) {
  if (seconds < 1) return 'a moment ago';
  if (seconds < 120) return `${Math.round(seconds)} s ago`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3600)} h ago`;
}
