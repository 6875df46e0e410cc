// Dead letters or undecided entries of one queue: looked for, chosen, and ordered about one by one. They are asked for only when
// somebody opens the queue, and come without payloads.
import { element } from './table.js';

const KINDS = {
  'dead-letters': {
    title: 'Dead letters',
    words: (entry) => [`${entry.attempts} attempts`, entry.reason, new Date(entry.at * 1000).toLocaleString('en-CA')],
    orders: [
      ['replay', 'Replay', 'will be handed to the handler once more.'],
      ['delete', 'Discard', 'will be deleted on all nodes. This cannot be undone.'],
    ],
  },
  undecided: {
    title: 'Undecided entries',
    words: (entry) => [
      `prepared ${new Date(entry.preparedAt * 1000).toLocaleString('en-CA')}`,
      entry.adopted ? 'adopted' : 'own',
      ...(entry.producerKey ? [`key ${entry.producerKey}`] : []),
    ],
    orders: [
      ['commit', 'Commit', 'will be handed to the handler.'],
      ['withdraw', 'Withdraw', 'will be deleted on all nodes, as if their transaction had never been. This cannot be undone.'],
    ],
  },
};

export class Entries {
  /** order asks about an order and gives it; null if nothing may be ordered. */
  constructor(parent, part, queue, order) {
    this.part = part;
    this.queue = queue;
    this.kind = KINDS[part];
    this.after = null;
    this.lines = [];
    const label = element('label', { text: 'Only with ' });
    this.filter = label.appendChild(element('input'));
    this.filter.type = 'search';
    this.filter.addEventListener('input', () => this.show());
    this.list = element('ul', { type: 'entries' });
    this.note = element('p', { role: 'status' });
    this.next = element('button', { text: 'Show more' });
    this.next.addEventListener('click', () => this.more());
    parent.append(element('h3', { text: this.kind.title }), label, this.list, this.note, this.next);
    if (order) {
      const actions = parent.appendChild(element('div', { type: 'actions' }));
      for (const [action, word, meaning] of this.kind.orders) {
        const button = actions.appendChild(element('button', { text: `${word} those chosen…` }));
        button.addEventListener('click', () => this.ask(order, action, word, meaning));
      }
    }
  }

  async more() {
    this.next.hidden = true;
    const query = new URLSearchParams({ queue: this.queue, ...(this.after ? { after: this.after } : {}) });
    try {
      const answer = await fetch(`${this.part}?${query}`);
      if (!answer.ok) {
        this.note.textContent = `Not shown (${answer.status}): ${(await answer.text()).slice(0, 300)}`;
        this.next.hidden = false;
        return;
      }
      const page = await answer.json();
      const entries = page.letters ?? page;
      entries.forEach((entry) => this.add(entry));
      this.after = entries.at(-1)?.id ?? this.after;
      this.next.hidden = entries.length === 0 || page.more === false;
      this.show();
    } catch {
      this.note.textContent = 'The node does not answer.';
      this.next.hidden = false;
    }
  }

  add(entry) {
    const line = this.list.appendChild(element('li'));
    const label = line.appendChild(element('label'));
    const box = label.appendChild(element('input'));
    box.type = 'checkbox';
    const text = [entry.id, ...this.kind.words(entry)].join(' · ');
    label.append(element('span', { text }));
    this.lines.push({ line, box, id: entry.id, text: text.toLowerCase() });
  }

  /** What is not shown is not chosen. */
  show() {
    const words = this.filter.value.toLowerCase();
    for (const each of this.lines) {
      each.line.hidden = !each.text.includes(words);
      each.box.checked &&= !each.line.hidden;
    }
    const shown = this.lines.filter((each) => !each.line.hidden).length;
    this.note.textContent = `${shown} of the ${this.lines.length} that were looked at`;
  }

  ask(order, action, word, meaning) {
    const ids = this.lines.filter((each) => each.box.checked).map((each) => each.id);
    if (ids.length === 0) {
      this.note.textContent = 'None is chosen.';
      return;
    }
    const label = `${word} ${ids.length === 1 ? '1 entry' : `${ids.length} entries`}`;
    order({ body: { part: this.part, name: this.queue, action, ids }, label, question: `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ' and others' : ''} ${meaning}` });
  }
}
