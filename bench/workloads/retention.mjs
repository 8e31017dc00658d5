import { setTimeout as pause } from 'node:timers/promises';
import { compared, contest } from '../lib/contest.mjs';
import { databaseOptions } from '../lib/options.mjs';
import { print, together } from '../lib/report.mjs';
import { startNodes } from '../lib/rounds.mjs';
import { formatNumber, percentile } from '../lib/statistics.mjs';
import { DAY, dueRows, runRows } from '../lib/tables.mjs';

export const usage = `  retention [--n 1000000] [--kind age|count|dead-letters] [--k 200] [--threads 25] [--warm 4] [--seconds 30]
         start lateness of k triggers with an interval of 1 s on a node with n recorded runs, and the duration of each deletion:
         first nothing is deleted, then all runs. --seconds: measured time, even if the deletions take longer.`;

const FIGURES = [
  ['perSecond', 'firings per second', 0],
  ['lateP50', 'start lateness p50, ms', 0],
  ['lateP99', 'start lateness p99, ms', 0],
  ['lateP999', 'start lateness p99.9, ms', 0],
  ['lateMax', 'start lateness max, ms', 0],
  ['overFifty', 'starts later than 50 ms', 0],
  ['pieceP50', 'a deletion, p50, ms', 1],
  ['pieceP99', 'a deletion, p99, ms', 1],
  ['pieceMax', 'a deletion, max, ms', 1],
  ['findMax', 'queries before a deletion, max, ms', 1],
  ['deleted', 'runs deleted', 0],
  ['deletedPerSecond', 'runs deleted a second', 0],
  ['pruningSeconds', 'from the first deletion to the last, s', 1],
  ['left', 'runs left', 0],
];

/** Between loading and the first fire time: for the node to start. */
const LEAD_MS = 3_000;

/** Older than any history is kept by default. */
const OLD_DAYS = 400;

/** How many stay where more are too many. */
const KEPT = 1_000;

export async function run(args) {
  const chosen = databaseOptions(args, {
    n: 1_000_000,
    kind: ['age', 'count', 'dead-letters'],
    k: 200,
    warm: 4,
    seconds: 30,
  });
  const { n, k, kind, rounds } = chosen;
  const report = await contest(chosen, async ({ server, sides }) => {
    const [plain] = await sides();
    const contestants = [
      { ...plain, label: 'deleting', deleting: true },
      { ...plain, name: 'kept', label: 'none to delete', deleting: false },
    ];
    return compared({
      workload: 'retention',
      title: `Retention (${kind}): ${formatNumber(n)} recorded runs, ${formatNumber(k)} triggers at 1 s`,
      server,
      rounds,
      sides: contestants,
      measure: (side) => retentionRound(side, chosen),
      figures: FIGURES,
      main: 'lateP999',
      lessIsBetter: true,
    });
  });
  print([report], chosen);
}

async function retentionRound(side, chosen) {
  const { n, k, kind, threads, batch, warm, seconds } = chosen;
  const { tables, deleting } = side;
  await tables.clear();
  const isOld = deleting && kind !== 'count';
  const end = Date.now() - (isOld ? OLD_DAYS * DAY : 0);
  await tables.load(runRows(n, { end, deadLetters: kind === 'dead-letters' }));
  await tables.settle();
  const at = Date.now() + LEAD_MS;
  await tables.load(dueRows({ n: k, at, spread: 1_000, scattered: true, interval: 1_000 }));
  const most = kind === 'count' && deleting ? { 'set.jobStore.historyMaxCount': KEPT } : {};
  const [node] = await startNodes(side, 1, { ...most, threads, batch, retention: 1, warm: warm * 1_000 });
  node.say();
  await pause((warm + seconds) * 1_000);
  const result = await node.stop();
  await node.exit();
  const [{ left }] = await tables.query('SELECT COUNT(*) AS `left` FROM QRTZ_X_RUNS');
  return { ...together([result]), ...pruningOf(result.pieces), left: Number(left) };
}

function pruningOf(all) {
  const pieces = all.filter(({ name }) => name === 'pruneRuns');
  const busy = pieces.filter(({ rows }) => rows > 0);
  const deleted = busy.reduce((sum, { rows }) => sum + rows, 0);
  const queries = all.filter(({ name }) => name !== 'pruneRuns').map(({ ms }) => ms);
  const found = queries.length === 0 ? {} : { findMax: Math.max(...queries) };
  if (busy.length === 0) return { deleted, ...found };
  const took = busy.map(({ ms }) => ms);
  const pruningSeconds = Math.max(1, busy.at(-1).at - busy[0].at + busy[0].ms) / 1_000;
  return {
    deleted,
    ...found,
    pieceP50: percentile(took, 0.5),
    pieceP99: percentile(took, 0.99),
    pieceMax: Math.max(...took),
    pruningSeconds,
    deletedPerSecond: deleted / pruningSeconds,
  };
}
