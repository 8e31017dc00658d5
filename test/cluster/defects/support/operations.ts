import { everyMinute, job, MINUTE, NOW, once } from '../../../conformance/samples';
import { storing } from '../../../conformance/store-driver';
import { allJobs } from '../../../support/all-stored';
import type { DefectCluster, DefectNode } from './defect-cluster';

/** A prepared operation on the sample schedule. Call it once. */
export type Prepared = () => Promise<unknown>;

/** Every operation that writes. Each prepares the nodes `a` and `b`, and returns the call of `a`. */
const operations = {
  acquiring: async (a: DefectNode) => () => a.acquire(),
  'acquiring and firing': async (a: DefectNode) => () => a.fireDue(),
  firing: async (a: DefectNode) => {
    const reserved = await a.acquire();
    return () => a.fire(...reserved);
  },
  releasing: async (a: DefectNode) => {
    const reserved = await a.acquire();
    return () => a.store.releaseTriggers(reserved);
  },
  completing: async (a: DefectNode) => {
    const completions = (await a.fireDue()).map((firing) => ({
      firing,
      instruction: firing.trigger.nextFireTime === null ? ('DELETE_TRIGGER' as const) : ('NOOP' as const),
      jobData: { done: true },
    }));
    return () => a.store.completeTriggers(completions);
  },
  'recovering misfires': async (a: DefectNode) => {
    a.now += 10 * MINUTE;
    return () => a.recoverMisfires();
  },
  'changing the schedule': async (a: DefectNode) => () =>
    a.apply(
      { type: 'deleteTrigger', key: { name: 't1', group: 'DEFAULT' } },
      { type: 'storeTrigger', trigger: everyMinute('s1'), ifExists: 'replace', startTimeDefaulted: false },
      storing(everyMinute('new')),
    ),
  'pausing everything': async (a: DefectNode) => () => a.store.pauseTriggers({ operator: 'any', value: '' }),
  'recovering a node': async (a: DefectNode, b: DefectNode) => {
    await b.fireDue({ maxCount: 4 });
    await b.acquire();
    return () => a.recover(b);
  },
} as const satisfies Readonly<Record<string, (a: DefectNode, b: DefectNode) => Promise<Prepared>>>;

export type OperationName = keyof typeof operations;

export const operationNames = Object.keys(operations) as readonly OperationName[];

/** Stores the sample schedule, jobs of every kind with due triggers, and prepares the operation. */
export async function prepared(name: OperationName, { a, b }: DefectCluster): Promise<Prepared> {
  a.now = NOW;
  for (const { clock } of [a, b]) clock.stop();
  const serial = job('serial', { disallowConcurrentExecution: true, persistJobDataAfterExecution: true });
  await a.schedule(serial, everyMinute('s1', { priority: 9 }), everyMinute('s2'));
  await a.scheduleAll(everyMinute('t1'), once('t2', { priority: 1 }));
  await a.schedule(job('recovered', { requestsRecovery: true }), everyMinute('r1', { priority: 2 }));
  return operations[name](a, b);
}

/** Result of the operation, and the stored data after it. Run ids are replaced by their node. */
export async function outcomeOf(operation: Prepared, { c }: DefectCluster): Promise<unknown> {
  const result = await operation();
  const outcome = { result, stored: await c.everything(), firedRows: await c.firedRows() };
  return JSON.parse(JSON.stringify(outcome).replace(/([abc])\.\d+/g, '$1'));
}

/** Resets the schedule: no jobs, no executions, and all nodes joined. */
export async function empty({ a, b }: DefectCluster): Promise<void> {
  for (const node of [a, b]) {
    const record = await node.record();
    if (record !== undefined) await node.cluster.recoverInstance(record, { maxRecoveryAttempts: 0, maxHandOvers: 10 });
    await node.cluster.join(node.identity, null, { maxRecoveryAttempts: 0, maxHandOvers: 10 });
  }
  await a.store.resumeTriggers({ operator: 'any', value: '' }, a.options);
  const { items } = await allJobs(a.store);
  await a.apply(...items.map(({ key }) => ({ type: 'deleteJob', key }) as const));
}
