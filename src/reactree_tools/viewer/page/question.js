// What a run asks people: its words, its options as buttons, and a field for other words.

import { byId, clock, make, setText } from './dom.js';

/** Milliseconds in which a question that has just come cannot be answered: the click was for what was there. */
const GRACE = 400;

export class QuestionView {
  /** @param tell called with run, number and answer; a promise of whether it was taken */
  constructor(tell) {
    this.tell = tell;
    this.panel = byId('question');
    this.words = byId('question-words');
    this.shown = null;
    this.key = '';
    this.held = false;
    byId('question-answer').addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.words.value.trim()) this.#answer(this.words.value);
    });
  }

  get waits() {
    return this.shown !== null;
  }

  /** @param asked what is open, or null. @param may whether an answer can be given from here. @param task what stands above already */
  show(asked, may, task) {
    const key = asked ? `${asked.run} ${asked.number}` : '';
    this.shown = asked;
    this.panel.hidden = !asked;
    if (key !== this.key) {
      this.key = key;
      this.words.value = '';
      this.held = true;
      setTimeout(() => {
        this.held = false;
        this.#enable();
      }, GRACE);
      if (asked) this.#fill(asked, task);
    }
    if (!asked) return;
    this.may = may;
    byId('question-answer').hidden = !may;
    byId('question-hint').hidden = may;
    const then = asked.default ? `, then "${asked.default}" is taken` : '';
    setText(byId('question-left'), `${clock(asked.left)} left${then}`);
    byId('question-left').classList.toggle('soon', asked.left <= 10);
    this.#enable();
  }

  focus() {
    if (this.waits && this.may) (this.buttons[0] ?? this.words).focus();
  }

  get buttons() {
    return [...byId('question-options').children];
  }

  #enable() {
    for (const button of [...this.buttons, byId('question-send')]) button.disabled = this.held || !this.may;
  }

  #fill(asked, task) {
    setText(byId('question-text'), asked.text);
    setText(byId('question-about'), asked.task && asked.task !== task ? `for: ${asked.task}` : '');
    byId('question-options').replaceChildren(...asked.options.map((option) => {
      const button = make('button', { type: 'button' }, option);
      if (option === asked.default) button.title = 'Taken where nobody answers';
      button.addEventListener('click', () => this.#answer(option));
      return button;
    }));
  }

  /** The answer names what was shown when it was given, whatever is open by now. */
  async #answer(answer) {
    if (!this.shown || this.held) return;
    const { run, number } = this.shown;
    this.held = true;
    this.#enable();
    // What was taken goes from the page; until then nobody answers it again.
    if (!(await this.tell({ run, number, answer }))) {
      this.held = false;
      this.#enable();
    }
  }
}
