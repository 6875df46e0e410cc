// An entry as it is stored: its headers, and its payload as text where it is text, or else as numbers.
import { Facts, element } from './table.js';

const PER_LINE = 8;
const FIRST_PRINTABLE = 32;
const LAST_PRINTABLE = 126;
const CONTROL = /[\u0000-\u0008\u000e-\u001f]/;

/** Returns the text; null if it is none. The end may be missing. */
function asText(bytes, isWhole) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
    return CONTROL.test(text) ? null : text;
  } catch {
    return null;
  }
}

function asHex(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += PER_LINE) {
    const line = [...bytes.subarray(at, at + PER_LINE)];
    const numbers = line.map((each) => each.toString(16).padStart(2, '0')).join(' ');
    const letters = line.map((each) => (each < FIRST_PRINTABLE || each > LAST_PRINTABLE ? '.' : String.fromCharCode(each))).join('');
    lines.push(`${at.toString(16).padStart(5, '0')}  ${numbers.padEnd(3 * PER_LINE)} ${letters}`);
  }
  return lines.join('\n');
}

/** Returns elements that show it. */
export function payload({ id, enqueuedAt, headers, producerKey, size, shown }) {
  const bytes = Uint8Array.from(atob(shown), (each) => each.charCodeAt(0));
  const facts = element('dl');
  const about = [
    ['Accepted', new Date(enqueuedAt * 1000).toLocaleString('en-CA')],
    ['Bytes', bytes.length < size ? `the first ${bytes.length.toLocaleString('en')} of ${size.toLocaleString('en')}` : size.toLocaleString('en')],
    ...(producerKey === null ? [] : [['Key', producerKey]]),
    ...Object.entries(headers).map(([name, value]) => [`Header ${name}`, value]),
  ];
  new Facts(facts).set(Object.fromEntries(about));
  const body = element('pre', { tabindex: '0', role: 'region', 'aria-label': `Payload of ${id}` });
  const text = asText(bytes, bytes.length === size);
  body.textContent = text ?? asHex(bytes);
  if (text === null) {
    return [facts, body];
  }
  const other = element('button', { text: 'As numbers' });
  other.addEventListener('click', () => {
    const isText = other.textContent === 'As numbers';
    body.textContent = isText ? asHex(bytes) : text;
    other.textContent = isText ? 'As text' : 'As numbers';
  });
  return [facts, body, other];
}
