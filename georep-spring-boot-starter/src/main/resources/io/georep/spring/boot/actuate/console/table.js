// Tables and lists whose rows have keys. A row is made once; later only cells whose text has changed are touched, and only while
// the row is in sight, so that what an update costs does not depend on how many rows there are.
// Everything is put in as text, so that names and reasons stay data whatever is in them.

/** Makes an element with a class, a text and attributes. */
export function element(tag, { type, text, ...attributes } = {}) {
  const made = document.createElement(tag);
  if (type) {
    made.className = type;
  }
  if (text !== undefined) {
    made.textContent = text;
  }
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, value);
  }
  return made;
}

function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

export class Table {
  /**
   * columns: [{ title, value(item, now) -> text, mark(item) -> class, number, live }]; the first one names the row.
   * order(item) returns what rows are sorted by; onOpen(name, item) is called when the name of a row is chosen.
   */
  constructor(section, label, columns, order, { descending = false, onOpen = null } = {}) {
    this.columns = columns;
    this.order = order;
    this.onOpen = onOpen;
    this.sign = descending ? -1 : 1;
    this.rows = new Map();
    this.sorted = [];
    this.filter = '';
    const table = element('table', { 'aria-label': label });
    const head = element('tr');
    for (const column of columns) {
      head.append(element('th', { scope: 'col', text: column.title, type: column.number ? 'number' : '' }));
    }
    const thead = element('thead');
    thead.append(head);
    this.body = element('tbody');
    table.append(thead, this.body);
    this.empty = element('p', { text: 'None.' });
    this.scroll = element('div', { type: 'scroll', tabindex: '0', role: 'region', 'aria-label': `${label}, table` });
    this.scroll.append(table);
    section.append(this.empty, this.scroll);
    this.sight = new IntersectionObserver((seen) => this.look(seen), { root: this.scroll, rootMargin: '300px' });
    addEventListener('beforeprint', () => this.rows.forEach((row) => this.paint(row)));
    this.now = 0;
    this.shown();
  }

  set(key, item, now) {
    let row = this.rows.get(key);
    const order = this.order(item);
    const isNew = !row;
    if (isNew) {
      row = this.create();
      this.rows.set(key, row);
      row.order = order;
      this.place(row);
    } else if (row.order !== order) {
      this.lift(row);
      row.order = order;
      this.place(row);
    }
    row.item = item;
    this.now = now;
    if (isNew || row.inSight) {
      this.paint(row);
    }
  }

  look(seen) {
    for (const { target, isIntersecting } of seen) {
      const row = target.georepRow;
      row.inSight = isIntersecting;
      if (isIntersecting) {
        this.paint(row);
      }
    }
  }

  paint(row) {
    this.columns.forEach((column, i) => this.cell(row, column, i, this.now));
  }

  create() {
    const line = element('tr');
    const cells = this.columns.map((column, i) => {
      const type = [column.number ? 'number' : '', column.long ? 'long' : ''].join(' ').trim();
      return i === 0 ? element('th', { scope: 'row', type }) : element('td', { type });
    });
    const row = { line, item: null, order: null, inSight: false };
    line.georepRow = row;
    this.sight.observe(line);
    row.words = this.columns.map((column, i) => {
      if (i === 0 && this.onOpen) {
        const name = cells[0].appendChild(element('button'));
        name.addEventListener('click', () => this.onOpen(name.textContent, row.item));
        return name;
      }
      return column.mark ? cells[i].appendChild(element('span')) : cells[i];
    });
    line.append(...cells);
    return row;
  }

  cell(row, column, i, now) {
    const word = row.words[i];
    setText(word, String(column.value(row.item, now) ?? ''));
    if (column.mark) {
      const mark = column.mark(row.item, now) ?? '';
      if (word.className !== mark) {
        word.className = mark;
      }
    }
    if (i === 0) {
      row.line.hidden = !word.textContent.toLowerCase().includes(this.filter);
    }
  }

  /** Puts a row where it belongs; the rest is in order already. */
  place(row) {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sign * compare(this.sorted[middle].order, row.order) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    this.body.insertBefore(row.line, this.sorted[low]?.line ?? null);
    this.sorted.splice(low, 0, row);
  }

  lift(row) {
    const index = row.line.isConnected ? this.sorted.indexOf(row) : -1;
    if (index >= 0) {
      this.sorted.splice(index, 1);
    }
  }

  remove(key) {
    const row = this.rows.get(key);
    if (row) {
      this.lift(row);
      this.sight.unobserve(row.line);
      row.line.remove();
      this.rows.delete(key);
    }
  }

  /** Brings ages up to date. */
  tick(now) {
    this.now = now;
    this.columns.forEach((column, i) => {
      if (column.live) {
        this.rows.forEach((row) => row.inSight && this.cell(row, column, i, now));
      }
    });
  }

  show(filter) {
    this.filter = filter.toLowerCase();
    this.rows.forEach((row) => this.cell(row, this.columns[0], 0, this.now));
  }

  shown() {
    this.empty.hidden = this.rows.size > 0;
    this.scroll.hidden = this.rows.size === 0;
  }
}

function compare(a, b) {
  return typeof a === 'number' ? a - b : a < b ? -1 : a > b ? 1 : 0;
}

/** A list of terms with their values; terms that stay are patched. */
export class Facts {
  constructor(list, tiles = false) {
    this.list = list;
    this.tiles = tiles;
    this.terms = new Map();
  }

  set(facts) {
    for (const [name, value] of Object.entries(facts)) {
      let value_ = this.terms.get(name);
      if (!value_) {
        const to = this.tiles ? this.list.appendChild(element('div')) : this.list;
        value_ = element('dd');
        to.append(element('dt', { text: name }), value_);
        this.terms.set(name, value_);
      }
      setText(value_, value);
    }
  }
}

/** Cards with a heading and facts, by key. */
export class Cards {
  constructor(parent) {
    this.parent = parent;
    this.cards = new Map();
  }

  set(key, title, facts) {
    let card = this.cards.get(key);
    if (!card) {
      const box = element('div', { type: 'card' });
      const list = element('dl');
      box.append(element('h3', { text: title }), list);
      this.parent.append(box);
      card = { box, facts: new Facts(list) };
      this.cards.set(key, card);
    }
    card.facts.set(facts);
  }

  remove(key) {
    this.cards.get(key)?.box.remove();
    this.cards.delete(key);
  }
}
