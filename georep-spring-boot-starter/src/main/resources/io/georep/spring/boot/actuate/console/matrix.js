// Who sees whom: one row for each node that tells, one column for each node that is seen. A cut that is felt on one side only is a
// mark in one half. What deserves attention is also told in words, which is all that there is of a large cluster.
import { element } from './table.js';
import { stateOf } from './views.js';

const NODES_MAX = 40;
const LINES_MAX = 200;
const NAMED_MAX = 5;
const NO_LINK = ['bad', 'no link'];

function look(sight) {
  const [mark, word] = stateOf(sight.state);
  return mark === 'good' && !sight.linked ? NO_LINK : [mark, word];
}

export class Matrix {
  constructor(section) {
    this.sights = new Map();
    this.cells = new Map();
    this.heads = new Map();
    this.names = '';
    this.words = section.appendChild(element('p'));
    this.list = section.appendChild(element('ul'));
    this.scroll = section.appendChild(element('div', { type: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Who sees whom, table' }));
  }

  set(by, sights) {
    this.sights.set(by, new Map(Object.entries(sights)));
    this.changed = true;
  }

  remove(by) {
    this.sights.delete(by);
    this.changed = true;
  }

  /** Draws what has changed since the last time. What silent nodes told last counts for nothing now. */
  draw(silent) {
    const now = JSON.stringify(silent);
    if (!this.changed && now === this.silentThen) {
      return;
    }
    this.changed = false;
    this.silentThen = now;
    this.silent = new Set(silent);
    const seen = [...new Set([...this.sights.values()].flatMap((sights) => [...sights.keys()]))].sort();
    const viewers = [...this.sights.keys()].sort();
    this.tell(viewers);
    const drawn = viewers.length <= NODES_MAX && seen.length <= NODES_MAX;
    this.scroll.hidden = !drawn || viewers.length === 0;
    if (!drawn) {
      return;
    }
    const names = JSON.stringify([viewers, seen]);
    if (names !== this.names) {
      this.names = names;
      this.build(viewers, seen);
    }
    for (const by of viewers) {
      this.heads.get(by).textContent = this.silent.has(by) ? `${by} (silent)` : by;
      for (const of of seen) {
        this.cell(by, of);
      }
    }
  }

  /** One line for all who see a node alike, what only few see first: that a node is gone is seen by all, a cut link by two. */
  tell(viewers) {
    const alike = new Map();
    for (const by of viewers.filter((each) => !this.silent.has(each))) {
      for (const [of, sight] of this.sights.get(by)) {
        const [mark, word] = look(sight);
        if (mark === 'bad' || mark === 'watch') {
          const key = JSON.stringify([of, word]);
          const line = alike.get(key) ?? { of, mark, word, by: [] };
          line.by.push(by);
          alike.set(key, line);
        }
      }
    }
    const lines = [...alike.values()].sort((a, b) => a.by.length - b.by.length || (a.mark === b.mark ? 0 : a.mark === 'bad' ? -1 : 1));
    this.words.textContent =
      viewers.length === 0
        ? 'No node tells how it sees the others.'
        : lines.length === 0
          ? 'All nodes that tell see each other.'
          : `Not as it should be${lines.length > LINES_MAX ? `, the first ${LINES_MAX} of ${lines.length}` : ''}:`;
    this.list.replaceChildren(
      ...lines.slice(0, LINES_MAX).map(({ of, mark, word, by }) => {
        const who = by.length > NAMED_MAX ? `${by.length} nodes see` : `${by.join(', ')} ${by.length === 1 ? 'sees' : 'see'}`;
        const line = element('li');
        line.append(element('span', { type: mark, text: `${who} ${of}: ${word}` }));
        return line;
      }),
    );
  }

  build(viewers, seen) {
    this.cells.clear();
    this.heads.clear();
    const table = element('table', { type: 'matrix', 'aria-label': 'Rows see columns' });
    const head = element('tr');
    head.append(element('th', { scope: 'col', text: 'sees' }));
    head.append(...seen.map((of) => element('th', { scope: 'col', text: of })));
    const thead = element('thead');
    thead.append(head);
    const body = element('tbody');
    for (const by of viewers) {
      const line = element('tr');
      this.heads.set(by, line.appendChild(element('th', { scope: 'row' })));
      for (const of of seen) {
        const cell = line.appendChild(element('td')).appendChild(element('span'));
        this.cells.set(JSON.stringify([by, of]), cell);
      }
      body.append(line);
    }
    table.append(thead, body);
    this.scroll.replaceChildren(table);
  }

  cell(by, of) {
    const cell = this.cells.get(JSON.stringify([by, of]));
    const sight = this.sights.get(by).get(of);
    const [mark, word] = by === of ? ['', '–'] : !sight ? ['', ''] : this.silent.has(by) ? ['off', `was ${look(sight)[1]}`] : look(sight);
    if (cell.className !== mark || cell.title !== word) {
      cell.className = mark;
      cell.title = word;
      cell.textContent = word;
    }
  }
}
