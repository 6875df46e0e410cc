// Listens to the node and keeps the page up to date. While nobody looks at the page, it does not listen.
import { Cards, Facts, Table } from './table.js';
import { Matrix } from './matrix.js';
import { Details } from './orders.js';
import { Plot, level, rate } from './plot.js';
import { ADOPTIONS, CONNECTORS, EVENTS, MEMBERS, PEERS, QUEUES, TAKEOVERS, age, facts, flat, isStale, totals } from './views.js';

const RETRY_MILLIS = 5000;
const PLOT_MILLIS = 10000;
const byId = (id) => document.getElementById(id);

const details = new Details(byId('details'), () => node?.orders === true, (key) => items.get(key));
const opens = (kind, word) => ({ onOpen: (name, item) => details.open(kind, `${word} ${name}`, item) });
const newestFirst = { descending: true };
const tables = {
  member: new Table(byId('cluster'), 'The cluster', MEMBERS, (each) => `${each.told?.site ?? ''}\u0000${each.id}`),
  peer: new Table(byId('nodes'), 'Other nodes', PEERS, (peer) => `${peer.site}\u0000${peer.id}`, opens('peer', 'Node')),
  queue: new Table(byId('queues'), 'Queues', QUEUES, (item) => item.name, opens('queue', 'Queue')),
  connector: new Table(byId('connectors'), 'Connectors', CONNECTORS, (each) => each.name, opens('connector', 'Connector')),
  takeover: new Table(byId('takeovers'), 'Adoptions as they run', TAKEOVERS, (each) => each.began, newestFirst),
  adoption: new Table(byId('adoptions'), 'Entries taken over', ADOPTIONS, (each) => each.last, newestFirst),
  event: new Table(byId('events'), 'Events', EVENTS, (event) => event.at * 1e6 + (event.number % 1e6), newestFirst),
};
const sights = new Matrix(byId('sights'));
const cards = new Cards(byId('part-list'));
const nodeFacts = new Facts(byId('facts'));
const nodeTotals = new Facts(byId('totals'), true);
const rates = new Plot(byId('plots'), 'Entries per second', '/s', [
  { name: 'acknowledged', read: rate('acknowledged') },
  { name: 'forwarded', read: rate('forwarded') },
]);
const backlog = new Plot(byId('plots'), 'Waiting to be forwarded', ' entries', [{ name: 'backlog', read: level('backlog') }]);

const items = new Map();
let members = [];
const options = new Map();
let node = null;
let source = null;
let retry = 0;
let heard = 0;

function kindOf(key) {
  return key.split('/', 1)[0];
}

function put(key, item, now) {
  items.set(key, item);
  const kind = kindOf(key);
  if (key === 'node') {
    node = item;
    showNode(now);
  } else if (kind === 'member') {
    members = [...members.filter((each) => each.id !== item.id), item];
    tables.member.set(key, item, now);
  } else if (kind === 'sight') {
    sights.set(item.by, item.sights);
  } else if (kind === 'protocol') {
    cards.set(key, item.name, flat(item.summary));
  } else if (kind === 'part') {
    cards.set(key, key.slice(kind.length + 1), flat(item));
  } else {
    tables[kind]?.set(key, item, now);
    if (kind === 'queue') {
      option(item.name);
    }
  }
}

function option(name) {
  if (!options.has(name)) {
    const made = document.createElement('option');
    made.value = name;
    made.textContent = name;
    options.set(name, made);
    byId('plotted').append(made);
  }
}

function drop(key) {
  items.delete(key);
  tables[kindOf(key)]?.remove(key);
  cards.remove(key);
  members = members.filter((each) => `member/${each.id}` !== key);
  if (kindOf(key) === 'sight') {
    sights.remove(key.slice('sight/'.length));
  }
}

function showNode(now) {
  if (node === null) {
    return;
  }
  byId('title').textContent = `${node.self.id} in ${node.self.site}`;
  document.title = `${node.self.id} – GeoRep console`;
  nodeFacts.set(facts(node, now));
  if (node.totals) {
    nodeTotals.set(totals(node.totals));
  }
  byId('own').hidden = !node.orders;
  byId('problem').hidden = !node.problem;
  byId('problem').textContent = node.problem ? `The node does not tell more now: ${node.problem}` : '';
}

function apply(message, whole) {
  heard = performance.now();
  const now = message.at;
  if (whole) {
    for (const key of [...items.keys()]) {
      if (!(key in message.items)) {
        drop(key);
      }
    }
  }
  message.gone?.forEach(drop);
  for (const [key, item] of Object.entries(message.items)) {
    put(key, item, now);
  }
  showNode(now);
  Object.values(tables).forEach((table) => {
    table.tick(now);
    table.shown();
  });
  sights.draw(members.filter((member) => isStale(member, now)).map((member) => member.id));
  performance.measure('georep-render', { start: heard });
  performance.clearMeasures('georep-render');
}

function say(text) {
  if (byId('connection').textContent !== text) {
    byId('connection').textContent = text;
  }
}

function listen() {
  clearTimeout(retry);
  source?.close();
  source = new EventSource('events');
  const on = (whole) => (event) => {
    say('Live');
    apply(JSON.parse(event.data), whole);
  };
  source.addEventListener('state', on(true));
  source.addEventListener('change', on(false));
  source.onerror = () => {
    say('No answer from the node: trying again. What you see is what was last known.');
    // Refused connections are not tried again by the browser itself.
    if (source.readyState === EventSource.CLOSED) {
      explain();
      retry = setTimeout(listen, RETRY_MILLIS);
    }
  };
}

/** An event source does not say why it was refused; asking for the state does. */
async function explain() {
  try {
    const answer = await fetch('state');
    if (answer.ok) {
      apply(await answer.json(), true);
      say('As many pages as the node allows are open: this one looks every 5 seconds.');
    } else {
      say(`The node answers ${answer.status}: ${(await answer.text()).split('\n')[0]}`);
    }
  } catch {
    // The node is away, as was said.
  }
}

async function plot() {
  const queue = byId('plotted').value;
  try {
    const answer = await fetch(queue ? `history?queue=${encodeURIComponent(queue)}` : 'history');
    if (answer.ok) {
      const history = await answer.json();
      rates.draw(history);
      backlog.draw(history);
    } else {
      const none = { interval: 10, series: {} };
      rates.draw(none);
      backlog.draw(none);
    }
  } catch {
    // It is drawn when the node is back.
  }
}

byId('own-orders').addEventListener('click', () => details.open('node', `Node ${node.self.id}`, node));
byId('filter').addEventListener('input', (event) => tables.queue.show(event.target.value));
byId('plotted').addEventListener('change', plot);
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    clearTimeout(retry);
    source?.close();
    say('Paused while the page is hidden');
  } else {
    listen();
    plot();
  }
});
setInterval(() => {
  byId('age').textContent = heard ? `heard ${age(0, (performance.now() - heard) / 1000)} ago` : '';
}, 1000);
setInterval(() => document.hidden || plot(), PLOT_MILLIS);
listen();
plot();
