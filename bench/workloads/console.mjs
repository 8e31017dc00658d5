import { loadavg } from 'node:os';
import { consoleQuestions } from '../lib/console-questions.mjs';
import { consoleServer } from '../lib/console-server.mjs';
import { contest, progress } from '../lib/contest.mjs';
import { fillConsole, placesIn } from '../lib/filled-console.mjs';
import { argumentsOf, options, settings } from '../lib/options.mjs';
import { ourScheduler } from '../lib/our-scheduler.mjs';
import { machine } from '../lib/report.mjs';
import { formatNumber, percentile } from '../lib/statistics.mjs';

export const usage = `  console [--n 100000] [--runs 1000000] [--overdue 10000] [--times 200] [--only jobs.list] [--most 100]
         duration and database cost of every reading operation, with every filter and sort, over HTTP, --times times each in
         shuffled order. Fails if one takes longer than --most ms at p99. --only: operations whose names begin with this text.`;

export async function run(args) {
  const own = {
    store: ['mysql', 'sqlite'],
    n: 100_000,
    runs: 1_000_000,
    times: 200,
    overdue: 10_000,
    only: '',
    most: 100,
  };
  const chosen = { ...options(args, own), 'no-java': true };
  const { report, rows } = await contest(chosen, async ({ server, sides }) => {
    const [{ tables }] = await sides();
    const scheduler = await ourScheduler(settings(argumentsOf({ ...tables.settings, id: 'console' })), {
      noop: async () => {},
    });
    const shown = await consoleServer(scheduler);
    try {
      const now = Date.now();
      await fillConsole({ tables, scheduler, chosen, now });
      const places = await placesIn(tables, chosen);
      const questions = consoleQuestions({ n: chosen.n, places, now }).filter(({ operation }) =>
        operation.startsWith(chosen.only),
      );
      const costs = await costsOf({ questions, tables, shown });
      const load = loadavg()[0];
      const seen = await timesOf({ questions, shown, times: chosen.times });
      const all = questions.map((each, index) => ({
        operation: each.operation,
        what: each.what,
        ...costs[index],
        ...figures(seen[index]),
      }));
      return { report: { server, load, triggers: chosen.n, runs: chosen.runs, times: chosen.times }, rows: all };
    } finally {
      await shown.close();
      await scheduler.shutdown();
    }
  });
  tell({ machine: machine(), ...report, rows }, chosen);
  if (rows.some(({ p99 }) => p99 > chosen.most)) process.exitCode = 1;
}

/** What one answer costs a server, after another one of its kind: statements, and rows that it reads. */
async function costsOf({ questions, tables, shown }) {
  const costs = [];
  for (const { path } of questions) {
    const bytes = Buffer.byteLength(await shown.ask(path(0)));
    const before = await tables.reads?.();
    await shown.ask(path(1));
    const after = await tables.reads?.();
    costs.push(
      after === undefined
        ? { bytes }
        : { bytes, statements: after.statements - before.statements, read: after.rows - before.rows },
    );
  }
  return costs;
}

async function timesOf({ questions, shown, times }) {
  const seen = questions.map(() => []);
  const bar = progress(times, 'asking');
  for (let round = 0; round < times; round++) {
    for (const index of shuffled(questions.length, round)) {
      const begun = performance.now();
      await shown.ask(questions[index].path(round));
      seen[index].push(performance.now() - begun);
    }
    bar.step();
  }
  bar.end();
  return seen;
}

/** The same in every run. */
function shuffled(count, round) {
  const order = Array.from({ length: count }, (_, index) => index);
  let seed = round + 1;
  for (let at = count - 1; at > 0; at--) {
    seed = (seed * 48_271) % 2_147_483_647;
    const other = seed % (at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}

function figures(seen) {
  return { p50: percentile(seen, 0.5), p99: percentile(seen, 0.99), max: Math.max(...seen) };
}

function tell(report, { json, most }) {
  if (json) return console.log(JSON.stringify(report, null, 2));
  const { machine: on, server, load, triggers, runs, times, rows } = report;
  console.log(`${on.date}, Node ${on.node}, ${on.processors}, ${on.memory}, load ${load.toFixed(1)}`);
  console.log(
    `Console: ${formatNumber(triggers)} triggers, ${formatNumber(runs)} runs, each ${times} times. ${server}\n`,
  );
  const head = ['operation', 'asked for', 'statements', 'rows read', 'bytes', 'p50, ms', 'p99, ms', 'max, ms', ''];
  const lines = rows.map(({ operation, what, statements, read, bytes, p50, p99, max }) => [
    operation,
    what,
    statements === undefined ? '–' : formatNumber(statements),
    !Number.isFinite(read) ? '–' : formatNumber(read),
    formatNumber(bytes),
    ...[p50, p99, max].map((ms) => formatNumber(ms, 1)),
    p99 > most ? 'too long' : '',
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column].length)));
  for (const line of [head, ...lines])
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
  const slow = rows.filter(({ p99 }) => p99 > most).length;
  console.log(`\n${slow === 0 ? 'All' : `${rows.length - slow} of ${rows.length}`} within ${most} ms at p99.`);
}
