import { recoveryOfAbandonedRun } from '../../../src/domain/abandoned-run';
import type { TriggerFiring } from '../../../src/domain/firing';
import { jobKey } from '../../../src/domain/keys';
import { occurrenceOf } from '../../../src/domain/occurrence';
import { ending } from '../areas/chains';
import { retryOf } from '../areas/retries';
import { takeApart } from '../areas/shards';
import { without } from '../samples';
import { type StoreDriver, storingCalendar } from '../store-driver';
import { type Aftermath, aftermath, EVENT_TIME, RETRY_DELAY, SOON } from './fates';
import { change, HOLIDAY, later, moreOften, store } from './kinds';
import { type Started, type StoreOfNode, SurvivalNode } from './survival-node';
import type { Fate, Kind, WaitingEvent } from './table';

/** An occurrence that waits. */
interface Waiting {
  /** Id of the occurrence; null if it gets its id when it runs. */
  readonly occurrenceId: string | null;
  /** Name of its trigger; absent: any. */
  readonly trigger?: string;
  /** Ends the run for which it waits; absent: it waits for none. */
  readonly free?: () => Promise<unknown>;
}

const FIRST_OF_ALL: Waiting = { occurrenceId: null };

const waitingFor = (firing: TriggerFiring): Waiting => ({ occurrenceId: occurrenceOf(firing).id });

/** Runs before the occurrence of each kind waits. */
const BEFORE: Readonly<Record<Kind, (driver: StoreDriver) => Promise<Waiting>>> = {
  plain: async () => FIRST_OF_ALL,
  'one-off': async () => FIRST_OF_ALL,
  async retry(driver) {
    const firing = await driver.fireOne();
    await driver.complete(firing, 'NOOP', { further: [retryOf(firing, driver.now, RETRY_DELAY)] });
    return waitingFor(firing);
  },
  async requestsRecovery(driver) {
    const firing = await driver.fireOne();
    const recovery = recoveryOfAbandonedRun(firing, 3);
    await driver.complete(firing, 'NOOP', { further: recovery === null ? [] : [recovery] });
    return waitingFor(firing);
  },
  async shard(driver) {
    const firing = await driver.fireOne();
    await driver.store.completeTriggers([takeApart(firing)]);
    return waitingFor(firing);
  },
  async chain(driver) {
    const firing = await driver.fireOne();
    await driver.store.completeTriggers([ending(firing, driver.now)]);
    return { occurrenceId: null, trigger: `chain_${firing.runId}_0` };
  },
  async limited(driver) {
    const firing = await driver.fireOne();
    expect(await driver.fireDue()).toEqual([]);
    return { occurrenceId: null, free: () => driver.complete(firing) };
  },
};

interface Scene {
  readonly kind: Kind;
  readonly driver: StoreDriver;
  readonly node: SurvivalNode;
}

const JOB = [jobKey('job')] as const;

/** Each event, and its end, after which occurrences that waited for the end run. */
const EVENTS: Readonly<Record<WaitingEvent, { begin(scene: Scene): Promise<unknown>; end?(scene: Scene): unknown }>> = {
  changed: { begin: ({ kind, driver }) => change(kind, driver, moreOften) },
  'changed to other times': { begin: ({ kind, driver }) => change(kind, driver, later) },
  deleted: { begin: ({ driver }) => driver.applyOne({ type: 'deleteJob', key: JOB[0] }) },
  paused: {
    begin: ({ driver }) => driver.store.pauseJobs(JOB),
    end: ({ driver }) => driver.store.resumeJobs(JOB, driver.options),
  },
  calendar: {
    begin: ({ driver }) => driver.applyOne(HOLIDAY),
    end: ({ driver }) => driver.applyOne(storingCalendar(without(), 'replace')),
  },
  'type unknown': { begin: async () => undefined, end: ({ node }) => node.register('sample') },
};

/** Plays an event on an occurrence of the kind that waits, and lets a node go on for half a day. */
export async function playWaiting(
  kind: Kind,
  event: WaitingEvent,
  [first, second]: readonly [StoreOfNode, StoreOfNode],
): Promise<Fate | 'twice'> {
  const { driver } = first;
  const isUnknown = event === 'type unknown';
  const node = new SurvivalNode(second, isUnknown ? { jobTypes: ['another'] } : {});
  await new SurvivalNode(first).join();
  await node.join();
  await store(kind, driver);
  const waiting = await BEFORE[kind](driver);
  driver.now = EVENT_TIME;
  const scene = { kind, driver, node };
  await EVENTS[event].begin(scene);
  await waiting.free?.();
  await node.runAt(SOON);
  const before = mine(waiting, node.started);
  if (before.length > 1) return 'twice';
  if (before.length === 1) return 'runs';
  return fateAfterwards(waiting, scene, event);
}

/** The runs of the occurrence. Without an id, it is the first that runs before the next hour. */
function mine({ occurrenceId, trigger }: Waiting, started: readonly Started[]): readonly Started[] {
  return started.filter((each) => {
    const isIt = occurrenceId === null || each.occurrenceId === occurrenceId;
    return each.job === 'job' && each.part < 1 && isIt && (trigger === undefined || each.trigger === trigger);
  });
}

async function fateAfterwards(waiting: Waiting, scene: Scene, event: WaitingEvent): Promise<Fate | 'twice'> {
  const { driver, node } = scene;
  driver.now = SOON;
  const { items: runs } = await driver.store.listRuns({ take: 9 });
  if (runs.some(({ isDeadLetter }) => isDeadLetter)) return 'dead letter';
  // A calendar that leaves a trigger other times is not changed again.
  const isOver = event === 'calendar' && (await driver.state()) === 'WAITING';
  if (!isOver) await EVENTS[event].end?.(scene);
  await node.runAt(driver.now);
  const freed = mine(waiting, node.started);
  if (freed.length > 0) return freed.length === 1 ? 'waits' : 'twice';
  const isKnown = waiting.trigger !== undefined || waiting.occurrenceId !== null;
  const isOpen = ({ started }: Aftermath) =>
    started.every(({ job }) => job !== 'job') || (isKnown && mine(waiting, started).length === 0);
  const { started } = await aftermath(node, driver, isOpen);
  if (isKnown && mine(waiting, started).length > 0) return 'waits';
  return started.some(({ job }) => job === 'job') ? 'next time' : 'ends';
}
