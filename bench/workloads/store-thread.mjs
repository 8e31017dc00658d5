import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { progress } from '../lib/contest.mjs';
import { machine } from '../lib/report.mjs';
import { formatSummary, summary } from '../lib/statistics.mjs';

export const usage = `  store-thread [--rounds 3] [--n 20000] [--url mysql://…] [--json]
         n due triggers of an empty job, with and without the store's thread, on a SQLite file or on --url.`;

const NODE = fileURLToPath(new URL('../nodes/store-thread-node.mjs', import.meta.url));
const SIDES = ['true', 'false'];

export async function run(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '3' },
      n: { type: 'string', default: '20000' },
      url: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  const seen = { true: [], false: [] };
  const bar = progress(rounds * SIDES.length, 'store-thread');
  for (let round = 0; round < rounds; round++) {
    for (const storeThread of SIDES) {
      bar.now(`storeThread: ${storeThread}`);
      const printed = execFileSync(process.execPath, [NODE, storeThread, values.url, values.n], { encoding: 'utf8' });
      seen[storeThread].push(JSON.parse(printed));
      bar.step();
    }
  }
  bar.end();
  const results = Object.fromEntries(SIDES.map((side) => [side, figuresOf(seen[side])]));
  if (values.json) console.log(JSON.stringify({ machine: machine(), results }, null, 2));
  else print(results);
}

function figuresOf(runs) {
  const of = (name) => summary(runs.map((run) => run[name]));
  return { perSecond: of('perSecond'), cpuPerFiring: of('cpuPerFiring'), mainLoopBusy: of('mainLoopBusy') };
}

function print(results) {
  for (const [side, { perSecond, cpuPerFiring, mainLoopBusy }] of Object.entries(results)) {
    console.log(`storeThread: ${side}`);
    console.log(`  firings a second    ${formatSummary(perSecond)}`);
    console.log(`  CPU a firing, µs    ${formatSummary(cpuPerFiring)}`);
    console.log(`  main loop busy, %   ${formatSummary(scaled(mainLoopBusy, 100))}`);
  }
}

const scaled = (figures, factor) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, value * factor]));
