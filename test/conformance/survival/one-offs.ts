import { DoNotRetry } from '../../../src/api/job-execution-exception';
import { handOverOf, recoveryOfAbandonedRun } from '../../../src/domain/abandoned-run';
import type { ExecutionPolicy } from '../../../src/domain/execution-policy';
import type { TriggerFiring } from '../../../src/domain/firing';
import type { JobDetail } from '../../../src/domain/job-detail';
import { parseRetryPolicy } from '../../../src/domain/retry-policy';
import { retryOf } from '../areas/retries';
import { takeApart } from '../areas/shards';
import { job, MINUTE, once, SECOND } from '../samples';
import type { StoreDriver } from '../store-driver';
import { RETRY_DELAY, SOON } from './fates';
import { type StoreOfNode, SurvivalNode } from './survival-node';

interface Way {
  readonly way: string;
  readonly fields?: Partial<JobDetail>;
  readonly policy?: ExecutionPolicy;
  /** Lets the one-off run once, and stores its further run. Absent: the node defers the run itself. */
  readonly before?: (driver: StoreDriver, firing: TriggerFiring) => Promise<unknown>;
}

const storing =
  (further: (firing: TriggerFiring) => ReturnType<typeof recoveryOfAbandonedRun>) =>
  (driver: StoreDriver, firing: TriggerFiring) =>
    driver.complete(firing, 'DELETE_TRIGGER', { further: [further(firing)].filter((each) => each !== null) });

const recoverable = { requestsRecovery: true } as const;
const retrying = { policy: { retry: parseRetryPolicy({ max: 3, delay: RETRY_DELAY }, 'the job') } } as const;

/** Ways in which the only occurrence of a trigger gets a further run. */
export const WAYS: readonly Way[] = [
  { way: 'retry', fields: retrying, before: storing((firing) => retryOf(firing, firing.fireTime, SECOND)) },
  { way: 'recovery', fields: recoverable, before: storing((firing) => recoveryOfAbandonedRun(firing, 3)) },
  {
    way: 'hand-over',
    fields: recoverable,
    before: storing((firing) => handOverOf(firing, { maxHandOvers: 10, hasNewCheckpoint: false })),
  },
  {
    way: 'part',
    fields: { policy: { spread: { shards: 1 } } },
    before: (driver, firing) => driver.store.completeTriggers([takeApart(firing)]),
  },
  { way: 'run after its jitter', policy: { jitter: SECOND } },
  { way: 'run after its turn', fields: { policy: { rate: { key: 'api', limit: 1, per: MINUTE, burst: 1 } } } },
];

/** Further runs that nothing repeats after a kill. */
export const LOST_WITH_THEIR_NODE = WAYS.filter(({ way }) => way.startsWith('r') && way !== 'recovery');

async function prepare({ fields, policy, before }: Way, driver: StoreDriver): Promise<void> {
  await driver.schedule(job('job', fields ?? {}), once('trigger', policy === undefined ? {} : { policy }));
  if (before !== undefined) await before(driver, await driver.fireOne());
}

/** Dead letters after a further run has failed finally. */
export async function failFurtherRun(way: Way, [first, second]: readonly [StoreOfNode, StoreOfNode]) {
  const node = new SurvivalNode(second, { play: () => Promise.reject(new DoNotRetry('wrong')) });
  await new SurvivalNode(first).join();
  await node.join();
  await prepare(way, first.driver);
  await node.runAt(SOON);
  return deadLetters(first.driver);
}

/** Dead letters after the node of a further run was killed. */
export async function killFurtherRun(way: Way, [first, second]: readonly [StoreOfNode, StoreOfNode]) {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const hang = () => {
    begin();
    return new Promise(() => undefined);
  };
  const node = new SurvivalNode(second, { play: hang });
  const peer = new SurvivalNode(first);
  await peer.join();
  await node.join();
  await prepare(way, first.driver);
  void node.runAt(SOON);
  await begun;
  await peer.takeOverFrom(node);
  return deadLetters(first.driver);
}

async function deadLetters({ store }: StoreDriver) {
  const { items } = await store.listRuns({ take: 9, deadLetters: true });
  return items.map(({ outcome }) => outcome);
}
