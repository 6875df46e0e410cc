// What each kind of item looks like: words, columns, and which of them deserve attention.

const number = (value) => (value === undefined || value === null ? '' : value.toLocaleString('en'));
const yesNo = (value) => (value ? 'yes' : 'no');

export function age(since, now) {
  if (since === null || since === undefined) {
    return '';
  }
  const seconds = Math.max(0, Math.round(now - since));
  if (seconds < 120) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} min` : minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`;
}

function time(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString('en-GB');
}

function millis(seconds) {
  return seconds === null || seconds === undefined ? 'unknown' : `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
}

function clock(ahead) {
  return ahead === null || ahead === undefined ? 'unknown' : `${ahead > 0 ? '+' : ''}${ahead} s`;
}

const PEER_STATES = {
  ACTIVE: ['good', 'active'],
  PROSPECT: ['watch', 'not heard yet'],
  SCHRODINGER: ['watch', 'suspected'],
  TERMINATED: ['bad', 'given up'],
  ARNOLD: ['off', 'away, will return'],
  FOREIGN: ['bad', 'of another cluster'],
};

/** What another node calls a state is any text. */
export function stateOf(state) {
  return Object.hasOwn(PEER_STATES, state) ? PEER_STATES[state] : ['watch', String(state ?? 'unknown')];
}

function peerState(peer) {
  return peer.foreign ? PEER_STATES.FOREIGN : stateOf(peer.state);
}

/** Who is not in reach cannot say how it is. */
const isAway = (member) => member.seen !== null && (!member.linked || member.seen === 'TERMINATED');

function memberState(member) {
  if (isAway(member)) {
    const [mark, word] = stateOf(member.seen);
    return mark === 'good' ? ['bad', 'no link'] : [mark, word];
  }
  if (member.told) {
    return member.told.state === 'RUNNING' ? ['good', 'running'] : ['bad', (member.told.state ?? 'unknown').toLowerCase()];
  }
  return member.answers ? ['watch', member.heard ? 'tells nothing' : 'no answer yet'] : ['off', 'cannot be asked'];
}

/** Reports come every few seconds; one that is much older is what was last known. */
const STALE_SECONDS = 30;
export const isStale = (member, now) => member.heard !== null && now - member.heard > STALE_SECONDS;

const told = (name) => (member) => number(member.told?.totals?.[name]);
const worry = (name, kind) => (member) => concern(member.told?.totals?.[name], kind);

export const MEMBERS = [
  { title: 'Node', value: (member) => member.id },
  { title: 'Site', value: (member) => member.told?.site ?? '' },
  {
    title: 'State',
    value: (member, now) => (isStale(member, now) && !isAway(member) ? `silent, was ${memberState(member)[1]}` : memberState(member)[1]),
    mark: (member, now) => (isStale(member, now) && !isAway(member) ? 'bad' : memberState(member)[0]),
    live: true,
  },
  { title: 'Told', value: (member, now) => (member.heard === null ? '' : `${age(member.heard, now)} ago`), number: true, live: true },
  { title: 'Backlog', value: told('backlog'), number: true },
  { title: 'Copies', value: told('copies'), number: true },
  { title: 'Short of copies', value: told('shortOfCopies'), mark: worry('shortOfCopies', 'watch'), number: true },
  { title: 'Dead letters', value: told('deadLetters'), mark: worry('deadLetters', 'bad'), number: true },
  { title: 'Undecided', value: told('undecided'), mark: worry('undecided', 'watch'), number: true },
  { title: 'Acknowledged', value: told('acknowledged'), number: true },
  { title: 'Forwarded', value: told('forwarded'), number: true },
  { title: 'Adopted', value: told('adopted'), number: true },
  { title: 'Store', value: (member) => member.told?.store?.toLowerCase().replaceAll('_', ' ') ?? '' },
  { title: 'Watched for', value: (member, now) => age(member.told?.since, now), number: true, live: true },
  { title: 'Release', value: (member) => member.told?.version ?? '' },
  {
    title: 'Longest queues',
    value: (member) => (member.told?.queues ?? []).slice(0, 3).map((queue) => `${queue.name} ${number(queue.backlog)}`).join(', '),
    long: true,
  },
  {
    title: 'Takes over',
    value: (member) => (member.told?.takeovers ?? []).map((each) => `${each.queue} of ${each.from}: ${progress(each)}`).join(', '),
    long: true,
  },
];

export const PEERS = [
  { title: 'Node', value: (peer) => peer.id },
  { title: 'Site', value: (peer) => peer.site },
  { title: 'State', value: (peer) => peerState(peer)[1], mark: (peer) => peerState(peer)[0] },
  { title: 'For', value: (peer, now) => age(peer.stateSince, now), number: true, live: true },
  { title: 'Round trip', value: (peer) => millis(peer.rtt), number: true },
  { title: 'Smallest', value: (peer) => millis(peer.rttMin), number: true },
  { title: 'Link', value: (peer) => (peer.linked ? 'up' : 'none'), mark: (peer) => (peer.linked ? 'good' : 'bad') },
  { title: 'Gets copies', value: (peer) => yesNo(peer.selectable) },
  {
    title: 'Its entries here',
    value: (peer) => number(peer.copies),
    mark: (peer) => (peer.state === 'ACTIVE' ? '' : concern(peer.copies, 'watch')),
    number: true,
  },
  { title: 'Drained', value: (peer) => yesNo(peer.drained), mark: (peer) => (peer.drained ? 'watch' : '') },
  { title: 'Clock', value: (peer) => clock(peer.clockAhead), mark: (peer) => (peer.clockOff ? 'bad' : ''), number: true },
  { title: 'Boot', value: (peer) => number(peer.incarnation), number: true },
];

function listener(queue) {
  if (!queue.statistics) {
    return ['watch', 'not open here'];
  }
  if (!queue.listener) {
    return ['off', 'no listener'];
  }
  return queue.listener.paused ? ['watch', 'paused'] : queue.listener.running ? ['good', 'running'] : ['bad', 'stopped'];
}

const counter = (name) => (item) => number(item.queue.statistics?.[name]);
const concern = (value, kind) => (value > 0 ? kind : '');

export const QUEUES = [
  { title: 'Queue', value: (item) => item.name },
  { title: 'Handler', value: (item) => listener(item.queue)[1], mark: (item) => listener(item.queue)[0] },
  { title: 'Backlog', value: (item) => number(item.queue.backlog), number: true },
  { title: 'Waiting for', value: (item, now) => age(item.waitingSince, now), number: true, live: true },
  { title: 'Acknowledged', value: counter('acknowledged'), number: true },
  { title: 'Forwarded', value: counter('forwarded'), number: true },
  { title: 'Adopted', value: counter('adopted'), number: true },
  { title: 'Possibly sent before', value: (item) => causes(item.queue.statistics?.possiblySent ?? {}), long: true },
  {
    title: 'Dead letters',
    value: (item) => number(item.queue.deadLetters),
    mark: (item) => concern(item.queue.deadLetters, 'bad'),
    number: true,
  },
  {
    title: 'Undecided',
    value: (item) => number(item.queue.undecided),
    mark: (item) => concern(item.queue.undecided, 'watch'),
    number: true,
  },
  { title: 'Rejected', value: counter('rejected'), number: true },
  { title: 'Indeterminate', value: counter('indeterminate'), number: true },
  { title: 'Handed over', value: counter('delivered'), number: true },
  { title: 'Failed attempts', value: counter('failedAttempts'), number: true },
  { title: 'Parked', value: counter('parked'), number: true },
  { title: 'f', value: (item) => number(item.queue.f), number: true },
];

/** How much of what changed hands is over. */
function progress({ entries, left }) {
  return left > 0 ? `${Math.floor((100 * (entries - left)) / entries)} % of ${number(entries)}` : 'done';
}

const CONNECTOR_MARKS = { RUNNING: 'good', PAUSED: 'watch', FAILED: 'bad', RESTARTING: 'watch', UNASSIGNED: 'off', STOPPED: 'off' };

function connectorProblem(connector) {
  const problems = connector.tasks.filter((task) => task.problem).map((task) => `task ${task.id}: ${task.problem}`);
  return [...(connector.problem ? [connector.problem] : []), ...problems].join('; ');
}

export const CONNECTORS = [
  { title: 'Connector', value: (each) => each.name },
  { title: 'State', value: (each) => each.state.toLowerCase(), mark: (each) => CONNECTOR_MARKS[each.state] ?? 'watch' },
  { title: 'Kind', value: (each) => each.type },
  { title: 'Class', value: (each) => each.connectorClass.split('.').at(-1) },
  { title: 'Tasks', value: (each) => each.tasks.map((task) => `${task.id}: ${task.state.toLowerCase()}`).join(', ') },
  { title: 'Failures', value: (each) => number(each.failures), number: true },
  { title: 'Problem', value: connectorProblem, long: true },
];

export const TAKEOVERS = [
  { title: 'Queue', value: (each) => each.queue },
  { title: 'From', value: (each) => each.from },
  { title: 'To', value: (each) => each.to },
  { title: 'Progress', value: progress, mark: (each) => (each.left > 0 ? 'watch' : 'good') },
  { title: 'Entries', value: (each) => number(each.entries), number: true },
  { title: 'Left', value: (each) => number(each.left), number: true },
  { title: 'Began', value: (each) => time(each.began), number: true },
  { title: 'Took', value: (each, now) => age(each.began, each.over ?? now), number: true, live: true },
];

export const ADOPTIONS = [
  { title: 'Queue', value: (each) => each.queue },
  { title: 'From', value: (each) => each.from },
  { title: 'Entries', value: (each) => number(each.entries), number: true },
  { title: 'Perhaps forwarded before', value: (each) => number(each.possiblySent), number: true },
  { title: 'First', value: (each) => time(each.first), number: true },
  { title: 'Last', value: (each) => time(each.last), number: true },
];

const EVENT_MARKS = {
  suspected: 'watch', 'given-up': 'bad', 'clock-off': 'bad', 'clock-right': 'good', returned: 'good', met: 'good', adopted: 'watch', drained: 'watch', refused: 'bad',
  removed: 'bad', paused: 'watch', store: 'watch',
};

export const EVENTS = [
  { title: 'When', value: (event) => `${new Date(event.at * 1000).toLocaleDateString('en-CA')} ${time(event.at)}` },
  { title: 'What', value: (event) => event.kind.replace('-', ' '), mark: (event) => EVENT_MARKS[event.kind] ?? 'off' },
  { title: 'Node or queue', value: (event) => event.subject },
  { title: 'Entries', value: (event) => (event.count ? number(event.count) : ''), number: true },
  { title: 'Meaning', value: (event) => event.text, long: true },
];

export function facts(item, at) {
  const self = item.self;
  return {
    Node: self.id,
    Site: self.site,
    State: self.state.toLowerCase() + (self.failure ? `: ${self.failure}` : ''),
    Address: self.address,
    Boot: number(self.incarnation),
    Watched: `for ${age(item.since, at)}`,
    Release: item.version ?? 'unknown',
    Store: item.store === null ? 'unknown' : item.store.toLowerCase().replaceAll('_', ' '),
  };
}

export function totals(all) {
  return {
    Accepted: number(all.accepted),
    Acknowledged: number(all.acknowledged),
    Forwarded: number(all.forwarded),
    Adopted: number(all.adopted),
    Ceded: number(all.ceded),
    Backlog: number(all.backlog),
    'Copies for others': number(all.copies),
    'Held back': number(all.heldBack),
    'Short of copies': number(all.shortOfCopies),
    'Dead letters': number(all.deadLetters),
    Undecided: number(all.undecided),
    'Sends under way': number(all.pendingSends),
    Rejected: number(all.rejected),
    Indeterminate: number(all.indeterminate),
  };
}

/** How often entries were handed over that may have been forwarded before, by cause. */
function causes(counts) {
  return Object.entries(counts).map(([cause, count]) => `${cause.toLowerCase()} ${number(count)}`).join(', ');
}

/** Anything at all as names and texts; what is within is put beside the rest. */
export function flat(item) {
  const texts = {};
  for (const [name, value] of Object.entries(item)) {
    if (name === 'possiblySent' && value !== null && typeof value === 'object') {
      texts['possibly sent before'] = causes(value) || 'none';
    } else if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      Object.assign(texts, flat(value));
    } else {
      texts[name.replace(/([A-Z])/g, ' $1').toLowerCase()] = text(name, value);
    }
  }
  return texts;
}

function text(name, value) {
  if (value === null) {
    return 'none';
  }
  if (Array.isArray(value)) {
    return value.map((each) => (typeof each === 'object' ? JSON.stringify(each) : each)).join(', ') || 'none';
  }
  if (typeof value === 'number') {
    return /since$/i.test(name) ? new Date(value * 1000).toLocaleString('en-CA') : number(value);
  }
  return typeof value === 'boolean' ? yesNo(value) : String(value);
}
