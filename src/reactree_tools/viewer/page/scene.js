// The scene: from above with the robot's path, or as an outline of what it is made of.

import { CameraView } from './camera.js';
import { ask, byId, draw, make } from './dom.js';
import { MapView } from './map.js';

/** Milliseconds between two questions for a plan, on which only what stands is drawn. */
const PERIOD = 15000;
/** The same for an outline or a plan that is explored, in which any skill may change something. */
const LIVE_PERIOD = 1000;
/** The same for a map, on which the robot moves. */
const MAP_PERIOD = 500;

export class SceneView {
  constructor(store) {
    this.store = store;
    this.panel = byId('panel-scene');
    this.plan = null;
    this.outline = null;
    this.map = new MapView();
    this.cameras = new CameraView();
    this.asked = 0;
    this.connected = false;
    this.key = '';
  }

  /** Whether there is a bridge to ask, and what it has loaded. */
  connect(connected, scene) {
    if (scene !== this.scene) this.asked = 0;
    this.scene = scene;
    this.connected = connected && scene !== '';
  }

  /** Ask for the plan again, not too often. */
  async refresh() {
    const now = performance.now();
    const least = this.#changes ? 0.8 * MAP_PERIOD : PERIOD;
    if (!this.connected || this.asking || (this.asked && now - this.asked < least)) return;
    this.asked = now;
    this.asking = true;
    try {
      const seen = await ask('api/cameras');
      if ((seen.cameras.length > 0 || seen.things?.length > 0) !== Boolean(this.seen)) this.key = '';
      this.seen = seen.cameras.length || seen.things?.length ? seen : null;
      if (this.seen) this.cameras.show(seen);
      const { plan, outline } = await ask('api/scene');
      // A map that is shown already moves by itself.
      const text = JSON.stringify([plan?.map ? 'map' : plan, outline]);
      if (text !== this.text) {
        this.text = text;
        this.key = '';
      }
      this.plan = plan;
      this.outline = outline;
      this.trouble = '';
    } catch (error) {
      this.trouble = error.message;
      this.key = '';
    } finally {
      this.asking = false;
    }
    clearTimeout(this.again);
    const period = this.plan?.map && !this.trouble ? MAP_PERIOD : LIVE_PERIOD;
    if (this.#changes) this.again = setTimeout(() => this.panel.offsetParent && !document.hidden && this.refresh(), period);
    this.render();
    if (this.plan?.map && !this.trouble) this.map.show(this.plan, new Set(this.store.state.path.map(({ place }) => place)), period);
    else this.map.lose(this.trouble);
  }

  get #changes() {
    return Boolean(this.outline || this.plan?.explored || this.seen);
  }

  render() {
    const { path } = this.store.state;
    const key = `${this.store.run} ${path.length} ${this.store.shown} ${this.trouble ?? ''}`;
    if (key === this.key) return;
    this.key = key;
    const parts = [];
    const title = make('p', { class: 'muted small' }, `${this.scene}, as the bridge has it now`);
    const outline = this.outline && make('ul', { class: 'outline' }, this.#entry(this.outline));
    if (this.plan?.map) parts.push(title, this.map.element, ...outline ? [outline] : []);
    else if (this.plan) parts.push(title, this.#picture(path));
    else if (this.trouble) parts.push(make('p', { class: 'muted' }, this.trouble));
    else if (outline) parts.push(title, outline);
    else parts.push(make('p', { class: 'muted' }, 'No plan: the bridge gives no scene graph with boxes, or none is connected.'));
    if (this.seen) parts.unshift(this.cameras.element);
    if (path.length || !this.outline) parts.push(make('h3', {}, 'Path'), this.#list(path));
    this.panel.replaceChildren(...parts);
  }

  #entry({ name, state, met, parts }) {
    return make('li', { class: met ? 'met' : null },
      make('span', { class: 'outline-name' }, name),
      state ? make('span', { class: 'muted' }, ` ${state}`) : null,
      parts.length ? make('ul', {}, ...parts.map((part) => this.#entry(part))) : null);
  }

  #list(path) {
    if (!path.length) return make('p', { class: 'muted' }, 'The robot has not moved.');
    return make('ol', { class: 'path-list' }, ...path.slice(-60).map(({ place, room }) =>
      make('li', {}, place || room, place && place !== room ? make('span', { class: 'muted' }, ` ${room}`) : null)));
  }

  #picture(path) {
    const { plan } = this;
    const boxes = new Map([...plan.rooms, ...plan.fixtures, ...plan.locations].map((box) => [box.name, box]));
    const points = [];
    for (const { place, room } of path) {
      const box = boxes.get(place) ?? boxes.get(room);
      if (box) points.push([box.x, box.y]);
    }
    const last = points.at(-1) ?? plan.robot;
    const left = Math.min(...plan.rooms.map((box) => box.x - box.width / 2)) - 0.3;
    const top = Math.min(...plan.rooms.map((box) => box.y - box.height / 2)) - 0.3;
    const right = Math.max(...plan.rooms.map((box) => box.x + box.width / 2)) + 0.3;
    const bottom = Math.max(...plan.rooms.map((box) => box.y + box.height / 2)) + 0.3;
    const rect = (box, kind) => draw(...(box.corners.length
      ? ['polygon', { points: box.corners.map((corner) => corner.join(',')).join(' '), class: kind }]
      : ['rect', { x: box.x - box.width / 2, y: box.y - box.height / 2, width: box.width, height: box.height, class: kind }]),
    draw('title', {}, box.name));
    const spot = ({ name, x, y }, kind, r) => draw('circle', { cx: x, cy: y, r, class: kind }, draw('title', {}, name));
    const visited = new Set(path.map(({ place }) => place));
    const svg = draw('svg', { viewBox: `${left} ${top} ${right - left} ${bottom - top}`, class: plan.explored ? 'plan explored' : 'plan', role: 'img',
      'aria-label': `${plan.scene} from above; the robot is at ${this.store.state.here.place || this.store.state.here.room}` },
      ...plan.rooms.map((box) => rect(box, 'room-box')),
      ...plan.openings.flatMap(([[x1, y1], [x2, y2]]) =>
        ['opening', 'gap'].map((kind) => draw('line', { x1, y1, x2, y2, class: kind }))),
      ...plan.fixtures.map((box) => rect(box, visited.has(box.name) ? 'fixture visited' : 'fixture')),
      ...plan.rooms.map((box) => draw('text', { ...above(box), class: 'room-name' }, box.name)),
      ...plan.fixtures.filter((box) => visited.has(box.name)).map((box) =>
        draw('text', { x: box.x, y: label(box, top), class: 'fixture-name' }, box.name)),
      ...plan.doors.map((door) => spot(door, 'plan-door', 0.16)),
      ...plan.locations.map((place) => spot(place, visited.has(place.name) ? 'location visited' : 'location', 0.2)));
    if (plan.reach && last) svg.append(spot({ name: `reach: ${plan.reach} m`, x: last[0], y: last[1] }, 'reach', plan.reach));
    if (points.length > 1) {
      svg.append(draw('polyline', { points: points.map((point) => point.join(',')).join(' '), class: 'path' }));
      if (!plan.explored) points.slice(0, -1).forEach(([x, y]) => svg.append(draw('circle', { cx: x, cy: y, r: 0.09, class: 'stop' })));
    }
    svg.append(...plan.locations.map(({ name, x, y }) =>
      draw('text', { x, y: y + 0.09, class: 'location-name' }, name.replace('loc ', ''))));
    if (last) {
      const r = plan.explored ? 0.22 : 0.34;
      svg.append(draw('circle', { cx: last[0], cy: last[1], r, class: 'robot' }),
        draw('circle', { cx: last[0], cy: last[1], r: r * 0.38, class: 'robot-eye' }));
    }
    return svg;
  }
}

/** Where a room's name stands: on its lowest wall. */
function above({ x, y, height, corners }) {
  const walls = corners.map((corner, index) => [corner, corners.at(index - 1)]).filter(([a, b]) => a[1] === b[1]);
  if (!walls.length) return { x, y: y + height / 2 - 0.25 };
  const [a, b] = walls.reduce((one, other) => (other[0][1] > one[0][1] ? other : one));
  return { x: (a[0] + b[0]) / 2, y: a[1] - 0.15 };
}

/** Above a box, or below it where there is no room above. */
function label(box, top) {
  const above = box.y - box.height / 2 - 0.12;
  return above > top + 0.5 ? above : box.y + box.height / 2 + 0.4;
}
