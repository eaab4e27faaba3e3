// The skill that waits for a person: what, where and why, and the answer.

import { byId, clock, make, setText } from './dom.js';
import { linkTo } from './links.js';

/** Milliseconds in which a request that has just come cannot be answered: the click was for what was there. */
const GRACE = 400;

export class ApprovalView {
  /** @param tell called with 'approve' or 'refuse' and which request; a promise of whether it was taken */
  constructor(tell) {
    this.tell = tell;
    this.panel = byId('approval');
    this.reason = byId('approval-reason');
    this.buttons = [byId('approve'), byId('refuse')];
    this.shown = null;
    this.key = '';
    this.held = false;
    byId('approve').addEventListener('click', () => this.#answer('approve'));
    byId('refuse').addEventListener('click', () => this.#answer('refuse'));
  }

  get waits() {
    return this.shown !== null;
  }

  /** @param request what waits, or null. @param may whether an answer can be given from here. @param task what stands above already */
  show(request, may, task) {
    const key = request ? `${request.run} ${request.sequence} ${request.skill}` : '';
    this.shown = request;
    this.panel.hidden = !request;
    if (key !== this.key) {
      this.key = key;
      this.reason.value = '';
      this.held = true;
      setTimeout(() => {
        this.held = false;
        this.#enable();
      }, GRACE);
      if (request) this.#fill(request, task);
    }
    if (!request) return;
    this.may = may;
    byId('approval-answer').hidden = !may;
    byId('approval-hint').hidden = may;
    const { left } = request;
    setText(byId('approval-left'), left === null ? '' : `${clock(left)} left, then it counts as refused`);
    byId('approval-left').classList.toggle('soon', left !== null && left <= 10);
    this.#enable();
  }

  focus() {
    if (this.waits && this.may) this.buttons[0].focus();
  }

  #enable() {
    for (const button of this.buttons) button.disabled = this.held || !this.may;
  }

  #fill(request, task) {
    // What would reorder or hide part of the line is shown as a sign.
    setText(byId('approval-skill'), request.skill.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd'));
    const where = [request.place, request.room].filter((one, index, all) => one && all.indexOf(one) === index).join(', ');
    const goal = request.node_id
      ? make('a', { href: linkTo({ run: request.run, node: request.node_id }) }, `${request.node_id} ${request.goal}`) : request.goal;
    const rows = [['where', where || 'not told'], ['why', request.reason || 'not told'], ['for', goal], ['task', request.task === task ? '' : request.task]];
    byId('approval-about').replaceChildren(...rows.filter(([, value]) => value).map(([name, value]) =>
      make('div', {}, make('dt', {}, name), make('dd', {}, value))));
  }

  /** The answer names what was shown when it was given, whatever waits by now. */
  async #answer(what) {
    if (!this.shown || this.held) return;
    const { run, sequence, skill } = this.shown;
    this.held = true;
    this.#enable();
    const reason = what === 'refuse' ? this.reason.value : '';
    // What was taken goes from the page; until then nobody answers it again.
    if (!(await this.tell(what, { run, sequence, skill, reason }))) {
      this.held = false;
      this.#enable();
    }
  }
}
