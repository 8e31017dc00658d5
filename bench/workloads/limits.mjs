import { contest, interleaved } from '../lib/contest.mjs';
import { options } from '../lib/options.mjs';
import { costs, print, reportOf } from '../lib/report.mjs';
import { drainRound } from '../lib/rounds.mjs';
import { changeTemplate, TEN_KEYS } from '../lib/sides.mjs';
import { formatNumber } from '../lib/statistics.mjs';

export const usage = `  limits [--n 10000] [--nodes 3] [--limit 5]
         n due one-shot triggers on three nodes: without a limit, with ten keys of --limit concurrent runs each, and with one
         such key. Then on one node: without a limit, and with a key that is never full.`;

const FIGURES = [['perSecond', 'firings per second', 0], ...costs()];

const NEVER_FULL = 1_000;

export async function run(args) {
  const chosen = options(args, { n: 10_000, nodes: 3, limit: 5, 'max-seconds': 180 });
  chosen['no-java'] = true; // it has no limits
  const { n, nodes, limit, rounds } = chosen;
  const reports = await contest(chosen, async ({ server, sides }) => {
    const [plain] = await sides();
    const [tenKeys] = await sides('_ten');
    const [oneKey] = await sides('_one');
    for (const side of [tenKeys, oneKey]) await changeTemplate(side, 'limited', limit);
    const [free] = await sides('_free');
    await changeTemplate(free, 'limited', NEVER_FULL);
    const contestants = [
      { ...plain, label: 'no limit' },
      { ...tenKeys, label: `ten keys, ${limit} each`, more: [TEN_KEYS] },
      { ...oneKey, label: `one key, ${limit}` },
    ];
    const alone = [
      { ...plain, label: 'no limit' },
      { ...free, label: `one key, ${formatNumber(NEVER_FULL)}` },
    ];
    const reported = async (contenders, count) => {
      const values = { ...chosen, nodes: count, kind: 'once', jobs: 'many' };
      const measure = (side) => drainRound(side, { ...values, more: side.more });
      const seen = await interleaved({ label: 'limits', rounds, sides: contenders, measure });
      const title = `Limits: ${formatNumber(n)} due one-shot triggers, ${count === 1 ? 'one node' : `${count} nodes`}`;
      return reportOf({ workload: 'limits', title, server, seen, figures: FIGURES, main: 'perSecond' });
    };
    return [await reported(contestants, nodes), await reported(alone, 1)];
  });
  print(reports, chosen);
}
