import { FIGURES } from './figures.mjs';
import { machine } from './machine.mjs';
import { formatNumber, formatSummary } from './statistics.mjs';

/** Prints a report: as JSON, or as a table with a row for each figure and a column for each side. */
export function print(report, { json }) {
  if (json) console.log(JSON.stringify({ machine: machine(), ...report }, null, 2));
  else for (const line of table(report)) console.log(line);
}

function table({ title, server, sides, ratios, figures = FIGURES }) {
  const { node, processors, memory, date } = machine();
  const rows = figures.map(([name, label, digits]) => [
    label,
    ...sides.map(({ figures: of }) => (of[name] === undefined ? '–' : formatSummary(of[name], digits))),
  ]);
  const said = rows.filter(([, ...cells]) => cells.some((cell) => cell !== '–'));
  const heads = ['', ...sides.map(({ label, cut }) => (cut ? `${label} (cut)` : label))];
  return [
    title,
    `${date}, Node ${node}, ${processors}, ${memory}${server ? `, ${server}` : ''}; median (min–max)`,
    '',
    ...columns([heads, ...said]),
    ...Object.entries(ratios).map(([name, ratio]) => `  ${name}: ${formatNumber(ratio, 2)}`),
  ];
}

function columns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column])).join('   ')}`.trimEnd());
}
