// Where a page is, as the fragment of its address: which run, which node, which event.

/** The fragment of a place; '' for whichever run is the newest, as it goes on. */
export function linkTo({ run = '', node = 0, event = 0 }) {
  const about = new URLSearchParams();
  if (run) about.set('run', run);
  if (node) about.set('node', node);
  if (event) about.set('event', event);
  return about.size ? `#${about}` : '';
}

/** What a fragment says; `time` (seconds since the run's start) may stand for an event. */
export function readLink(hash) {
  const about = new URLSearchParams(hash.slice(1));
  const whole = (name) => (/^\d{1,9}$/.test(about.get(name) ?? '') ? Number(about.get(name)) : 0);
  const time = Number.parseFloat(about.get('time') ?? '');
  return { run: about.get('run') ?? '', node: whole('node'), event: whole('event'), time: Number.isFinite(time) ? time : null };
}
