import { newJob } from '../../dist/index.mjs';
import { contest, interleaved } from '../lib/contest.mjs';
import { options, settings } from '../lib/options.mjs';
import { ourScheduler } from '../lib/our-scheduler.mjs';
import { costs, print, reportOf } from '../lib/report.mjs';
import { drainRound } from '../lib/rounds.mjs';
import { formatNumber } from '../lib/statistics.mjs';
import { DUE, TEMPLATE } from '../lib/tables.mjs';

export const usage = `  limits [--n 10000] [--nodes 3] [--limit 5]
         n due one-shot triggers on three nodes: without a limit, with ten keys of --limit concurrent runs each, and with one
         such key.`;

const FIGURES = [['perSecond', 'firings per second', 0], ...costs()];

/** The keys are told apart by the last digit of the job's name. */
const TEN_KEYS = `UPDATE QRTZ_JOB_DETAILS SET JOB_DATA = REPLACE(JOB_DATA, 'key-0', CONCAT('key-', SUBSTR(JOB_NAME, -1)))
  WHERE JOB_GROUP = '${DUE}'`;

export async function run(args) {
  const chosen = options(args, { n: 10_000, nodes: 3, limit: 5, 'max-seconds': 180 });
  chosen['no-java'] = true; // it has no limits
  const { n, nodes, limit, rounds } = chosen;
  const report = await contest(chosen, async ({ server, sides }) => {
    const [plain] = await sides();
    const [tenKeys] = await sides('_ten');
    const [oneKey] = await sides('_one');
    for (const side of [tenKeys, oneKey]) await limitTemplate(side, limit);
    const contestants = [
      { ...plain, label: 'no limit' },
      { ...tenKeys, label: `ten keys, ${limit} each`, more: [TEN_KEYS] },
      { ...oneKey, label: `one key, ${limit}` },
    ];
    const measure = (side) => drainRound(side, { ...chosen, kind: 'once', jobs: 'many', more: side.more });
    const seen = await interleaved({ label: 'limits', rounds, sides: contestants, measure });
    const title = `Limits: ${formatNumber(n)} due one-shot triggers, ${nodes} nodes`;
    return reportOf({ workload: 'limits', title, server, seen, figures: FIGURES, main: 'perSecond' });
  });
  print([report], chosen);
}

/** The job that is multiplied has a limit. */
async function limitTemplate({ tables }, limit) {
  const values = settings(
    Object.entries({ ...tables.settings, id: 'loader' }).map(([key, value]) => `${key}=${value}`),
  );
  const scheduler = await ourScheduler(values, { noop: async () => {} });
  const job = newJob('noop').withIdentity(TEMPLATE, TEMPLATE).storeDurably().withConcurrency({ key: 'key-0', limit });
  await scheduler.addJob(job.build(), { replace: true });
  await scheduler.shutdown();
}
