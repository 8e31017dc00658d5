import { loadavg } from 'node:os';
import { consoleQuestions } from '../lib/console-questions.mjs';
import { serveConsole } from '../lib/console-server.mjs';
import { contest, progress } from '../lib/contest.mjs';
import { fillConsole, placesIn } from '../lib/filled-console.mjs';
import { argumentsOf, databaseOptions, settings } from '../lib/options.mjs';
import { ourScheduler, SCHEDULER } from '../lib/our-scheduler.mjs';
import { columns, describeMachine, printJson } from '../lib/report.mjs';
import { formatNumber, percentile } from '../lib/statistics.mjs';

export const usage = `  console [--n 100000] [--runs 1000000] [--overdue 10000] [--times 200] [--only jobs.list] [--most 100]
         duration and database cost of every reading operation, with every filter and sort, over HTTP, --times times each in
         shuffled order. Fails if one takes longer than --most ms at p99. --only: operations whose names begin with this text.`;

export async function run(args) {
  const own = {
    n: 100_000,
    runs: 1_000_000,
    times: 200,
    overdue: 10_000,
    only: '',
    most: 100,
  };
  const chosen = databaseOptions(args, own);
  const { report, rows } = await contest(chosen, async ({ server, sides }) => {
    const [{ tables }] = await sides();
    const scheduler = await ourScheduler(settings(argumentsOf({ ...tables.settings, id: 'console' })), {
      noop: async () => {},
    });
    const shown = await serveConsole(scheduler);
    const request = (path) => answerOf(`${shown.url}/api/schedulers/${SCHEDULER}${path}`);
    try {
      const now = Date.now();
      await fillConsole({ tables, scheduler, chosen, now });
      const places = await placesIn(tables, chosen);
      const questions = consoleQuestions({ n: chosen.n, places, now }).filter(({ operation }) =>
        operation.startsWith(chosen.only),
      );
      const costs = await costsOf({ questions, tables, request });
      const load = loadavg()[0];
      const seen = await timesOf({ questions, request, times: chosen.times });
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
  show({ ...report, rows }, chosen);
  if (rows.some(({ p99 }) => p99 > chosen.most)) process.exitCode = 1;
}

/** What one answer costs a server, after another one of its kind: statements, and rows that it reads. */
async function costsOf({ questions, tables, request }) {
  const costs = [];
  for (const { path } of questions) {
    const bytes = Buffer.byteLength(await request(path(0)));
    const before = await tables.counters();
    await request(path(1));
    const after = await tables.counters();
    costs.push({ bytes, statements: after.Questions - before.Questions, read: readsOf(after) - readsOf(before) });
  }
  return costs;
}

const readsOf = (counters) => counters.Handler_read_key + counters.Handler_read_next + counters.Handler_read_prev;

/** The text of a response. Rejects if the status is not 200. */
async function answerOf(url) {
  const response = await fetch(url);
  const text = await response.text();
  if (response.status === 200) return text;
  throw new Error(`${url}: ${response.status} ${text.slice(0, 500)}`);
}

async function timesOf({ questions, request, times }) {
  const seen = questions.map(() => []);
  const bar = progress(times, 'requests');
  for (let round = 0; round < times; round++) {
    for (const index of shuffled(questions.length, round)) {
      const begun = performance.now();
      await request(questions[index].path(round));
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

function show(report, { json, most }) {
  if (json) return printJson(report);
  const { server, load, triggers, runs, times, rows } = report;
  console.log(`${describeMachine()}, load ${load.toFixed(1)}`);
  console.log(
    `Console: ${formatNumber(triggers)} triggers, ${formatNumber(runs)} runs, each ${times} times. ${server}\n`,
  );
  const head = ['operation', 'request', 'statements', 'rows read', 'bytes', 'p50, ms', 'p99, ms', 'max, ms', ''];
  const number = (value) => (Number.isFinite(value) ? formatNumber(value) : '–');
  const lines = rows.map(({ operation, what, statements, read, bytes, p50, p99, max }) => [
    operation,
    what,
    ...[statements, read, bytes].map(number),
    ...[p50, p99, max].map((ms) => formatNumber(ms, 1)),
    p99 > most ? 'too long' : '',
  ]);
  for (const line of columns([head, ...lines])) console.log(line);
  const slow = rows.filter(({ p99 }) => p99 > most).length;
  console.log(`\n${slow === 0 ? 'All' : `${rows.length - slow} of ${rows.length}`} within ${most} ms at p99.`);
}
