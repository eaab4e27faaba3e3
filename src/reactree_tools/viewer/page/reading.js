// What a task would be read as: asked while it is written, before anything moves.

import { ask, byId, make, setText } from './dom.js';

/** Milliseconds without a key before the server is asked. */
const PAUSE = 250;

export class ReadingView {
  constructor() {
    this.field = byId('reading-text');
    this.place = byId('reading-told');
    this.waiting = 0;
    this.asked = 0;
    this.field.addEventListener('input', () => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.#read(), PAUSE);
    });
  }

  /** @param connected whether a skill server may be there to ask for its names */
  show(connected) {
    byId('reading').hidden = !connected;
  }

  async #read() {
    const text = this.field.value.trim();
    const number = ++this.asked;
    if (!text) {
      this.place.replaceChildren();
      return;
    }
    let told;
    try {
      told = await ask(`api/read?text=${encodeURIComponent(text)}`);
    } catch (error) {
      if (number === this.asked) this.place.replaceChildren(make('p', { class: 'trouble' }, error.message));
      return;
    }
    // An answer that was overtaken says nothing of what stands there now.
    if (number === this.asked) this.place.replaceChildren(...goalOf(told), ...this.#offers(told.offers));
  }

  /** Sentences that would be read: a click on one writes it into the field. */
  #offers(offers) {
    return offers.length ? [make('p', {}, 'Did you mean: ', ...offers.flatMap((offer) => {
      const button = make('button', { type: 'button', class: 'offer' }, offer);
      button.addEventListener('click', () => {
        this.field.value = offer;
        this.#read();
      });
      return [button, ' '];
    }))] : [];
  }
}

/** What of a goal is shown: its words, those unread marked, and what they ask for. */
function goalOf(goal) {
  const line = (label, text, kind = '') => make('p', {}, make('span', { class: 'label' }, label), ' ', make('span', { class: kind }, text));
  let before = [];
  const milestones = goal.milestones.map((milestone, number) => {
    const fresh = milestone.filter((one) => !before.includes(one));
    before = milestone;
    return line(number ? 'then' : 'goal', (fresh.length ? fresh : milestone).join('; '), 'means');
  });
  const verdict = make('p', { id: 'reading-whole', class: goal.whole ? 'whole' : 'not-whole' });
  const answer = goal.answer || `Not read whole, because ${goal.because || 'it has no words'}.`;
  setText(verdict, goal.answer ? goal.answer : goal.whole ? 'Every word was read.' : answer);
  return [
    make('p', { class: 'reading-words' }, ...goal.words.flatMap(({ text, account }) => [
      account || !/[\p{L}\p{N}]/u.test(text) ? make('span', { title: account }, text) : make('mark', { title: 'not read' }, text), ' '])),
    ...milestones,
    ...goal.milestones.length || goal.never.length || goal.rules.length ? [] : [line('goal', 'nothing that the robot could do', 'not-whole')],
    ...goal.sources.length ? [line('taken from', goal.sources.map(({ thing, place }) => `${thing} from ${place}`).join(', '))] : [],
    ...goal.never.length ? [line('must not', goal.never.join(', '), 'must-not')] : [],
    ...goal.rules.length ? [line('rules', goal.rules.join('; '), 'must-not')] : [],
    ...goal.ties.length ? [line('names', goal.ties.map(({ words, name }) => (name ? `"${words}" is ${name}` : `"${words}" is unknown`)).join(' · '), 'muted')] : [],
    verdict,
  ];
}
