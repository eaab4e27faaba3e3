// Working memory by room: what the robot knows, where, and where it has looked.

import { byId, make } from './dom.js';

const AGENT = 'agent 1';

export class MemoryView {
  constructor(store) {
    this.store = store;
    this.panel = byId('panel-memory');
    this.key = '';
  }

  render() {
    const { facts, lookedAt, held, cleared } = this.store.state;
    const key = `${this.store.run} ${this.store.shown}`;
    if (key === this.key) return;
    this.key = key;
    if (!facts.size && !held.length) {
      const since = cleared ? 'The world was put back to where the task began; nothing was seen since.' : 'Nothing was seen yet.';
      this.panel.replaceChildren(make('p', { class: 'empty' }, since));
      return;
    }
    const looked = new Set(lookedAt);
    const rooms = new Map();
    for (const [name, [room, receptacle, state]] of facts) {
      if (receptacle === AGENT) continue;
      const places = rooms.get(room) ?? rooms.set(room, new Map()).get(room);
      const things = places.get(receptacle) ?? places.set(receptacle, []).get(receptacle);
      things.push([name, state]);
    }
    const here = this.store.state.here.room;
    const names = [...rooms.keys()].sort((one, other) => (other === here) - (one === here) || one.localeCompare(other));
    this.panel.replaceChildren(
      make('p', { class: 'held' }, make('span', { class: 'label' }, 'in hand'),
        held.length ? held.join(', ') : 'nothing'),
      ...names.map((room) => this.#room(room, rooms.get(room), looked, room === here)),
      make('p', { class: 'muted small' }, 'near: seen from there; in it, on it or beside it. ✓ looked into or around'),
    );
  }

  #room(room, places, looked, here) {
    const elsewhere = new Map(places.get('') ?? []);
    // What stands in the room has a row of its own when things were seen near it.
    const rows = [...places].map(([place, things]) =>
      [place, place ? things : things.filter(([name]) => !places.has(name))]).filter(([, things]) => things.length).sort(([one], [other]) => one.localeCompare(other));
    return make('section', { class: here ? 'room here' : 'room' },
      make('h3', {}, room || 'room unknown', here ? make('span', { class: 'muted' }, ' the robot is here') : null),
      make('dl', {}, ...rows.flatMap(([place, things]) => [
        make('dt', {}, place ? make('span', { class: 'near' }, 'near ') : 'in the room', place || null,
          elsewhere.get(place) ? make('span', { class: 'muted' }, ` ${elsewhere.get(place)}`) : null, looked.has(place) ? make('span', { class: 'looked', title: 'looked at' }, ' ✓') : null),
        make('dd', {}, ...things.sort().map(([name, state]) =>
          make('span', { class: 'thing' }, name, looked.has(name) ? make('span', { class: 'looked' }, ' ✓') : null,
            state ? make('span', { class: 'muted' }, ` ${state}`) : null))),
      ])));
  }
}
