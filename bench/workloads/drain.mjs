import { compared, contest } from '../lib/contest.mjs';
import { databaseOptions } from '../lib/options.mjs';
import { costs, LATENESS, print } from '../lib/report.mjs';
import { drainRound } from '../lib/rounds.mjs';
import { formatNumber } from '../lib/statistics.mjs';
import { farRows } from '../lib/tables.mjs';

export const usage = `  drain [--n 4000] [--jobs many|one] [--nodes N] [--far N] [--max-seconds 60] [--no-java]
         n due triggers that fire once, with one job each or one job for all. Each of these is compared with the plain drain: --nodes:
         several nodes; --far: N more triggers that are due in days.`;

const FIGURES = [['perSecond', 'firings per second', 0], ...LATENESS, ...costs()];

export async function run(args) {
  const own = { n: 4_000, jobs: ['many', 'one'], nodes: 1, far: 0, 'max-seconds': 60, 'no-java': false };
  const chosen = databaseOptions(args, own);
  const report = await contest(chosen, async ({ server, sides }) =>
    compared({
      workload: 'drain',
      title: title(chosen),
      server,
      rounds: chosen.rounds,
      sides: await variants(chosen, sides),
      measure: (side) => drainRound(side, { ...chosen, nodes: side.nodes ?? 1 }),
      figures: FIGURES,
      main: 'perSecond',
    }),
  );
  print([report], chosen);
}

/** Each side, and the variants that are compared with it. */
async function variants({ far, nodes }, sides) {
  const plain = await sides();
  const noted = (all, note, values) => all.map((side) => ({ ...side, label: `${side.label}, ${note}`, ...values }));
  return [
    ...plain,
    ...(nodes > 1 ? noted(plain, `${nodes} nodes`, { nodes }) : []),
    ...(far > 0 ? noted(await withFar(await sides('_far'), far), `${formatNumber(far)} far`) : []),
  ];
}

async function withFar(sides, far) {
  for (const { tables } of sides) {
    await tables.load(farRows(far, Date.now()));
    await tables.settle();
  }
  return sides;
}

function title({ n, jobs, threads, batch }) {
  const each = jobs === 'many' ? 'one job each' : 'one job for all';
  const batches = batch === undefined ? '' : `, batches of ${batch}`;
  return `Drain: ${formatNumber(n)} due one-shot triggers, ${each}, ${threads} concurrent jobs${batches}`;
}
