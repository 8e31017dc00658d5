import { writeFileSync } from 'node:fs';
import { chart } from './chart.mjs';
import { summaries } from './figures.mjs';
import { machine } from './machine.mjs';
import { formatNumber, formatSummary, median, summary } from './statistics.mjs';

/**
 * What a workload found: `seen` has the rounds of each side, `figures` says what of them is printed, and `main` is the figure
 * by which the sides are compared, the more the better unless `lessIsBetter`.
 */
export function reportOf({ workload, title, server, seen, figures, main, lessIsBetter = false }) {
  const sides = [...seen].map(([{ name, label }, rounds]) => ({
    name,
    label,
    cut: rounds.some(({ cut }) => cut === true),
    figures: summaries(rounds, figures),
    rounds: rounds.map(({ b, ...round }) => round),
  }));
  return { workload, title, server, main, sides, ratios: ratiosOf(seen, main, lessIsBetter), figures };
}

/** The first side to each other, and the first of every further name to those of that name. */
function ratiosOf(seen, main, lessIsBetter) {
  const entries = [...seen].filter(([, rounds]) => rounds.length > 0);
  const firsts = entries.filter(([{ name }], i) => entries.findIndex(([other]) => other.name === name) === i);
  const pairs = [
    ...firsts.slice(1).map((other) => [firsts[0], other]),
    ...entries
      .filter((entry) => !firsts.includes(entry))
      .map((entry) => [entry, firsts.find(([{ name }]) => name === entry[0].name)]),
  ];
  return pairs.map(([one, other]) => (lessIsBetter ? ratio(other, one, main) : ratio(one, other, main)));
}

/** Of the medians, and round by round: a slow phase of the machine touches that less. */
function ratio([over, rounds], [under, others], main) {
  const of = (all) => all.map((round) => round[main]);
  return {
    label: `${over.label} / ${under.label}`,
    ofMedians: median(of(rounds)) / median(of(others)),
    byRound: summary(of(rounds).map((value, i) => value / of(others)[i])),
  };
}

/** More sides than these do not fit side by side. */
const COLUMNS = 3;

/** Prints reports: as JSON, or as tables with a row for each figure and a column for each side; and draws the chart. */
export function print(reports, { json, svg }) {
  if (json) {
    const said = reports.map(({ figures, ...report }) => report);
    console.log(JSON.stringify({ machine: machine(), reports: said }, null, 2));
  } else {
    const { node, processors, memory, date } = machine();
    console.log(`${date}, Node ${node}, ${processors}, ${memory}; median (min–max) of the rounds`);
    for (const report of reports) for (const line of table(report)) console.log(line);
  }
  if (svg !== undefined) writeFileSync(svg, chart(reports));
}

function table({ title, server, sides, ratios, figures }) {
  const blocks = Array.from({ length: Math.ceil(sides.length / COLUMNS) }, (_, i) =>
    sides.slice(i * COLUMNS, (i + 1) * COLUMNS),
  );
  return [
    '',
    `${title}. ${server}`,
    ...blocks.flatMap((block) => ['', ...sideBySide(block, figures)]),
    '',
    ...ratios.map(
      ({ label, ofMedians, byRound }) =>
        `  ${label}: ${formatNumber(ofMedians, 2)}, round by round ${formatSummary(byRound, 2)}`,
    ),
  ];
}

function sideBySide(sides, figures) {
  const rows = figures.map(([name, label, digits]) => [
    label,
    ...sides.map(({ figures: of }) => (of[name] === undefined ? '–' : formatSummary(of[name], digits))),
  ]);
  const said = rows.filter(([, ...cells]) => cells.some((cell) => cell !== '–'));
  return columns([['', ...sides.map(({ label, cut }) => (cut ? `${label} (cut)` : label))], ...said]);
}

function columns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column])).join('   ')}`.trimEnd());
}
