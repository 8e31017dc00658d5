import { createConnection } from 'mysql2/promise';
import { SqlError } from '../../../src/store/sql/sql-driver';
import { everyMinute, job, MINUTE, NOW, once } from '../../conformance/samples';
import { expectFired, namesOf, storing } from '../../conformance/store-driver';
import type { TestDatabase } from '../../support/database/test-database';
import { type DefectNode, describeOnSqlStores } from './support/defect-cluster';

/** Q3: one error in the middle of a batch left triggers ACQUIRED for ever, and ran a job that the store did not know of. */
describeOnSqlStores('a deadlock in the middle of a batch', (cluster) => {
  const failuresOf = (node: DefectNode) =>
    node.steps.failures.map((error) => (error instanceof SqlError ? error.kind : error));

  it('Q3: fires everything or nothing, and everything once', async () => {
    const { a, b, server } = cluster;
    await a.scheduleAll(everyMinute('one', { priority: 9 }), everyMinute('two'));
    const reserved = await a.acquire();
    const bystander = server === null ? null : await crossing(server, a, reserved[0]?.fireInstanceId ?? '');
    if (bystander === null) a.steps.failIn(4);
    const results = await a.fire(...reserved);
    await bystander?.ended;
    expect(failuresOf(a)).toEqual(['deadlock']);
    expect(namesOf(results.map(expectFired))).toEqual(['one', 'two']);
    await expect(Promise.all(['one', 'two'].map((name) => b.trigger(name)))).resolves.toMatchObject([
      { nextFireTime: NOW + MINUTE, timesTriggered: 1 },
      { nextFireTime: NOW + MINUTE, timesTriggered: 1 },
    ]);
    expect([await b.fireDue(), await b.firedRows()]).toEqual([[], 2]);
    for (const result of results) expect(await a.complete(expectFired(result))).toMatchObject({ status: 'completed' });
    expect([await b.state('one'), await b.state('two'), await b.firedRows()]).toEqual(['WAITING', 'WAITING', 0]);
  });

  it('leaves what it met as it was when it never stops', async () => {
    const { a, b } = cluster;
    await a.schedule(job('serial', { disallowConcurrentExecution: true }), everyMinute('one'), everyMinute('two'));
    await a.scheduleAll(once('three'));
    const reserved = await a.acquire();
    const before = await b.everything();
    const failAgain = () => {
      a.steps.at('advanceTriggers', failAgain);
      a.steps.failIn(1);
    };
    failAgain();
    await expect(a.fire(...reserved)).rejects.toMatchObject({ code: 'STORE_FAILURE' });
    expect(failuresOf(a)).toEqual(Array.from({ length: 5 }, () => 'deadlock'));
    expect([await b.everything(), await b.firedRows()]).toEqual([before, 2]);
    await expect(b.recover(a)).resolves.toMatchObject({ released: 2, lost: 0 });
    expect(await b.fireDue()).toHaveLength(2);
  });

  describe('at any of its statements, changes nothing of what comes of it:', () => {
    /** What an operation needs, and the operation. */
    type Prepared = () => Promise<unknown>;
    const serial = job('serial', { disallowConcurrentExecution: true, persistJobDataAfterExecution: true });
    const schedule = async (node: DefectNode) => {
      await node.schedule(serial, everyMinute('s1', { priority: 9 }), everyMinute('s2'));
      await node.scheduleAll(everyMinute('t1'), once('t2', { priority: 1 }));
      await node.schedule(job('recovered', { requestsRecovery: true }), everyMinute('r1', { priority: 2 }));
    };
    const operations: Readonly<Record<string, (a: DefectNode, b: DefectNode) => Promise<Prepared>>> = {
      acquiring: async (a) => () => a.acquire(),
      'acquiring and firing': async (a) => () => a.fireDue(),
      firing: async (a) => {
        const reserved = await a.acquire();
        return () => a.fire(...reserved);
      },
      'giving back': async (a) => {
        const reserved = await a.acquire();
        return () => a.store.releaseTriggers(reserved);
      },
      completing: async (a) => {
        const firings = await a.fireDue();
        const jobData = { done: true };
        return () =>
          a.store.completeTriggers(
            firings.map((firing) => ({
              firing,
              instruction: firing.trigger.nextFireTime === null ? 'DELETE_TRIGGER' : 'NOOP',
              jobData,
            })),
          );
      },
      'recovering misfires': async (a) => {
        a.now += 10 * MINUTE;
        return () => a.recoverMisfires();
      },
      'changing the schedule': async (a) => () =>
        a.apply(
          { type: 'deleteTrigger', key: { name: 't1', group: 'DEFAULT' } },
          { type: 'storeTrigger', trigger: everyMinute('s1'), ifExists: 'replace', startTimeDefaulted: false },
          storing(everyMinute('new')),
        ),
      'pausing everything': async (a) => () => a.store.pauseTriggers({ operator: 'any', value: '' }),
      'recovering a node': async (a, b) => {
        await b.fireDue({ maxCount: 4 });
        await b.acquire();
        return () => a.recover(b);
      },
    };

    it.each(Object.keys(operations))('%s', async (name) => {
      const { a, b, c } = cluster;
      const prepare = operations[name] as (typeof operations)[string];
      const before = a.now;
      const run = async (failIn: number) => {
        a.now = before;
        await schedule(a);
        const operation = await prepare(a, b);
        if (failIn > 0) a.steps.failIn(failIn);
        await operation();
        const wasHit = failIn > 0 && !a.steps.isToFail;
        a.steps.failIn(0);
        const outcome = [withoutIds(await c.everything()), await c.firedRows()];
        await empty(a, b);
        return { outcome, wasHit };
      };
      const { outcome } = await run(0);
      let statements = 0;
      for (let hit = true; hit; statements++) {
        const failed = await run(statements + 1);
        expect(failed.outcome).toEqual(outcome);
        hit = failed.wasHit;
      }
      expect(statements).toBeGreaterThan(2);
      expect(failuresOf(a)).toHaveLength(statements - 1);
    });
  });
});

/** The recoveries are named after what they recover. */
const withoutIds = (everything: unknown) => JSON.parse(JSON.stringify(everything).replace(/([abc])\.\d+/g, '$1'));

/** As if nothing had been: no jobs, no executions, nobody dead. */
async function empty(a: DefectNode, b: DefectNode): Promise<void> {
  for (const node of [a, b]) {
    const record = await node.record();
    if (record !== undefined) await node.cluster.recoverInstance(record, { maxRecoveryAttempts: 0 });
    await node.cluster.join(node.identity, null, { maxRecoveryAttempts: 0 });
  }
  await a.store.resumeTriggers({ operator: 'any', value: '' }, a.options);
  const { items } = await a.store.queryJobs({ skip: 0, take: 100 });
  await a.apply(...items.map(({ key }) => ({ type: 'deleteJob', key }) as const));
}

/**
 * Somebody else who holds the row that `node` writes in the middle of its batch, and asks for the one that it wrote before:
 * the server must choose, and chooses the one that has changed fewer rows.
 */
async function crossing(server: TestDatabase, node: DefectNode, entryId: string): Promise<{ ended: Promise<unknown> }> {
  await server.query('CREATE TABLE IF NOT EXISTS WEIGHT (N INT PRIMARY KEY AUTO_INCREMENT)');
  const connection = await createConnection(server.url);
  await connection.beginTransaction();
  await connection.query(`INSERT INTO WEIGHT VALUES ${Array.from({ length: 500 }, () => '(NULL)').join(',')}`);
  const values = [node.node.schedName, 'two'];
  await connection.query('SELECT 1 FROM QRTZ_TRIGGERS WHERE SCHED_NAME = ? AND TRIGGER_NAME = ? FOR UPDATE', values);
  const asking = { ended: Promise.resolve<unknown>(null) };
  node.steps.at('advanceTriggers', () => {
    const text = 'SELECT 1 FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = ? AND ENTRY_ID = ? FOR UPDATE';
    asking.ended = connection.query(text, [node.node.schedName, entryId]).finally(() => connection.end());
  });
  return {
    get ended() {
      return asking.ended;
    },
  };
}
