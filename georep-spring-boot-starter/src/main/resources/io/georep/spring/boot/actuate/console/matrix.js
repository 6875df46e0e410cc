// Who sees whom: one row for each node that tells, one column for each node that is seen. A cut that is felt on one side only is a
// mark in one half. What deserves attention is also told in words, which is all that there is of a large cluster.
import { element } from './table.js';
import { PEER_STATES } from './views.js';

const NODES_MAX = 40;
const LINES_MAX = 200;
const NO_LINK = ['bad', 'no link'];

function look(sight) {
  const [mark, word] = PEER_STATES[sight.state] ?? ['watch', sight.state ?? 'unknown'];
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
    this.scroll = section.appendChild(element('div', { type: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Who sees whom' }));
  }

  set(by, sights) {
    this.sights.set(by, sights);
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
    const seen = [...new Set([...this.sights.values()].flatMap((sights) => Object.keys(sights)))].sort();
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

  tell(viewers) {
    const lines = [];
    for (const by of viewers.filter((each) => !this.silent.has(each))) {
      for (const [of, sight] of Object.entries(this.sights.get(by))) {
        const [mark, word] = look(sight);
        if (mark === 'bad' || mark === 'watch') {
          lines.push([mark, `${by} sees ${of}: ${word}`]);
        }
      }
    }
    this.words.textContent =
      viewers.length === 0
        ? 'No node tells how it sees the others.'
        : lines.length === 0
          ? 'All nodes that tell see each other.'
          : lines.length > LINES_MAX
            ? `${lines.length} views are not as they should be; the first ${LINES_MAX} of them:`
            : `${lines.length} ${lines.length === 1 ? 'view is' : 'views are'} not as they should be:`;
    this.list.replaceChildren(
      ...lines.slice(0, LINES_MAX).map(([mark, text]) => {
        const line = element('li');
        line.append(element('span', { type: mark, text }));
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
    const sight = this.sights.get(by)[of];
    const [mark, word] = by === of ? ['', '–'] : !sight ? ['', ''] : this.silent.has(by) ? ['off', `was ${look(sight)[1]}`] : look(sight);
    if (cell.className !== mark || cell.title !== word) {
      cell.className = mark;
      cell.title = word;
      cell.textContent = word;
    }
  }
}
