// The dialog about one node, queue or connector: all that is known about it, and what can be ordered. Each order is asked about
// once more, with how many entries it concerns.
import { Facts, element } from './table.js';
import { flat } from './views.js';
import { Entries, post } from './entries.js';

const count = (entries) => (entries === 1 ? '1 entry' : `${entries.toLocaleString('en')} entries`);
const letters = (entries) => (entries === 1 ? '1 dead letter' : `${entries.toLocaleString('en')} dead letters`);

function queueOrders({ name, queue }) {
  const orders = [];
  if (queue.statistics) {
    orders.push(
      queue.listener?.paused
        ? order('outboxes', name, 'resume', 'Resume', `${count(queue.backlog)} of this queue will be handed to the handler of this node again.`)
        : order('outboxes', name, 'pause', 'Pause', `${count(queue.backlog)} of this queue, and all that follow, will wait on this node until you resume it.`),
    );
  }
  if (queue.statistics && queue.deadLetters > 0) {
    orders.push(
      order('dead-letters', name, 'replay', `Replay ${letters(queue.deadLetters)}`, `${letters(queue.deadLetters)} will be handed to the handler once more.`),
      order('dead-letters', name, 'delete', `Discard ${letters(queue.deadLetters)}`, `${letters(queue.deadLetters)} will be deleted on all nodes. This cannot be undone.`, queue.deadLetters),
    );
  }
  return orders;
}

/** What a node has, as it told last: only it knows. */
function holdings(told) {
  return told?.totals
    ? `As it told last: ${count(told.totals.backlog)} waiting there, ${count(told.totals.copies)} kept for others.`
    : 'How much it holds it has not told this node: look at its own console.';
}

function peerOrders(peer, known) {
  const has = holdings(known(`member/${peer.id}`)?.told);
  const drain = peer.drained
    ? order('peers', peer.id, 'undrain', 'End the drain', 'The node will accept entries and get copies again.')
    : order('peers', peer.id, 'drain', 'Drain', `The node will accept nothing new, get no copies, and hand all its entries to other nodes. ${has}`);
  const now = peer.linked ? 'It is in touch now: if it is to leave in peace, drain it and stop it first.' : 'It is not in touch now.';
  const remove = `The others will take over at once what it holds, make its copies again, and refuse it until it is started anew. What only it has waits there. ${now} ${has} Here are copies of ${count(peer.copies)} that it is to forward.`;
  return [drain, order('peers', peer.id, 'remove', 'Remove for good', remove)];
}

function nodeOrders({ self, totals }) {
  const holds = totals ? `${count(totals.backlog)} that wait here and ${count(totals.copies)} kept as copies` : 'all entries';
  return [
    order('peers', self.id, 'drain', 'Drain', `This node will accept nothing new and get no copies; ${holds} go to other nodes.`),
    order('peers', self.id, 'undrain', 'End the drain', 'This node will accept entries and get copies again.'),
  ];
}

function connectorOrders({ name, tasks, queues }, known) {
  const all = tasks.length === 1 ? 'Its task' : `Its ${tasks.length} tasks`;
  const waiting = queues.reduce((sum, queue) => sum + (known(`queue/${queue}`)?.queue.backlog ?? 0), 0);
  const inHand = tasks.reduce((sum, task) => sum + task.pending, 0);
  const meanwhile = queues.length > 0
    ? `Meanwhile ${count(waiting)} of this node, and all that follow, will wait.`
    : `It reads nothing meanwhile; ${inHand === 1 ? '1 record is' : `${inHand.toLocaleString('en')} records are`} in its hands here.`;
  return [
    order('connectors', name, 'pause', 'Pause', `${all} will take nothing more on all nodes until it is resumed. ${meanwhile}`),
    order('connectors', name, 'resume', 'Resume', `${all} will go on, on all nodes.`),
    order('connectors', name, 'restart', 'Restart', `${all} will end on this node and start again at once.`),
    order('connectors', name, 'stop', 'Stop', `It will end with all its tasks, on all nodes, until it is resumed. ${meanwhile}`),
  ];
}

function order(part, name, action, label, question, entries) {
  return { body: { part, name, action, entries }, label, question };
}

const ORDERS = { queue: queueOrders, peer: peerOrders, connector: connectorOrders, node: nodeOrders };

export class Details {
  /** known(key) returns an item of the page. */
  constructor(dialog, mayOrder, known) {
    this.dialog = dialog;
    this.mayOrder = mayOrder;
    this.known = known;
    this.title = element('h2', { id: 'details-title' });
    this.list = element('dl');
    this.actions = element('div', { type: 'actions' });
    this.outcome = element('p', { role: 'status' });
    this.entries = element('div');
    const close = element('button', { text: 'Close' });
    close.addEventListener('click', () => dialog.close());
    dialog.setAttribute('aria-labelledby', 'details-title');
    dialog.append(this.title, this.list, this.actions, this.outcome, this.entries, close);
  }

  open(kind, title, item) {
    this.title.textContent = title;
    this.list.replaceChildren();
    this.outcome.textContent = '';
    new Facts(this.list).set(flat(item));
    // What is known when it is asked about, not when the dialog was opened.
    this.orders = () => (this.mayOrder() ? (ORDERS[kind]?.(this.known(`${kind}/${item.id ?? item.name}`) ?? item, this.known) ?? []) : []);
    const orders = this.orders();
    this.choose(orders);
    this.entries.replaceChildren();
    if (kind === 'queue' && item.queue.statistics) {
      const order = this.mayOrder() ? (each) => this.ask(each, orders) : null;
      for (const part of [item.queue.deadLetters > 0 && 'dead-letters', item.queue.undecided > 0 && 'undecided'].filter(Boolean)) {
        new Entries(this.entries, part, item.name, order).more();
      }
    }
    this.dialog.showModal();
  }

  choose(orders) {
    this.entries.inert = false;
    this.actions.replaceChildren(
      ...orders.map((each) => {
        const button = element('button', { text: `${each.label}…` });
        button.addEventListener('click', () => {
          const now = this.orders();
          const same = now.find(({ body }) => body.action === each.body.action);
          if (same) {
            this.ask(same, now);
          } else {
            this.choose(now);
          }
        });
        return button;
      }),
    );
  }

  ask(chosen, orders) {
    const yes = element('button', { type: 'yes', text: `Yes: ${chosen.label.toLowerCase()}` });
    const no = element('button', { text: 'No' });
    yes.addEventListener('click', () => this.send(chosen));
    no.addEventListener('click', () => this.choose(orders));
    this.actions.replaceChildren(element('p', { text: `${this.title.textContent}: ${chosen.label}? ${chosen.question}` }), yes, no);
    // What was chosen stays as it was asked about.
    this.entries.inert = true;
    no.focus();
  }

  async send({ body }) {
    this.actions.replaceChildren();
    this.outcome.textContent = 'Ordered…';
    try {
      const answer = await post('orders', body);
      const text = await answer.text();
      if (answer.ok) {
        // Those that were ordered about are not there any more.
        this.entries.replaceChildren();
      }
      this.outcome.textContent = answer.ok
        ? `Done: ${Object.entries(JSON.parse(text)).map(([name, value]) => `${name} ${value}`).join(', ')}`
        : `Refused (${answer.status}): ${text.slice(0, 500) || 'this user may not give orders'}`;
    } catch {
      this.outcome.textContent = 'The node does not answer. It may have done it: look again.';
    }
  }
}
