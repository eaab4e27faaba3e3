// Emergency stop, pause, step and cancel, and the answer to a skill that waits, for whoever has the token.

import { ask, byId, setText } from './dom.js';

const KEY = 'reactree-token';

/** Take the token out of the address, where it would stay in the history. */
export function takeToken() {
  const about = new URLSearchParams(location.hash.slice(1));
  const given = about.get('token');
  if (given) {
    sessionStorage.setItem(KEY, given);
    about.delete('token');
    const rest = about.size ? `#${about}` : '';
    history.replaceState(null, '', location.pathname + location.search + rest);
  }
  return sessionStorage.getItem(KEY) ?? '';
}

export class Control {
  /** @param ontrouble called with a sentence */
  constructor(store, ontrouble) {
    this.store = store;
    this.ontrouble = ontrouble;
    this.token = takeToken();
    this.paused = false;
    this.stopped = false;
    byId('pause').addEventListener('click', () => this.tell(this.paused ? 'resume' : 'pause'));
    byId('step').addEventListener('click', () => this.tell('step'));
    byId('say').addEventListener('submit', async (event) => {
      event.preventDefault();
      const text = byId('say-words').value.trim();
      if (text && await this.tell('say', { run: this.store.run, text })) byId('say-words').value = '';
    });
    byId('cancel').addEventListener('click', () => this.#ifSure('cancel', 'Cancel run', 'cancel'));
    // Pressed at once; released only by whoever means it.
    byId('stop').addEventListener('click', () => {
      if (this.stopped) this.#ifSure('stop', 'Release stop', 'release');
      else this.tell('stop');
    });
  }

  show(status, live) {
    byId('controls').hidden = !status.control;
    this.paused = status.paused;
    setText(byId('pause'), status.paused ? 'Go on' : 'Pause');
    byId('pause').setAttribute('aria-pressed', String(status.paused));
    const without = !this.token;
    this.stopped = status.stopped;
    if (!byId('stop').dataset.sure) setText(byId('stop'), status.stopped ? 'Release stop' : 'Emergency stop');
    byId('stop').setAttribute('aria-pressed', String(status.stopped));
    byId('stop').disabled = without;
    byId('pause').disabled = without;
    byId('step').disabled = without || !status.paused;
    byId('cancel').disabled = without || !live;
    byId('say').hidden = !status.control || without || !live;
    byId('controls').title = without ? 'Open the address with the token that the viewer has printed' : '';
  }

  /** Tell what a button says once it is pressed a second time. */
  #ifSure(id, label, what) {
    const button = byId(id);
    if (button.dataset.sure) {
      delete button.dataset.sure;
      setText(button, label);
      this.tell(what);
      return;
    }
    button.dataset.sure = 'yes';
    setText(button, 'Really?');
    setTimeout(() => {
      delete button.dataset.sure;
      setText(button, label);
    }, 3000);
  }

  /** Say something to the planner; what it refuses stands below the heading. */
  async tell(what, content = { run: this.store.run }) {
    try {
      await ask(`api/control/${what}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Reactree-Token': this.token },
        body: JSON.stringify(content),
      });
      this.ontrouble('');
      return true;
    } catch (error) {
      this.ontrouble(error.message);
      return false;
    }
  }
}
