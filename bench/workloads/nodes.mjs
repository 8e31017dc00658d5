import { compared, contest } from '../lib/contest.mjs';
import { delayed } from '../lib/delayed.mjs';
import { databaseOptions, UsageError } from '../lib/options.mjs';
import { costs, LATENESS, print } from '../lib/report.mjs';
import { drainRound, spreadRound } from '../lib/rounds.mjs';
import { changeTemplate, JOB_KINDS, TEN_KEYS } from '../lib/sides.mjs';
import { formatNumber } from '../lib/statistics.mjs';

export const usage = `  nodes [--delay 1] [--only drain|spread] [--nodes 1,2,4,8] [--n 2000] [--k 1000] [--threads 25] [--kind plain|alone|limited] [--limit 5]
        [--processes 2] [--warm 4] [--seconds 12] [--max-seconds 120] [--against FOLDER]
         what more nodes bring if each packet between nodes and server takes --delay ms, each way. drain: firings per second of n due one-shot
         triggers, for each number of nodes, in turn. spread: start lateness of k triggers with an interval of 1 s, evenly spread (default: on
         ten nodes in --processes). --kind: jobs that must not overlap, or with a concurrency limit on ten keys. --against: another build, in
         turn. Fails unless each fire time was fired once.`;

const DRAIN_FIGURES = [['perSecond', 'firings per second', 0], ...costs()];
const SPREAD_FIGURES = [
  ['perSecond', 'firings per second', 0],
  ['early', 'started before their time', 0],
  ...LATENESS,
  ...costs(),
];

const KINDS = { plain: 'plain jobs', alone: 'jobs that must not overlap', limited: 'jobs with a limit on ten keys' };

export async function run(args) {
  const own = {
    store: ['mysql'],
    only: ['both', 'drain', 'spread'],
    nodes: String,
    delay: 1,
    n: 2_000,
    k: 1_000,
    kind: JOB_KINDS,
    limit: 5,
    processes: 2,
    warm: 4,
    seconds: 12,
    'max-seconds': 120,
    against: String,
  };
  const chosen = databaseOptions(args, own);
  const counts = countsIn(chosen.nodes);
  const reports = await contest(chosen, async ({ server, sides }) => {
    const builds = await sides();
    for (const build of builds) await changeTemplate(build, chosen.kind, chosen.limit);
    const slow = await delayed(builds, chosen.delay);
    const all = [];
    if (chosen.only !== 'spread')
      all.push(await drainReport(contestants(slow, counts ?? [1, 2, 4, 8]), chosen, server));
    if (chosen.only !== 'drain') all.push(await spreadReport(contestants(slow, counts ?? [10]), chosen, server));
    return all;
  });
  print(reports, chosen);
}

function countsIn(text) {
  if (text === undefined) return undefined;
  const counts = text.split(',').map(Number);
  if (counts.every((count) => Number.isInteger(count) && count > 0)) return counts;
  throw new UsageError(`--nodes ${text}: expected numbers of nodes, such as 1,2,4.`);
}

/** Every build with every number of nodes, builds of one number side by side. */
function contestants(builds, counts) {
  return counts.flatMap((nodes) =>
    builds.map((build) => ({ ...build, nodes, label: `${build.label}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}` })),
  );
}

/** Each number of nodes with the first number of the same build, and each build with the other one on as many nodes. */
function pairsOf(sides) {
  const firstOf = ({ name }) => sides.find((side) => side.name === name);
  const more = sides.filter((side) => side !== firstOf(side)).map((side) => [side, firstOf(side)]);
  const builds = sides.flatMap((side) => {
    const other = sides.find(({ name, nodes }) => name !== side.name && nodes === side.nodes);
    return side.name === 'ours' && other !== undefined ? [[side, other]] : [];
  });
  return [...more, ...builds];
}

function drainReport(sides, chosen, server) {
  const { n, kind } = chosen;
  const settings = { ...chosen, list: 1, more: rowsOf(kind) };
  return compared({
    workload: 'nodes-drain',
    title: title(`Drain: ${formatNumber(n)} due one-shot triggers`, chosen),
    server,
    rounds: chosen.rounds,
    sides,
    measure: (side) => drainRound(side, { ...settings, nodes: side.nodes }),
    figures: DRAIN_FIGURES,
    main: 'perSecond',
    pairs: pairsOf(sides),
  });
}

function spreadReport(sides, chosen, server) {
  const { k, kind, threads, batch, processes, warm, seconds } = chosen;
  const times = { warm: warm * 1_000, millis: seconds * 1_000 };
  const settings = { k, threads, batch, list: 1, more: rowsOf(kind), scattered: false, ...times };
  return compared({
    workload: 'nodes-spread',
    title: title(`Spread: ${formatNumber(k)} triggers at 1 s`, chosen),
    server,
    rounds: chosen.rounds,
    sides,
    measure: ({ nodes, ...side }) => spreadRound(side, { ...settings, nodes, processes: Math.min(nodes, processes) }),
    figures: SPREAD_FIGURES,
    main: 'lateP99',
    lessIsBetter: true,
    pairs: pairsOf(sides),
  });
}

const rowsOf = (kind) => (kind === 'limited' ? [TEN_KEYS] : []);

function title(what, { kind, threads, delay }) {
  return `${what}, ${KINDS[kind]}, ${threads} concurrent jobs a node, ${delay} ms each way`;
}
