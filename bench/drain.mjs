import { contest } from './lib/contest.mjs';
import { drainRound } from './lib/drain-round.mjs';
import { floorRound } from './lib/floor-side.mjs';
import { options } from './lib/options.mjs';
import { print, reportOf } from './lib/report.mjs';
import { interleaved } from './lib/rounds.mjs';
import { farRows } from './lib/rows.mjs';
import { formatNumber } from './lib/statistics.mjs';

export const usage = `  drain [--n 4000] [--jobs many|one] [--nodes 1] [--threads 25] [--batch N] [--far 0] [--max-seconds 60]
         n due one-shot triggers with a job each, or with one job for all; --far more that are due in days.`;

export async function run(args) {
  const chosen = options(args, { n: 4000, jobs: 'many', far: 0, 'max-seconds': 60 });
  const report = await contest(chosen, { floor: true }, async (sides, server) => {
    if (chosen.far > 0) await loadFar(sides, chosen.far);
    const measure = (side) => (side.name === 'floor' ? floorRound(side) : drainRound(side, chosen));
    const seen = await interleaved({ label: 'drain', rounds: chosen.rounds, sides, measure });
    return reportOf({ workload: 'drain', title: title(chosen), server, seen, main: 'perSecond' });
  });
  print(report, chosen);
}

async function loadFar(sides, far) {
  for (const { tables } of sides) {
    await tables.load(farRows(far, Date.now()));
    await tables.settle();
  }
}

function title({ n, jobs, far, nodes, threads }) {
  return [
    `Drain: ${formatNumber(n)} due one-shot triggers, ${jobs === 'many' ? 'one job each' : 'one job for all'}`,
    ...(far > 0 ? [`${formatNumber(far)} far ones`] : []),
    `${nodes} ${nodes === 1 ? 'node' : 'nodes'}`,
    `${threads} concurrent jobs`,
  ].join(', ');
}
