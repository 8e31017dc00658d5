import { BUCKET } from './recorder.mjs';
import { summary } from './statistics.mjs';

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
  return { early, earliest: Math.max(0, -(sorted[0]?.[0] ?? 0)), lateP50: at(0.5), lateP99: at(0.99), lateMax: at(1) };
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
