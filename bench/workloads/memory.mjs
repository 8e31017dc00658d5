import { interleaved } from '../lib/contest.mjs';
import { drain, LineNode } from '../lib/line-node.mjs';
import { options } from '../lib/options.mjs';
import { costs, LATENESS, print, reportOf, together } from '../lib/report.mjs';
import { buildJava, javaMissing, ourNode } from '../lib/sides.mjs';
import { formatNumber } from '../lib/statistics.mjs';

export const usage = `  memory [--n 200000] [--only drain|one-job|burst|idle] [--threads 25] [--batch 100]
         drain: n due one-shot triggers, one job each. one-job: n triggers of one job (the real Quartz is stopped after 40 s).
         burst: 1,000 triggers at the same instant, 1,000 concurrent jobs. idle: CPU of a started scheduler over 60 s.`;

const RATES = [['perSecond', 'firings per second', 0], ['midPerSecond', 'middle half, per second', 0], ...costs()];

export async function run(args) {
  const chosen = options(args, { n: 200_000, batch: 100, only: ['all', 'drain', 'one-job', 'burst', 'idle'] });
  const sides = sidesOf(chosen);
  const parts = { drain: drainReport, 'one-job': oneJobReport, burst: burstReport, idle: idleReport };
  const reports = [];
  for (const [name, report] of Object.entries(parts)) {
    if (chosen.only === 'all' || chosen.only === name) reports.push(await report(sides, chosen));
  }
  print(reports, chosen);
}

function sidesOf(chosen) {
  const ours = { name: 'ours', label: 'quartz-ts', node: (values) => ourNode('fire', values) };
  const missing = chosen['no-java'] ? 'not asked for' : javaMissing();
  if (missing !== null) {
    console.error(`Without the real Quartz: ${missing}.`);
    return [ours];
  }
  const java = buildJava();
  const node = (values) => new LineNode('java', java('fire', { store: 'ram', ...values }));
  return [ours, { name: 'java', label: 'Quartz 2.3.2 (Java)', node }];
}

/** A fresh process for each round of each side, with all that is to fire already in its memory. */
async function report({ sides, rounds, values, maxSeconds, ...rest }) {
  const measure = async (side) => {
    const { cut, ...result } = await drain(side.node(values), values.n, maxSeconds);
    return { ...together([result]), cut };
  };
  const seen = await interleaved({ label: rest.workload, rounds, sides, measure });
  return reportOf({ server: 'In memory', seen, ...rest });
}

const drainReport = (sides, { n, threads, batch, rounds }) =>
  report({
    workload: 'drain',
    title: `Drain: ${formatNumber(n)} due one-shot triggers, one job each, ${threads} concurrent jobs`,
    ...{ sides, rounds, values: { n, threads, batch, kind: 'many' }, maxSeconds: 120 },
    ...{ figures: RATES, main: 'perSecond' },
  });

const oneJobReport = (sides, { n, threads, batch, rounds }) =>
  report({
    workload: 'one-job',
    title: `Drain: ${formatNumber(n)} due one-shot triggers on one job, ${threads} concurrent jobs`,
    ...{ sides, rounds, values: { n, threads, batch, kind: 'one' }, maxSeconds: 40 },
    ...{ figures: RATES, main: 'perSecond' },
  });

const burstReport = (sides, { rounds }) =>
  report({
    workload: 'burst',
    title: 'Burst: 1,000 triggers on one instant, 1,000 concurrent jobs',
    ...{ sides, rounds, values: { n: 1_000, threads: 1_000, batch: 1_000, delay: 3_000 }, maxSeconds: 20 },
    ...{ figures: LATENESS, main: 'lateP99', lessIsBetter: true },
  });

const IDLE_SECONDS = 60;

async function idleReport(sides) {
  // The triggers are far more than that away, so that the node waits and does nothing else; it reports nothing either.
  const values = { n: 100, delay: 3_600_000, report: 3_600_000 };
  const measure = async (side) => {
    const { cpuMs, wallMs } = await drain(side.node(values), 1, IDLE_SECONDS);
    return { nodeCpu: (100 * cpuMs) / wallMs };
  };
  const seen = await interleaved({ label: `idle, ${IDLE_SECONDS} s`, rounds: 1, sides, measure });
  const figures = [['nodeCpu', 'CPU of a node, % of a core', 3]];
  const title = `Idle: one node, over ${IDLE_SECONDS} s`;
  return reportOf({ workload: 'idle', title, server: 'In memory', seen, figures, main: 'nodeCpu', lessIsBetter: true });
}

/** A store in memory has its own benchmark, with the same nodes and more of everything: runs that part of it. */
export async function inMemory({ rounds, json, svg, 'no-java': noJava }, part) {
  const flags = [...(json ? ['--json'] : []), ...(noJava ? ['--no-java'] : []), ...(svg ? ['--svg', svg] : [])];
  await run(['--only', part, '--rounds', String(rounds), ...flags]);
}
