import { compared, contest } from '../lib/contest.mjs';
import { databaseOptions } from '../lib/options.mjs';
import { costs, print } from '../lib/report.mjs';
import { drainRound } from '../lib/rounds.mjs';
import { changeTemplate, TEN_KEYS } from '../lib/sides.mjs';
import { formatNumber } from '../lib/statistics.mjs';

export const usage = `  limits [--n 10000] [--nodes 3] [--limit 5]
         n due one-shot triggers on three nodes: without a limit, with ten keys of --limit concurrent runs each, and with one
         such key. Then on one node: without a limit, and with a key that is never full.`;

const FIGURES = [['perSecond', 'firings per second', 0], ...costs()];

const NEVER_FULL = 1_000;

export async function run(args) {
  const chosen = databaseOptions(args, { n: 10_000, nodes: 3, limit: 5, 'max-seconds': 180 });
  const { n, nodes, limit, rounds } = chosen;
  const reports = await contest(chosen, async ({ server, sides }) => {
    const [plain] = await sides();
    const limited = async (name, most) => {
      const [side] = await sides(name);
      await changeTemplate(side, 'limited', most);
      return side;
    };
    const tenKeys = { ...(await limited('_ten', limit)), label: `ten keys, ${limit} each`, more: [TEN_KEYS] };
    const oneKey = { ...(await limited('_one', limit)), label: `one key, ${limit}` };
    const free = { ...(await limited('_free', NEVER_FULL)), label: `one key, ${formatNumber(NEVER_FULL)}` };
    const noLimit = { ...plain, label: 'no limit' };
    const report = (contestants, count) =>
      compared({
        workload: 'limits',
        title: `Limits: ${formatNumber(n)} due one-shot triggers, ${count === 1 ? 'one node' : `${count} nodes`}`,
        server,
        rounds,
        sides: contestants,
        measure: (side) => drainRound(side, { ...chosen, nodes: count, more: side.more }),
        figures: FIGURES,
        main: 'perSecond',
      });
    return [await report([noLimit, tenKeys, oneKey], nodes), await report([noLimit, free], 1)];
  });
  print(reports, chosen);
}
