import { createRequire } from 'node:module';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { cronSchedule, newJob, newTrigger } from '../../dist/index.mjs';
import { contest, progress } from '../lib/contest.mjs';
import { fillConsole } from '../lib/filled-console.mjs';
import { largestInputs } from '../lib/largest-inputs.mjs';
import { latenessOf, operatedNode, startsBetween } from '../lib/operated.mjs';
import { argumentsOf, databaseOptions, settings } from '../lib/options.mjs';
import { ourScheduler } from '../lib/our-scheduler.mjs';
import { columns, describeMachine, printJson } from '../lib/report.mjs';
import { formatNumber, percentile } from '../lib/statistics.mjs';
import { dueRows } from '../lib/tables.mjs';

const { OPERATIONS } = createRequire(import.meta.url)('../../build/operations/operations.js');

export const usage = `  operations [--n 100000] [--runs 100000] [--k 200] [--seconds 2] [--only jobs.,triggers.p] [--most 50]
         duration of every operation with its largest inputs, over HTTP, and start lateness of k triggers that fire every second
         beside n others: first on the node that fires, then changes from another node. --seconds: time for which each operation
         is repeated or waited for. Fails if jobs start more than --most ms late at p99. --only: beginnings of operation names.`;

/** Until the first job starts: for the nodes to start. */
const LEAD_MS = 3_000;

/** What the node does by itself after its start is not measured. */
const WARM_MS = 4_000;

/** What pauses the measured triggers: starts count that were scheduled before it was answered, or after it ends. */
const PAUSES_ALL = ['scheduler.pauseAll', 'scheduler.resumeAll'];

/** What has many times to run again, in a group that no measured trigger has. */
const HELD = { name: 'minutes', group: 'held' };

/**
 * Instead of the inputs of the tests: those would pause the triggers that are measured, drain the node that fires them, or name what is stored
 * in the tests alone.
 */
const OWN_INPUTS = {
  'triggers.pauseMany': [{ group: 'big', dryRun: false, reason: 'r'.repeat(1_000) }],
  'triggers.resumeMany': [{ group: 'big', dryRun: false }],
  'deadLetters.rerun': [{ all: true }],
  'jobs.interrupt': [{ name: 'j0', group: 'big' }],
  'nodes.drain': [{ instanceId: 'n2' }],
  'nodes.undrain': [{ instanceId: 'n2' }],
};

/** Fields of an input that depend on what is stored by then. */
const CHOSEN = {
  'runs.show': async (client) => ({ runId: (await client.call('runs.list', { limit: 1 })).items[0]?.runId }),
  'runs.rerun': async (client) => ({
    runId: (await client.call('runs.list', { limit: 1, outcome: ['failed'] })).items[0]?.runId,
  }),
  'firings.interrupt': async (client) => ({ runId: (await client.call('firings.list', { limit: 1 })).items[0]?.runId }),
  'overrides.drop': async (client) => {
    const { items } = await client.call('overrides.list', { limit: 1 });
    const { what, group, name } = items[0] ?? {};
    return { what, group, name };
  },
  'backfills.drop': async (client) => {
    const { items } = await client.call('backfills.list', {});
    return { group: items.toSorted((one, other) => other.left - one.left)[0]?.group };
  },
};

export async function run(args) {
  const own = {
    n: 100_000,
    runs: 100_000,
    overdue: 1_000,
    k: 200,
    seconds: 2,
    only: '',
    most: 50,
  };
  const chosen = databaseOptions(args, own);
  const report = await contest(chosen, async ({ server, sides }) => {
    const [{ tables, settings: configured }] = await sides();
    await fill(tables, chosen);
    const at = Date.now() + LEAD_MS;
    await tables.load(dueRows({ n: chosen.k, at, spread: 1_000, scattered: true, interval: 1_000 }));
    const values = { ...tables.settings, ...configured, log: 'error' };
    const firing = await operatedNode({ ...values, id: 'n1', fires: 1 });
    const other = await operatedNode({ ...values, id: 'n2' });
    const ready = firing.node.ready();
    firing.node.say();
    await ready;
    await pause(at + WARM_MS - Date.now());
    const rows = await measureAll({ firing, other }, chosen);
    return { server, load: loadavg()[0], triggers: chosen.n, k: chosen.k, most: chosen.most, rows };
  });
  if (chosen.json) printJson(report);
  else show(report);
  if (report.rows.some(({ p99 }) => p99 > chosen.most)) process.exitCode = 1;
}

async function fill(tables, chosen) {
  const loader = await ourScheduler(settings(argumentsOf({ ...tables.settings, id: 'loader' })), {
    noop: async () => {},
    seldom: async () => {},
  });
  await fillConsole({ tables, scheduler: loader, chosen, now: Date.now() });
  const held = newJob('noop').withIdentity(HELD.name, HELD.group).storeDurably().build();
  const everyMinute = cronSchedule('0 * 0-22 1-7 1 ?');
  await loader.scheduleJob(
    held,
    newTrigger().withIdentity(HELD.name, HELD.group).startAt(new Date('2024-01-01')).withSchedule(everyMinute).build(),
  );
  await loader.shutdown();
  // Nodes that never answer would make each pause wait for them.
  await tables.query('DELETE FROM QRTZ_SCHEDULER_STATE');
}

async function measureAll({ firing, other }, chosen) {
  const rows = [];
  const requests = await requestsOf(chosen);
  const bar = progress(requests.length, 'operations');
  const nothing = { operation: '(nothing)', call: () => pause(1_000) };
  for (const each of [nothing, ...requests, nothing]) {
    bar.now(each.operation);
    rows.push(await measured(each, { firing, other, chosen }));
    bar.step();
  }
  bar.end();
  return rows;
}

/** The operations in the order of the table, of the firing node; then the changes, of another node; at last those that delete. */
async function requestsOf({ only }) {
  const largest = await largestInputs();
  const all = Object.entries(OPERATIONS)
    .filter(([operation]) => only.split(',').some((start) => operation.startsWith(start)))
    .flatMap(([operation, { effect }]) =>
      (OWN_INPUTS[operation] ?? largest[operation]).map((input, index) => ({ operation, effect, index, input })),
    );
  const changing = all.filter(({ effect }) => effect === 'changes');
  return [
    ...all.filter(({ effect }) => effect !== 'destroys'),
    ...changing.map((each) => ({ ...each, ofOther: true, input: anew(each) })),
    ...all.filter(({ effect }) => effect === 'destroys'),
  ];
}

/** The same input under other names, where it was stored already; a changed one where the same would change nothing. */
function anew({ operation, input }) {
  const again = (name) => `${name} again`;
  if (operation === 'schedule.apply') return { text: input.text.replaceAll('name: f', 'name: g') };
  if (operation === 'calendars.edit') return { ...input, timeZone: 'Asia/Tokyo' };
  if (!operation.endsWith('.add') || input.name === undefined || operation === 'backfills.add') return input;
  const triggers = input.triggers?.map((each) => ({ ...each, name: again(each.name) }));
  return { ...input, name: again(input.name), ...(triggers !== undefined && { triggers }) };
}

async function measured({ operation, effect, index = 0, input, ofOther = false, call }, { firing, other, chosen }) {
  const { seconds, k } = chosen;
  await firing.node.stop(); // what started before
  const { client } = ofOther ? other : firing;
  const whole = { ...input, ...(await CHOSEN[operation]?.(client)) };
  const request = call ?? (() => client.call(operation, whole));
  const from = Date.now() + 1; // of this millisecond some may be among those before
  const millis = [];
  let answer = '';
  do {
    const begun = performance.now();
    answer = await request().then(
      () => '',
      ({ code, message }) => code ?? message,
    );
    millis.push(performance.now() - begun);
  } while (effect === 'reads' && Date.now() - from < seconds * 1_000);
  const answered = Date.now();
  const lasted = Math.max(seconds, Math.ceil((answered - from) / 1_000));
  const pausesAll = PAUSES_ALL.indexOf(operation);
  const window = {
    from: pausesAll === 1 ? answered + 1_000 : from,
    to: from + lasted * 1_000,
    expected: lasted * k,
  };
  if (pausesAll === 0) Object.assign(window, { to: answered, expected: 0 });
  if (pausesAll === 1) Object.assign(window, { to: answered + 1_000 + seconds * 1_000, expected: seconds * k });
  await pause(window.to + 50 - Date.now());
  const lateness = latenessOf(await startsBetween(firing.node, window));
  const took = { times: millis.length, tookP50: percentile(millis, 0.5), tookMax: Math.max(...millis) };
  return {
    operation,
    index,
    of: call ? '' : ofOther ? 'another node' : 'the firing node',
    answer,
    ...took,
    ...lateness,
  };
}

const HEAD = [
  'operation',
  'sent to',
  'times',
  'duration p50, ms',
  'max',
  'starts',
  'lateness p50, ms',
  'p99',
  'max',
  '',
];

function show({ server, load, triggers, k, most, rows }) {
  console.log(`${describeMachine()}, load ${load.toFixed(1)}`);
  console.log(`Operations: ${formatNumber(triggers)} triggers, ${formatNumber(k)} fire every second. ${server}\n`);
  for (const line of columns([HEAD, ...rows.map((row) => cellsOf(row, most))])) console.log(line);
  const late = rows.filter(({ p99 }) => p99 > most).length;
  console.log(`\n${late === 0 ? 'All' : `${rows.length - late} of ${rows.length}`} within ${most} ms at p99.`);
}

function cellsOf(row, most) {
  const number = (value) => (value === undefined ? '–' : formatNumber(value));
  const remarks = [row.answer, row.missing > 0 && `${row.missing} missing`, row.p99 > most && 'too late'];
  return [
    row.index === 0 ? row.operation : `${row.operation}, ${row.index + 1}`,
    row.of,
    ...[row.times, row.tookP50, row.tookMax, row.starts, row.p50, row.p99, row.max].map(number),
    remarks.filter(Boolean).join(', '),
  ];
}
