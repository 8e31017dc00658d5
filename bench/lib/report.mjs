import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { chart } from './chart.mjs';
import { BUCKET } from './our-scheduler.mjs';
import { formatNumber, formatSummary, median, summary } from './statistics.mjs';

/**
 * What a workload found: `seen` has the rounds of each side, `figures` says what of them is printed, and `main` is the figure
 * by which the sides are compared, the more the better unless `lessIsBetter`. `pairs`: the sides that are compared.
 */
export function reportOf({ workload, title, server, seen, figures, main, lessIsBetter = false, pairs }) {
  const sides = [...seen].map(([{ name, label }, rounds]) => ({
    name,
    label,
    cut: rounds.some(({ cut }) => cut === true),
    figures: summaries(rounds, figures),
    rounds: rounds.map(({ b, ...round }) => round),
  }));
  return { workload, title, server, main, sides, ratios: ratiosOf(seen, main, lessIsBetter, pairs), figures };
}

function ratiosOf(seen, main, lessIsBetter, chosen) {
  const pairs = chosen?.map((pair) => pair.map((side) => [side, seen.get(side)])) ?? usualPairs(seen);
  return pairs.map(([one, other]) => (lessIsBetter ? ratio(other, one, main) : ratio(one, other, main)));
}

/** The first side to each other, and the first of every further name to those of that name. */
function usualPairs(seen) {
  const entries = [...seen].filter(([, rounds]) => rounds.length > 0);
  const firsts = entries.filter(([{ name }], i) => entries.findIndex(([other]) => other.name === name) === i);
  return [
    ...firsts.slice(1).map((other) => [firsts[0], other]),
    ...entries
      .filter((entry) => !firsts.includes(entry))
      .map((entry) => [entry, firsts.find(([{ name }]) => name === entry[0].name)]),
  ];
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

/** What firings (or whatever a workload counts) cost, in the order of the table: name, what it is called, digits. */
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

export const LATENESS = [
  ['lateP50', 'start lateness p50, ms', 0],
  ['lateP99', 'start lateness p99, ms', 0],
  ['lateMax', 'start lateness max, ms', 0],
];

/** Nodes that fired side by side, as one. */
export function together(results) {
  const busy = results.filter(({ count }) => count > 0);
  const count = busy.reduce((sum, result) => sum + result.count, 0);
  const first = Math.min(...busy.map((result) => result.first));
  const last = Math.max(...busy.map((result) => result.last));
  return {
    count,
    perNode: results.map((result) => result.count),
    perSecond: (count * 1_000) / Math.max(1, last - first),
    midPerSecond: rateOfMiddleHalf(busy, count),
    ...latenessOf(busy),
    nodesCpuMs: results.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / count,
  };
}

/** Of all firings of all nodes, in milliseconds, and how many started before their time; nothing when none was counted. */
function latenessOf(results) {
  const counts = new Map();
  for (const { l } of results)
    for (const [late, n] of Object.entries(l)) counts.set(+late, (counts.get(+late) ?? 0) + n);
  const sorted = [...counts].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, n]) => sum + n, 0);
  if (total === 0) return {};
  const at = (fraction) => {
    let left = Math.min(total - 1, Math.floor(total * fraction));
    for (const [late, n] of sorted) {
      if (left < n) return late;
      left -= n;
    }
  };
  const early = sorted.reduce((sum, [late, n]) => sum + (late < 0 ? n : 0), 0);
  const overFifty = sorted.reduce((sum, [late, n]) => sum + (late > 50 ? n : 0), 0);
  const earliest = Math.max(0, -(sorted[0]?.[0] ?? 0));
  return { early, earliest, lateP50: at(0.5), lateP99: at(0.99), lateP999: at(0.999), lateMax: at(1), overFifty };
}

/** Without the first quarter, in which code is compiled, and the last. */
function rateOfMiddleHalf(results, count) {
  const buckets = new Map();
  for (const { b } of results) for (const [at, n] of Object.entries(b)) buckets.set(+at, (buckets.get(+at) ?? 0) + n);
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const timeOf = (fraction) => {
    let seen = 0;
    for (const [at, n] of sorted) {
      if (seen + n >= fraction * count) return (at + (fraction * count - seen) / n) * BUCKET;
      seen += n;
    }
    return 0;
  };
  return (count * 500) / Math.max(1, timeOf(0.75) - timeOf(0.25));
}

/** What the server has done between two readings of its counters, for each of `count` firings. */
export function perFiring(before, after, count) {
  const each = (name) => (after[name] === undefined ? undefined : (after[name] - before[name]) / count);
  return {
    statements: each('Questions'),
    commits: each('Com_commit'),
    handlerCommits: each('Handler_commit'),
    bytesIn: each('Bytes_received'),
    bytesOut: each('Bytes_sent'),
    redoBytes: each('Innodb_os_log_written'),
    lockWaits: each('Innodb_row_lock_waits'),
    lockMs: each('Innodb_row_lock_time'),
    databaseCpuMs: after.cpuMs === null ? undefined : each('cpuMs'),
    counters: Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]])),
  };
}

/** Median, min and max of every figure over the rounds of a side; figures that a side cannot say are left out. */
export function summaries(rounds, figures) {
  const said = figures.filter(([name]) => rounds.length > 0 && rounds.every((round) => Number.isFinite(round[name])));
  return Object.fromEntries(said.map(([name]) => [name, summary(rounds.map((round) => round[name]))]));
}

/** What the figures were seen on. */
export function machine() {
  const processors = cpus();
  return {
    node: process.version,
    processors: `${processors.length} x ${processors[0]?.model.trim()}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${process.platform} ${release()}`,
    date: new Date().toISOString().slice(0, 10),
  };
}
