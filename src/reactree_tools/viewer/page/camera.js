// What the robot's cameras show, with what is seen drawn over, and the same as a table.

import { make, setText } from './dom.js';

/** Seconds from which on a picture, and what is seen, is shown as an old one. */
const OLD = 3;
const BY = { marker: 'a marker', detector: 'a detector', model: 'a model says so' };

/** Two decimals, and no zero with a sign. */
const metres = (value) => (Math.round(value * 100) / 100 || 0).toFixed(2);

export class CameraView {
  constructor() {
    this.pictures = make('div', { class: 'cameras' });
    this.trouble = make('p', { class: 'trouble small' });
    this.rows = make('tbody');
    this.gone = make('p', { class: 'muted small' });
    const heads = ['', 'where', 'state', 'seen by', 'age'].map((word) => make('th', { scope: 'col' }, word));
    this.table = make('table', { class: 'seen' }, make('thead', {}, make('tr', {}, ...heads)), this.rows);
    this.element = make('section', { 'aria-label': 'Cameras' }, make('h3', {}, 'Cameras'), this.trouble, this.pictures, this.table, this.gone);
    /** Camera -> its figure and the number of its picture. */
    this.shown = new Map();
  }

  /** What the server has told now. */
  show({ cameras, things, frame, age, gone }) {
    for (const { name, number, age: old } of cameras) {
      let one = this.shown.get(name);
      if (!one) {
        const image = make('img', { alt: `What the camera ${name} shows`, class: 'camera' });
        const words = make('figcaption', { class: 'muted small' });
        one = { image, words, number: 0 };
        this.shown.set(name, one);
        one.link = make('a', { target: '_blank', title: 'Open the picture by itself' }, image);
        this.pictures.append(make('figure', {}, one.link, words));
      }
      // The picture before stays until the new one is there.
      if (one.number !== number) {
        const address = `api/camera?name=${encodeURIComponent(name)}&number=${number}`;
        one.image.setAttribute('src', address);
        one.link.setAttribute('href', address);
      }
      one.number = number;
      one.image.classList.toggle('old', old > OLD);
      setText(one.words, old > OLD ? `${name}, ${Math.round(old)} s ago` : name);
    }
    const silent = age !== null && age > OLD;
    setText(this.trouble, silent ? `Nothing has been told of what is seen for ${Math.round(age)} s: none of it is known any more.` : '');
    this.trouble.hidden = !silent;
    this.table.classList.toggle('old', silent);
    this.rows.replaceChildren(...things.map((one) => make('tr', { class: one.by === 'model' ? 'by-model' : null },
      make('th', { scope: 'row' }, one.name),
      make('td', {}, one.at ? `${one.at.map(metres).join(', ')} m` : one.place),
      make('td', {}, one.state),
      make('td', {}, BY[one.by], one.camera ? ` (${one.camera})` : ''),
      make('td', {}, one.age === null ? '' : `${one.age.toFixed(one.age < 10 ? 1 : 0)} s`))));
    this.table.hidden = !things.length;
    const where = frame && things.some(({ at }) => at) ? `Positions are in ${frame}. ` : '';
    const left = gone.length ? `No longer where it was seen: ${gone.join(', ')}.` : '';
    setText(this.gone, `${where}${left}`);
    this.gone.hidden = !this.gone.textContent;
  }
}
