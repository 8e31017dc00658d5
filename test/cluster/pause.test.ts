import { GroupMatcher } from '../../src';
import { SystemClock } from '../../src/base/clock';
import { checkHistory, describeVerdict, type Run } from '../chaos/checker/check-history';
import { IS_ALONE } from './support/chaos-settings';
import { type Cluster, QUICK, SCHED_NAME } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import { overlapsInEffect } from './support/exclusive-in-effect';
import { report } from './support/figures';
import type { Start } from './support/history';
import { HOURLY, MIXED_LOADS } from './support/loads';
import { monotonic } from './support/monotonic.cjs';
import type { NodeProcess } from './support/node-process';
import { expectRest, expectSound, firstToSee, inCluster } from './support/proof';
import type { Tables } from './support/tables';
import { pause } from './support/time';
import { type ExpectedTrigger, expectedTriggers, type Load, schedule } from './support/workload';

/*
 * A process is stopped with SIGSTOP for longer than its lease, until another node has recovered it, in the middle of a non-concurrent job. Then it
 * continues.
 */

const clock = new SystemClock();

/** The long form has the default check-in: 15 s until other nodes recover the node. */
const PACE = IS_ALONE ? {} : QUICK;
const DURATION = IS_ALONE ? 25_000 : 14_000;
const LEAD = 1_500;

/**
 * Maximum time from SIGCONT until the job is aborted: less than the time until the next check-in, or on a slow machine less than half of the time to
 * join again. The short form only checks the order: the job is aborted before the process joins again.
 */
const UNTIL_ABORTED = 250;

const HELD: Load = {
  name: 'held',
  jobs: 1,
  triggers: 1,
  interval: 1_000_000,
  duration: 60_000,
  schedule: 'simple',
  exclusive: true,
  recovers: true,
  data: { tell: true },
};

interface Story {
  readonly paused: NodeProcess;
  /** Nodes that did not confirm a pause of triggers while the process was stopped. */
  readonly unconfirmed: readonly string[];
  readonly resumedAt: number;
  readonly epochs: readonly string[];
  readonly joinedAgainAt: number;
}

async function epochOf({ tables }: Cluster, { name }: NodeProcess): Promise<string> {
  const where = `SCHED_NAME = '${SCHED_NAME}' AND INSTANCE_NAME = '${name}'`;
  const [row] = await tables.query<{ epoch: string }>(`SELECT EPOCH AS epoch FROM QRTZ_X_NODES WHERE ${where}`);
  return row?.epoch ?? '';
}

/**
 * Sends SIGSTOP, but not during a transaction on SQLite, because its lock would block all writers until SIGCONT. A server ends such a transaction
 * itself.
 */
async function stop({ tables }: Cluster, node: NodeProcess): Promise<void> {
  for (;;) {
    node.send('SIGSTOP');
    if (tables.kind === 'mysql' || (await isWritable(tables, 100))) return;
    node.send('SIGCONT');
    await isWritable(tables, 5_000);
  }
}

/** Returns true if a write transaction can begin within `patience` ms. Live nodes block it only for a short time. */
function isWritable({ query }: Tables, patience: number): Promise<boolean> {
  return query(`PRAGMA busy_timeout = ${patience}; BEGIN IMMEDIATE; ROLLBACK`).then(
    () => true,
    () => false,
  );
}

/** Stops the node that runs the job until another node runs the job, and then continues the first one. */
async function pauseTheHolder(cluster: Cluster, nodes: readonly NodeProcess[], begun: Promise<{ node: NodeProcess }>) {
  const { node: paused } = await begun;
  const before = await epochOf(cluster, paused);
  const again = firstToSee(
    nodes.filter((node) => node !== paused),
    'start held-0',
  );
  cluster.willBeFenced(paused);
  await stop(cluster, paused);
  const ofNobody = GroupMatcher.groupEquals('of-nobody');
  const { unconfirmed } = await cluster.withScheduler((scheduler) => scheduler.pauseTriggers(ofNobody));
  const { node: heir } = await again;
  const signs = ['nodeFenced', 'completionFenced', 'nodeJoined'].map((event) => paused.seen(event));
  const resumedAt = monotonic();
  paused.send('SIGCONT');
  const [, , joinedAgainAt = Number.NaN] = await Promise.all(signs);
  await heir.command('call', { method: 'interrupt', args: ['held-0'] });
  return { paused, unconfirmed, resumedAt, joinedAgainAt, epochs: [before, await epochOf(cluster, paused)] };
}

function expectFenced(run: Run, { paused, resumedAt, epochs, joinedAgainAt }: Story): void {
  const { history, audit } = run;
  const own = history.filter(({ node }) => node === paused.name);
  const held = own.find((line): line is Start => line.line === 'start' && line.job === 'held-0');
  const fenced = own.flatMap((line) => (line.line === 'event' && line.type === 'nodeFenced' ? [line] : []));
  const refused = own.flatMap((line) => (line.line === 'event' && line.type === 'completionFenced' ? [line.id] : []));
  const aborted = own.find((line) => line.line === 'abort' && line.id === held?.id);
  const firesAgain = own.filter(({ line, mono }) => line === 'start' && mono > joinedAgainAt);
  report(
    `aborted ${Math.round((aborted?.mono ?? Number.NaN) - resumedAt)} ms and joined again ${Math.round(joinedAgainAt - resumedAt)} ms after SIGCONT`,
    `${refused.length} completions refused, ${firesAgain.length} firings afterwards`,
    describeVerdict(checkHistory(run)),
  );
  // It detects that its lease has expired or that another node has recovered it, and reports one of these once.
  expect(['leaseExpired', 'takenOver']).toContain(fenced[0]?.reason);
  expect(fenced).toHaveLength(1);
  expect(fenced[0]?.mono).toBeGreaterThan(resumedAt);
  expect(refused).toContain(held?.id);
  const joining = joinedAgainAt - resumedAt;
  const limit = IS_ALONE ? Math.max(UNTIL_ABORTED, joining / 2) : joining;
  expect((aborted?.mono ?? Number.NaN) - resumedAt).toBeLessThan(limit);
  expect(audit.filter(({ op, entryId }) => op === 'D' && entryId === held?.id)).toHaveLength(1);
  expect(new Set(epochs).size).toBe(2);
  expect(epochs).not.toContain('');
  expect(firesAgain.length).toBeGreaterThan(0);
}

function plan(from: number): readonly ExpectedTrigger[] {
  const to = from + DURATION;
  return [...expectedTriggers([...MIXED_LOADS, HOURLY], from, to), ...expectedTriggers([HELD], from + LEAD, to)];
}

const PATIENCE = DURATION + 90_000;

async function prove(cluster: Cluster): Promise<void> {
  const nodes = await Promise.all(['n1', 'n2', 'n3'].map((name) => cluster.start(name)));
  const begun = firstToSee(nodes, 'start held-0');
  const from = clock.now() + 500;
  const expected = plan(from);
  await cluster.withScheduler((scheduler) => schedule(scheduler, expected));
  const story = await pauseTheHolder(cluster, nodes, begun);
  await pause(from + DURATION - clock.now());
  await expectRest(cluster, nodes, 1);
  const run = await cluster.run(expected);
  // The stopped process may have fired a paused trigger without beginning its run.
  expect(story.unconfirmed).toEqual([story.paused.name]);
  expectFenced(run, story);
  expectSound(run);
  expect(overlapsInEffect(run)).toEqual([]);
}

describeOnServerFirst((newTables) => {
  it(
    'a process that was stopped beyond its lease is reported by a pause, changes nothing, and joins again',
    async () => inCluster(await newTables(), PACE, prove, PATIENCE),
    PATIENCE + 20_000,
  );
});
