import { FIGURES, summaries } from './figures.mjs';
import { machine } from './machine.mjs';
import { formatNumber, formatSummary, median, summary } from './statistics.mjs';

/** What a workload found: `seen` has the rounds of each side, `main` is the figure by which the sides are compared. */
export function reportOf({ workload, title, server, seen, main, figures = FIGURES }) {
  const sides = [...seen].map(([{ name, label }, rounds]) => ({
    name,
    label,
    cut: rounds.some(({ cut }) => cut === true),
    figures: summaries(rounds, figures),
    rounds: rounds.map(({ b, ...round }) => round),
  }));
  return { workload, title, server, main, sides, ratios: ratiosOf(seen, main) };
}

/** Ours to each other side: the medians, and round by round, which a slow phase of the machine touches less. */
function ratiosOf(seen, main) {
  const [[ours, our], ...others] = seen;
  return others.map(([{ name, label }, theirs]) => ({
    to: name,
    label: `${ours.label} / ${label}`,
    ofMedians: median(our.map((round) => round[main])) / median(theirs.map((round) => round[main])),
    byRound: summary(our.map((round, i) => round[main] / theirs[i][main])),
  }));
}

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
    '',
    ...ratios.map(
      ({ label, ofMedians, byRound }) =>
        `  ${label}: ${formatNumber(ofMedians, 2)}   round by round ${formatSummary(byRound, 2)}`,
    ),
  ];
}

function columns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column])).join('   ')}`.trimEnd());
}
