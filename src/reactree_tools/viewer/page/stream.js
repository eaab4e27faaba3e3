// The stream from the server, held only while somebody looks.

import { told } from './dom.js';

export class Stream {
  /** @param handlers onrun, onframes, onstatus, ontrouble, onlink */
  constructor(handlers) {
    this.handlers = handlers;
    this.wanted = 'newest';
    /** The run that is shown, and how many of its frames have come. */
    this.run = '';
    this.position = 0;
    this.source = null;
    document.addEventListener('visibilitychange', () => {
      // A hidden page would only use up one of the few connections that a browser allows.
      if (document.hidden) this.close();
      else if (!this.source) this.open();
    });
  }

  /** Look at a run, or at 'newest'. */
  look(run) {
    this.wanted = run;
    this.open();
  }

  open() {
    this.close();
    const query = new URLSearchParams({ run: this.wanted, has: `${this.run}:${this.position}` });
    const source = new EventSource(`api/stream?${query}`);
    this.source = source;
    const on = (name, handle) =>
      source.addEventListener(name, (event) => handle(told(event.data)));
    source.addEventListener('open', () => this.handlers.onlink(true));
    source.addEventListener('error', () => {
      this.handlers.onlink(false);
      // Refused, because too many watch: then a browser does not ask again by itself.
      if (source.readyState === EventSource.CLOSED) {
        setTimeout(() => this.source === source && this.open(), 3000);
      }
    });
    on('status', this.handlers.onstatus);
    on('trouble', (about) => this.handlers.ontrouble(about.message));
    on('run', (about) => {
      const same = about.run === this.run && about.position === this.position;
      this.run = about.run;
      this.position = about.position;
      this.handlers.onrun(about, same);
    });
    on('frames', (about) => {
      this.position = about.end;
      this.handlers.onframes(about);
    });
  }

  close() {
    this.source?.close();
    this.source = null;
  }
}
