import { formatNumber } from './statistics.mjs';

/*
 * A bar for each side of each report, as long as its median, with a line from the smallest to the largest round. Drawn for
 * light and for dark surroundings; every bar says its number.
 */

const WIDTH = 760;
const LETTER = 7;
const NUMBERS = 90;
const MARGIN = 8;
const BAR = 18;
const STEP = 28;
const HEAD = 44;
const GAP = 22;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .unit { fill: #59636e }
  .axis { stroke: #d1d9e0 }
  .range { stroke: #1f2328; stroke-opacity: .55 }
  .ours { fill: #0969da }
  .java { fill: #bc4c00 }
  .floor { fill: #818b98 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .unit { fill: #9198a1 }
    .axis { stroke: #3d444d }
    .range { stroke: #f0f6fc }
    .ours { fill: #4493f8 }
    .java { fill: #db6d28 }
    .floor { fill: #656c76 }
  }`;

/** The text of an SVG file. */
export function chart(reports) {
  let y = 0;
  const parts = reports.map((report) => {
    const top = y;
    y += HEAD + report.sides.length * STEP + GAP;
    return `<g transform="translate(0 ${top})">${bars(report)}</g>`;
  });
  const names = reports.map(({ title }) => title).join('; ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img" aria-label="${escaped(names)}">
<style>${STYLE}</style>
${parts.join('\n')}
</svg>
`;
}

function bars({ title, main, figures, sides }) {
  const [, unit, digits] = figures.find(([name]) => name === main);
  const shown = sides.filter((side) => side.figures[main] !== undefined);
  const most = Math.max(...shown.map((side) => side.figures[main].max), Number.MIN_VALUE);
  const left = Math.max(0, ...shown.map(({ label }) => label.length)) * LETTER + 2 * MARGIN;
  const scale = (WIDTH - left - NUMBERS) / most;
  return [
    `<text class="title" x="0" y="15">${escaped(title)}</text>`,
    `<text class="unit" x="0" y="32">${escaped(unit)}</text>`,
    `<line class="axis" x1="${left}" y1="${HEAD - 4}" x2="${left}" y2="${HEAD + shown.length * STEP - 4}"/>`,
    ...shown.map((side, i) => bar(side, { ...side.figures[main], digits, left, scale, y: HEAD + i * STEP })),
  ].join('\n');
}

function bar({ name, label }, { median, min, max, digits, left, scale, y }) {
  const middle = y + BAR / 2;
  const at = (value) => rounded(left + value * scale);
  return [
    `<text x="${left - MARGIN}" y="${middle + 4}" text-anchor="end">${escaped(label)}</text>`,
    `<rect class="${name}" x="${left}" y="${y}" width="${rounded(Math.max(1, median * scale))}" height="${BAR}" rx="2"/>`,
    `<line class="range" x1="${at(min)}" y1="${middle}" x2="${at(max)}" y2="${middle}"/>`,
    `<text x="${at(max) + 6}" y="${middle + 4}">${formatNumber(median, digits)}</text>`,
  ].join('');
}

const rounded = (number) => Math.round(number * 10) / 10;

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
