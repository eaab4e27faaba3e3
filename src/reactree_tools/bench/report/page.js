'use strict';
// Labels that a person chooses stay in this browser, by the study, until they are downloaded.
const study = document.body.dataset.study;
const place = `reactree labels ${study}`;
let kept = {};
try { kept = JSON.parse(localStorage.getItem(place) || '{}') || {}; } catch { kept = {}; }
const selects = [...document.querySelectorAll('select[data-key]')];
const counted = document.getElementById('counted');

function labels() {
  const found = {};
  for (const one of selects) if (one.value) found[one.dataset.key] = one.value;
  return found;
}

function count() {
  if (counted) counted.textContent = `${Object.keys(labels()).length} of ${selects.length} labelled`;
}

for (const one of selects) {
  const before = Object.hasOwn(kept, one.dataset.key) ? kept[one.dataset.key] : null;
  if (before !== null && [...one.options].some((option) => option.value === before)) {
    one.value = before;
  }
  one.addEventListener('change', () => {
    kept[one.dataset.key] = one.value;
    try { localStorage.setItem(place, JSON.stringify(kept)); } catch { /* a private window */ }
    count();
  });
}
count();

document.getElementById('download')?.addEventListener('click', () => {
  const text = JSON.stringify({ study, labels: labels() }, null, 1);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = 'labels.json';
  link.click();
  URL.revokeObjectURL(link.href);
});

document.getElementById('find')?.addEventListener('input', (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of document.querySelectorAll('#episodes tbody tr')) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
});
