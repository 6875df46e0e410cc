// The last hour as lines. Elements are made once; later only the lines and texts change.
import { element } from './table.js';

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 360;
const HEIGHT = 100;

export class Plot {
  /** series: [{ name, read(series) -> numbers or nulls }], at most two. */
  constructor(parent, title, unit, series) {
    this.title = title;
    this.unit = unit;
    this.series = series;
    const figure = element('figure');
    this.svg = document.createElementNS(SVG, 'svg');
    this.svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
    this.svg.setAttribute('preserveAspectRatio', 'none');
    this.svg.setAttribute('class', 'plot');
    this.svg.setAttribute('role', 'img');
    this.lines = series.map((each, i) => {
      const line = document.createElementNS(SVG, 'path');
      line.setAttribute('class', i === 0 ? 'first' : 'second');
      this.svg.append(line);
      return line;
    });
    this.caption = element('figcaption');
    figure.append(this.svg, this.caption);
    parent.append(figure);
  }

  draw(history) {
    const all = this.series.map((each) => each.read(history.series, history.interval));
    const highest = Math.max(1, ...all.flat().filter((value) => value !== null));
    all.forEach((values, i) => this.lines[i].setAttribute('d', path(values, highest)));
    const words = this.series.map((each, i) => {
      const last = all[i].at(-1) ?? null;
      const style = this.series.length > 1 ? (i === 0 ? ' (solid)' : ' (dashed)') : '';
      return `${each.name}${style} ${last === null ? 'unknown' : format(last)}`;
    });
    const text = `${this.title}: ${words.join(', ')}; highest ${format(highest)}${this.unit}`;
    if (this.caption.textContent !== text) {
      this.caption.textContent = text;
      this.svg.setAttribute('aria-label', text);
    }
  }
}

function path(values, highest) {
  const step = WIDTH / 359;
  const begin = WIDTH - (values.length - 1) * step;
  let drawn = '';
  let pen = 'M';
  values.forEach((value, i) => {
    if (value === null) {
      pen = 'M';
    } else {
      const y = HEIGHT - 2 - (value / highest) * (HEIGHT - 6);
      drawn += `${pen}${(begin + i * step).toFixed(1)} ${y.toFixed(1)}`;
      pen = 'L';
    }
  });
  return drawn;
}

/** Counters become rates; one that began anew leaves a gap. */
export function rate(name) {
  return (series, interval) => {
    const values = series[name] ?? [];
    return values.map((value, i) => {
      const before = i === 0 ? null : values[i - 1];
      return value === null || before === null || value < before ? null : (value - before) / interval;
    });
  };
}

export function level(name) {
  return (series) => series[name] ?? [];
}

function format(value) {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 });
}
