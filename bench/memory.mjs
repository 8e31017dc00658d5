import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildJava, javaMissing } from './lib/java.mjs';
import { drain, LineNode } from './lib/line-node.mjs';
import { machine } from './lib/machine.mjs';
import { progress } from './lib/progress.mjs';
import { formatNumber, formatSummary, median, summary } from './lib/statistics.mjs';

export const usage = `  memory [--rounds 3] [--n 200000] [--only drain|one-job|burst|idle] [--no-java] [--json]
         drain: n due one-shot triggers, one job each; one-job: n triggers on one job (the real Quartz is cut at 40 s);
         burst: 1,000 triggers on one second, 1,000 concurrent jobs; idle: CPU of a started scheduler over 60 s.`;

const NODE = fileURLToPath(new URL('./memory-node.mjs', import.meta.url));
const ours = (settings) =>
  new LineNode(process.execPath, [NODE, ...Object.entries(settings).map(([k, v]) => `${k}=${v}`)]);
const perSecond = ({ count, first, last }) => (count * 1000) / Math.max(1, last - first);

export async function run(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '3' },
      n: { type: 'string', default: '200000' },
      only: { type: 'string' },
      'no-java': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const options = { rounds: Number(values.rounds), n: Number(values.n), java: null };
  const missing = values['no-java'] ? 'not asked for' : javaMissing();
  if (missing === null) options.java = buildJava();
  else console.error(`Without the real Quartz: ${missing}.`);

  const parts = { drain: measureDrain, 'one-job': measureOneJob, burst: measureBurst, idle: measureIdle };
  const chosen = Object.entries(parts).filter(([name]) => values.only === undefined || values.only === name);
  const results = {};
  for (const [name, measure] of chosen) results[name] = await measure(options);
  if (values.json) console.log(JSON.stringify({ machine: machine(), results }, null, 2));
  else print(results);
}

/** Ours and the real Quartz in turn, so that a slow phase of the machine hits both. */
async function interleaved(label, options, settings, maxSeconds) {
  const seen = { ours: [], java: [] };
  const sides = [['ours', () => ours(settings)]];
  if (options.java) {
    sides.push(['java', () => new LineNode('java', options.java('fire', { store: 'ram', ...settings }))]);
  }
  const bar = progress(options.rounds * sides.length, label);
  for (let round = 0; round < options.rounds; round++) {
    for (const [side, start] of sides) {
      bar.now(side);
      const result = await drain(start(), settings.n, maxSeconds);
      seen[side].push({ ...result, perSecond: perSecond(result) });
      bar.step();
    }
  }
  bar.end();
  return compare(seen);
}

function compare(seen) {
  const rates = (side) => seen[side].map((result) => result.perSecond);
  const cut = (side) => seen[side].some((result) => result.cut);
  return {
    ours: { ...summary(rates('ours')), cut: cut('ours') },
    ...(seen.java.length > 0
      ? { java: { ...summary(rates('java')), cut: cut('java') }, ratio: median(rates('ours')) / median(rates('java')) }
      : {}),
  };
}

const measureDrain = (options) =>
  interleaved('drain', options, { kind: 'many', n: options.n, threads: 25, batch: 100 }, 120);

const measureOneJob = (options) =>
  interleaved('one-job', options, { kind: 'one', n: options.n, threads: 25, batch: 100 }, 40);

async function measureBurst(options) {
  const bar = progress(options.rounds, 'burst');
  const results = [];
  for (let round = 0; round < options.rounds; round++) {
    results.push(await drain(ours({ kind: 'many', n: 1000, threads: 1000, delay: 3000 }), 1000, 20));
    bar.step();
  }
  bar.end();
  return {
    p50: summary(results.map((r) => r.p50)),
    p99: summary(results.map((r) => r.p99)),
    max: summary(results.map((r) => r.max)),
  };
}

async function measureIdle() {
  const bar = progress(1, 'idle, 60 s');
  bar.now('');
  // Far more than 60 s away, so that the node waits and does nothing else; the report timer is switched off too.
  const result = await drain(ours({ kind: 'many', n: 100, delay: 3_600_000, report: 3_600_000 }), 1, 60);
  bar.end();
  return { cpuMs: result.cpuMs, wallMs: result.wallMs, percentOfOneCore: (100 * result.cpuMs) / result.wallMs };
}

function print(results) {
  const { node, processors, memory, date } = machine();
  console.log(`${date}, Node ${node}, ${processors}, ${memory}`);
  const { drain: drained, 'one-job': oneJob, burst, idle } = results;
  if (drained) printRates('200,000 due one-shot triggers, one job each', drained);
  if (oneJob) printRates('200,000 due one-shot triggers on one job', oneJob);
  if (burst) {
    console.log('1,000 triggers on one second, 1,000 concurrent jobs, start lateness in ms');
    console.log(
      `  p50 ${formatSummary(burst.p50)}   p99 ${formatSummary(burst.p99)}   max ${formatSummary(burst.max)}`,
    );
  }
  if (idle)
    console.log(
      `Idle over ${formatNumber(idle.wallMs / 1000)} s: ${formatNumber(idle.percentOfOneCore, 3)} % of a core`,
    );
}

function printRates(title, { ours: our, java, ratio }) {
  console.log(`${title}, firings per second: median (min–max) of ${our.rounds}`);
  console.log(`  quartz-ts            ${formatSummary(our)}`);
  if (java) console.log(`  Quartz 2.3.2 (Java)  ${formatSummary(java)}${java.cut ? ' (cut)' : ''}`);
  if (ratio) console.log(`  ratio                ${formatNumber(ratio, 1)}`);
}
