// Several robots side by side: each robot's own page in a column, and what they have seen.

import { ask, byId, make, setText } from './dom.js';
import { nextTheme, showTheme } from './theme.js';

const PERIOD = 1000;
let shown = '';

/** A column for each robot; the token for control goes on to the pages, and out of the address. */
function showRobots(robots) {
  const names = robots.join(', ');
  if (names === shown) return;
  shown = names;
  setText(byId('names'), names);
  byId('robots').replaceChildren(
    ...robots.map((robot) => {
      const address = `robots/${encodeURIComponent(robot)}/`;
      return make(
        'section',
        { class: 'robot', 'aria-label': robot },
        make('h2', {}, make('a', { href: address, title: 'This robot alone' }, robot)),
        make('iframe', { src: address + location.hash, title: `Runs of ${robot}` }),
      );
    }),
  );
  history.replaceState(null, '', location.pathname);
}

function showSightings(sightings) {
  byId('nothing').hidden = sightings.length > 0;
  byId('sightings').hidden = sightings.length === 0;
  const rows = sightings.map((one) =>
    make('tr', {}, ...[one.thing, one.place, one.state, one.robot].map((text) => make('td', {}, text))),
  );
  byId('sightings').querySelector('tbody').replaceChildren(...rows);
}

async function look() {
  try {
    if (!document.hidden) {
      const told = await ask('api/fleet');
      showRobots(told.robots);
      showSightings(told.sightings);
    }
    byId('trouble').hidden = true;
  } catch (error) {
    setText(byId('trouble'), error.message);
    byId('trouble').hidden = false;
  }
  setTimeout(look, PERIOD);
}

showTheme();
byId('theme').addEventListener('click', () => {
  nextTheme();
  for (const frame of document.querySelectorAll('iframe')) frame.contentWindow.location.reload();
});
look();
