import { contest, interleaved } from '../lib/contest.mjs';
import { options } from '../lib/options.mjs';
import { costs, LATENESS, print, reportOf } from '../lib/report.mjs';
import { drainRound } from '../lib/rounds.mjs';
import { floorRound } from '../lib/sides.mjs';
import { formatNumber } from '../lib/statistics.mjs';
import { farRows } from '../lib/tables.mjs';
import { inMemory } from './memory.mjs';

export const usage = `  drain [--n 4000] [--kind once|repeat] [--jobs many|one] [--due N] [--far N] [--nodes N] [--watchers N] [--tables own|java] [--max-seconds 60]
         n due triggers that fire once, with one job each or one job for all. --kind repeat: they are due again an hour later.
         Each of these is compared with the plain drain: --due: another number of due triggers; --far: N more triggers that are
         due in days; --nodes: several nodes; --watchers: N clients that read the event stream. --tables java: ours on the
         tables of Quartz's own script.`;

const FIGURES = [
  ['perSecond', 'firings per second', 0],
  ['midPerSecond', 'middle half, per second', 0],
  ...LATENESS,
  ...costs(),
];

export async function run(args) {
  const own = {
    n: 4_000,
    kind: ['once', 'repeat'],
    jobs: ['many', 'one'],
    due: 0,
    far: 0,
    watchers: 0,
    tables: ['own', 'java'],
    'max-seconds': 60,
  };
  const chosen = options(args, own);
  if (chosen.store === 'memory') return inMemory(chosen, chosen.jobs === 'one' ? 'one-job' : 'drain');
  const report = await contest(chosen, async ({ server, sides, floor }) => {
    const contestants = [...(await variants(chosen, sides)), ...(await floor())];
    const measure = (side) =>
      side.name === 'floor'
        ? floorRound(side)
        : drainRound(side, { ...chosen, nodes: 1, watchers: undefined, ...side.varied });
    const seen = await interleaved({ label: 'drain', rounds: chosen.rounds, sides: contestants, measure });
    return reportOf({ workload: 'drain', title: title(chosen), server, seen, figures: FIGURES, main: 'perSecond' });
  });
  print([report], chosen);
}

/** Each side as it is, and with each thing that it is to be compared with. */
async function variants({ due, far, nodes, watchers }, sides) {
  const plain = await sides();
  const varied = (all, note, values) =>
    all.map((side) => ({ ...side, label: `${side.label}, ${note}`, varied: values }));
  return [
    ...plain,
    ...(due > 0 ? varied(plain, `${formatNumber(due)} due`, { n: due }) : []),
    ...(nodes > 1 ? varied(plain, `${nodes} nodes`, { nodes }) : []),
    ...(watchers > 0 ? varied(plain, `${watchers} watchers`, { watchers }) : []),
    ...(far > 0 ? varied(await withFar(await sides('_far'), far), `${formatNumber(far)} far`, {}) : []),
  ];
}

async function withFar(sides, far) {
  for (const { tables } of sides) {
    await tables.load(farRows(far, Date.now()));
    await tables.settle();
  }
  return sides;
}

function title({ n, kind, jobs, threads, batch }) {
  const each = jobs === 'many' ? 'one job each' : 'one job for all';
  const batches = batch === undefined ? '' : `, batches of ${batch}`;
  return `Drain: ${formatNumber(n)} due ${kind === 'once' ? 'one-shot' : 'repeating'} triggers, ${each}, ${threads} concurrent jobs${batches}`;
}
