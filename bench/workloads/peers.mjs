import { fileURLToPath } from 'node:url';
import { contest, interleaved } from '../lib/contest.mjs';
import { LineNode } from '../lib/line-node.mjs';
import { argumentsOf, options, UsageError } from '../lib/options.mjs';
import { print, reportOf } from '../lib/report.mjs';
import { isInstalled } from '../peers/queues/packages.mjs';

export const usage = `  peers [--packages FOLDER] [--redis URL] [--postgres URL] [--n 10000] [--jobs 200]
         a drain, scheduling, and the start in another process of what was scheduled, beside BullMQ (--redis), graphile-worker and
         pg-boss (--postgres), as far as they are installed in FOLDER. Their servers must be running, with durable commits.`;

const NODE = fileURLToPath(new URL('../nodes/peer-node.mjs', import.meta.url));

const PEERS = [
  { name: 'bullmq', label: 'BullMQ', server: 'redis' },
  { name: 'graphile-worker', label: 'graphile-worker', server: 'postgres' },
  { name: 'pg-boss', label: 'pg-boss', server: 'postgres' },
];

const FIGURES = [
  ['perSecond', 'drain, jobs per second', 0],
  ['oneByOne', 'scheduled one by one, per second', 0],
  ['bulk', 'scheduled 1,000 at a time, per second', 0],
  ['p50', 'call to start in another process p50, ms', 0],
  ['p99', 'call to start in another process p99, ms', 0],
];

export async function run(args) {
  const own = { packages: '.', redis: String, postgres: String, n: 10_000, jobs: 200 };
  const chosen = { ...options(args, own), 'no-java': true };
  if (chosen.store === 'memory')
    throw new UsageError('--store memory: expected mysql or sqlite, which other processes share.');
  const report = await contest(chosen, async ({ server, sides }) => {
    const [ours] = await sides();
    const { settings, batch = 100, threads } = { ...chosen, settings: ours.tables.settings };
    const contestants = [
      { name: 'ours', label: ours.label, clear: () => ours.tables.clear(), settings: { ...settings, batch, threads } },
      ...PEERS.flatMap((peer) => takesPart(peer, chosen)),
    ];
    const measure = (side) => roundOf(side, chosen);
    const seen = await interleaved({ label: 'peers', rounds: chosen.rounds, sides: contestants, measure });
    return reportOf({
      workload: 'peers',
      title: 'Beside queues of Node.js',
      server,
      seen,
      figures: FIGURES,
      main: 'perSecond',
    });
  });
  print([report], chosen);
}

function takesPart({ name, label, server }, { packages, [server]: url }) {
  const missing =
    url === undefined ? `no --${server} URL` : isInstalled(packages, name) ? null : `not installed in ${packages}`;
  if (missing !== null) console.error(`Without ${label}: ${missing}.`);
  return missing === null ? [{ name, label, clear: async () => {}, settings: { url, packages } }] : [];
}

async function roundOf(side, { n, jobs }) {
  const start = (what, values = {}) =>
    new LineNode(process.execPath, [NODE, what, ...argumentsOf({ peer: side.name, ...side.settings, ...values })]);
  const play = async (what, values) => {
    await side.clear();
    const node = start(what, values);
    const result = await node.result();
    await node.exit();
    return result;
  };
  const drained = await play('drain', { n });
  const scheduled = await play('schedule');
  await side.clear();
  const worker = start('worker');
  await worker.ready();
  const client = start('client', { n: jobs + 20 });
  await client.result();
  await client.exit();
  return { ...drained, ...scheduled, ...(await worker.stop()) };
}
