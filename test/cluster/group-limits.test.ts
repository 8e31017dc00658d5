import { newJob, newTrigger } from '../../src';
import type { Scheduler } from '../../src/api/scheduler';
import { Cluster, QUICK } from './support/cluster';
import { describeOnServerFirst } from './support/engines';
import { report } from './support/figures';
import type { Line, Start } from './support/history';
import { expectNoErrors, expectRest } from './support/proof';
import type { Tables } from './support/tables';

/*
 * Limits of a group on real nodes: at most two of its runs on each node, and three in the cluster, as recorded by the jobs.
 */

const ON_A_NODE = 2;
const IN_THE_CLUSTER = 3;

const REPORTS = 36;
const DURATION = 250;
const MAILS = 100;
/** Interval of mails, so that they fire while reports wait. */
const SPREAD = 15;

const PATIENCE = 60_000;

/** Stores the reports, which are all due at `at`, and the mails, which are due one after the other. */
async function store(scheduler: Scheduler, at: number): Promise<void> {
  const entries = [
    ...Array.from({ length: REPORTS }, (_, index) => ({ group: 'reports', index, time: at, duration: DURATION })),
    ...Array.from({ length: MAILS }, (_, index) => ({ group: 'mail', index, time: at + index * SPREAD, duration: 1 })),
  ];
  await scheduler.scheduleJobs(
    new Map(
      entries.map(({ group, index, time, duration }) => [
        newJob('record').withIdentity(`${group} ${index}`, group).usingJobData({ duration }).build(),
        [newTrigger().withIdentity(`${group} ${index}`, group).startAt(new Date(time)).build()],
      ]),
    ),
  );
}

const isOf =
  (group: string) =>
  ({ job }: Start): boolean =>
    job.startsWith(`${group} `);

/** Maximum number of these runs at once, on one node and in the cluster. */
function mostAtOnce(history: readonly Line[], starts: readonly Start[]) {
  const ids = new Set(starts.map(({ id }) => id));
  const running = new Map<string, number>();
  const most = { onANode: 0, inTheCluster: 0 };
  for (const each of history) {
    if ((each.line !== 'start' && each.line !== 'end') || !ids.has(each.id)) continue;
    const { line, node } = each;
    running.set(node, (running.get(node) ?? 0) + (line === 'start' ? 1 : -1));
    most.onANode = Math.max(most.onANode, ...running.values());
    most.inTheCluster = Math.max(
      most.inTheCluster,
      [...running.values()].reduce((a, b) => a + b),
    );
  }
  return most;
}

async function prove(tables: Tables): Promise<void> {
  const cluster = await Cluster.with(tables, {
    jobStore: { ...QUICK, groupLimits: { reports: IN_THE_CLUSTER } },
    scheduler: { idleWaitTime: 2_000 },
    threadPool: { threadCount: 15, groupLimits: { reports: ON_A_NODE } },
  });
  try {
    const nodes = await Promise.all(['n1', 'n2'].map((name) => cluster.start(name)));
    await cluster.withScheduler((scheduler) => store(scheduler, Date.now() + 1_000));
    await expectRest(cluster, nodes);
    const history = cluster.history();
    const starts = history.filter((each): each is Start => each.line === 'start');
    expect(new Set(starts.map(({ job }) => job)).size).toBe(REPORTS + MAILS);
    expect(starts).toHaveLength(REPORTS + MAILS);
    const most = mostAtOnce(history, starts.filter(isOf('reports')));
    expect(most).toEqual({ onANode: ON_A_NODE, inTheCluster: IN_THE_CLUSTER });
    const lateness = starts.filter(isOf('mail')).map(({ wall, time }) => wall - time);
    lateness.sort((a, b) => a - b);
    const median = lateness[MAILS / 2] ?? Number.POSITIVE_INFINITY;
    report(`${REPORTS} runs of a limited group wait; others begin ${median} ms late, the last ${lateness.at(-1)} ms`);
    expect(median).toBeLessThan(DURATION); // mails do not wait for a run of the limited group
    expectNoErrors(await cluster.run([]));
  } finally {
    await cluster.dispose();
  }
}

describeOnServerFirst((newTables) => {
  it(
    'limited groups never exceed their limits, run completely, and do not delay other groups',
    async () => prove(await newTables()),
    PATIENCE + 20_000,
  );
});
