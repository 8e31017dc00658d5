import { cpus, release, totalmem } from 'node:os';
import { formatNumber, formatSummary, median, summary } from './statistics.mjs';

/**
 * Report of a workload. `seen`: the rounds of each side. `figures`: name, label and digits of each figure that is printed. `main`: the figure by
 * which sides are compared; more is better unless `lessIsBetter`. `pairs`: the sides that are compared, by default each with the first one.
 */
export function reportOf({ workload, title, server, seen, figures, main, lessIsBetter = false, pairs }) {
  const sides = [...seen].map(([{ name, label }, rounds]) => ({
    name,
    label,
    cut: rounds.some(({ cut }) => cut === true),
    figures: summaries(rounds, figures),
    rounds,
  }));
  const ratios = (pairs ?? usualPairs([...seen.keys()])).map(([one, other]) =>
    lessIsBetter ? ratio(seen, other, one, main) : ratio(seen, one, other, main),
  );
  return { workload, title, server, main, sides, ratios, figures };
}

/** The first side with the first of every other name, and these with the others of their name. */
function usualPairs(sides) {
  const firstOf = ({ name }) => sides.find((other) => other.name === name);
  const others = sides.slice(1).filter((side) => firstOf(side) === side);
  return [
    ...others.map((other) => [sides[0], other]),
    ...sides.filter((side) => firstOf(side) !== side).map((side) => [side, firstOf(side)]),
  ];
}

/** Of the medians, and round by round, which a slow phase of the machine affects less. */
function ratio(seen, over, under, main) {
  const [rounds, others] = [over, under].map((side) => seen.get(side).map((round) => round[main]));
  return {
    label: `${over.label} / ${under.label}`,
    ofMedians: median(rounds) / median(others),
    byRound: summary(rounds.map((value, i) => value / others[i])),
  };
}

/** Median, minimum and maximum of each figure that every round has. */
function summaries(rounds, figures) {
  const known = figures.filter(([name]) => rounds.length > 0 && rounds.every((round) => Number.isFinite(round[name])));
  return Object.fromEntries(known.map(([name]) => [name, summary(rounds.map((round) => round[name]))]));
}

/** More sides than these do not fit side by side. */
const COLUMNS = 3;

/** Prints reports as JSON, or as tables with a row for each figure and a column for each side. */
export function print(reports, { json }) {
  if (json) return printJson({ reports: reports.map(({ figures, ...report }) => report) });
  console.log(`${describeMachine()}; median (min–max) of the rounds`);
  for (const report of reports) for (const line of lines(report)) console.log(line);
}

function lines({ title, server, sides, figures, ratios }) {
  const blocks = Array.from({ length: Math.ceil(sides.length / COLUMNS) }, (_, block) =>
    sides.slice(block * COLUMNS, (block + 1) * COLUMNS),
  );
  return [
    '',
    [title, server].filter(Boolean).join('. '),
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
  const known = rows.filter(([, ...cells]) => cells.some((cell) => cell !== '–'));
  return columns([['', ...sides.map(({ label, cut }) => (cut ? `${label} (cut)` : label))], ...known]);
}

/** Lines of a table, whose cells are padded to the widths of their columns. */
export function columns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column])).join('   ')}`.trimEnd());
}

export function printJson(results) {
  console.log(JSON.stringify({ machine: machine(), ...results }, null, 2));
}

function machine() {
  const processors = cpus();
  return {
    node: process.version,
    processors: `${processors.length} x ${processors[0]?.model.trim()}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${process.platform} ${release()}`,
    date: new Date().toISOString().slice(0, 10),
  };
}

/** The machine and the day of the figures, in a line. */
export function describeMachine() {
  const { node, processors, memory, date } = machine();
  return `${date}, Node ${node}, ${processors}, ${memory}`;
}

/** Costs of each firing, or of another unit of a workload: name, label, digits. */
export const costs = (each = 'firing') => [
  ['statements', `statements per ${each}`, 3],
  ['commits', `COMMITs per ${each}`, 4],
  ['handlerCommits', `commits in the engine per ${each}`, 4],
  ['bytesIn', `bytes to the server per ${each}`, 0],
  ['bytesOut', `bytes from the server per ${each}`, 0],
  ['redoBytes', `redo log per ${each}, bytes`, 0],
  ['lockWaits', `row lock waits per ${each}`, 4],
  ['lockMs', `row lock time per ${each}, ms`, 4],
  ['databaseCpuMs', `CPU of the database per ${each}, ms`, 3],
  ['nodesCpuMs', `CPU of the nodes per ${each}, ms`, 3],
];

/** Counters of the server by the name of their figure. */
const COUNTERS = {
  statements: 'Questions',
  commits: 'Com_commit',
  handlerCommits: 'Handler_commit',
  bytesIn: 'Bytes_received',
  bytesOut: 'Bytes_sent',
  redoBytes: 'Innodb_os_log_written',
  lockWaits: 'Innodb_row_lock_waits',
  lockMs: 'Innodb_row_lock_time',
  databaseCpuMs: 'cpuMs',
};

/** Difference of two readings of the server's counters, divided by `count`. Undefined if the server has no such counter. */
export function perFiring(before, after, count) {
  const each = (name) => (after[name] == null ? undefined : (after[name] - before[name]) / count);
  return Object.fromEntries(Object.entries(COUNTERS).map(([figure, name]) => [figure, each(name)]));
}

export const LATENESS = [
  ['lateP50', 'start lateness p50, ms', 0],
  ['lateP99', 'start lateness p99, ms', 0],
  ['lateMax', 'start lateness max, ms', 0],
];

/** Adds up the results of nodes that fired side by side. */
export function together(results) {
  const busy = results.filter(({ count }) => count > 0);
  const count = busy.reduce((sum, result) => sum + result.count, 0);
  const first = Math.min(...busy.map((result) => result.first));
  const last = Math.max(...busy.map((result) => result.last));
  return {
    count,
    perNode: results.map((result) => result.count),
    perSecond: (count * 1_000) / Math.max(1, last - first),
    ...latenessOf(busy),
    nodesCpuMs: results.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / count,
  };
}

/** Lateness of all firings, in milliseconds, and the number of firings that started before their time. Empty if none was counted. */
function latenessOf(results) {
  const counts = new Map();
  for (const { l } of results)
    for (const [late, n] of Object.entries(l)) counts.set(+late, (counts.get(+late) ?? 0) + n);
  const sorted = [...counts].sort(([a], [b]) => a - b);
  const numberOf = (isCounted) => sorted.reduce((sum, [late, n]) => sum + (isCounted(late) ? n : 0), 0);
  const total = numberOf(() => true);
  if (total === 0) return {};
  const at = (fraction) => {
    let left = Math.min(total - 1, Math.floor(total * fraction));
    for (const [late, n] of sorted) {
      if (left < n) return late;
      left -= n;
    }
  };
  return {
    early: numberOf((late) => late < 0),
    earliest: Math.max(0, -sorted[0][0]),
    lateP50: at(0.5),
    lateP99: at(0.99),
    lateP999: at(0.999),
    lateMax: at(1),
    overFifty: numberOf((late) => late > 50),
  };
}
