// Dead letters or undecided entries of one queue: looked for, chosen, and ordered about one by one. They are asked for only when
// somebody opens the queue, and come without payloads; a payload is asked for one by one.
import { element } from './table.js';
import { payload } from './payload.js';

/** Sends an order, with the header that no page of another site can send. */
export function post(path, body) {
  return fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-GeoRep-Console': 'order' },
    body: JSON.stringify(body),
  });
}

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
  /** order asks about an order and gives it; null if nothing may be ordered, and no payload be seen. */
  constructor(parent, part, queue, order) {
    this.part = part;
    this.queue = queue;
    this.kind = KINDS[part];
    this.shows = order !== null;
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
    if (this.shows) {
      const button = line.appendChild(element('button', { text: 'Payload', 'aria-label': `Payload of ${entry.id}` }));
      button.addEventListener('click', () => this.showPayload(entry.id, button));
    }
    this.lines.push({ line, box, id: entry.id, text: text.toLowerCase() });
  }

  async showPayload(id, button) {
    button.disabled = true;
    const place = element('div', { type: 'payload' });
    try {
      const answer = await post('payload', { name: this.queue, ids: [id] });
      if (answer.ok) {
        place.append(...payload(await answer.json()));
      } else {
        place.textContent = `Not shown (${answer.status}): ${(await answer.text()).slice(0, 300)}`;
      }
    } catch {
      place.textContent = 'The node does not answer.';
    }
    button.replaceWith(place);
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
