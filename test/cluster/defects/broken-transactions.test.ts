import { createConnection } from 'mysql2/promise';
import { SqlError } from '../../../src/store/sql/runtime/sql-driver';
import { everyMinute, job, MINUTE, NOW, once } from '../../conformance/samples';
import { expectFired, namesOf } from '../../conformance/store-driver';
import { flavourOfTests, type TestDatabase } from '../../support/database/test-database';
import { IS_LONG } from '../../support/long-forms';
import { type DefectNode, describeOnSqlStores } from './support/defect-cluster';
import { empty, operationNames, outcomeOf, prepared } from './support/operations';

/** A defect of Quartz: an error in the middle of a batch left triggers ACQUIRED, and ran a job whose firing was not stored. */
describeOnSqlStores('a deadlock in the middle of a batch', (cluster) => {
  const failuresOf = (node: DefectNode) =>
    node.steps.failures.map((error) => (error instanceof SqlError ? error.kind : error));

  it('fires all triggers of the batch or none, and each of them once', async () => {
    const { a, b, server } = cluster;
    await a.scheduleAll(everyMinute('one', { priority: 9 }), everyMinute('two'));
    const reserved = await a.acquire();
    const bystander = server === null ? null : await crossing(server, a, reserved[0]?.runId ?? '');
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

  it('leaves all rows unchanged if every retry fails with it', async () => {
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

  // The failure is injected in the client, so the short form tries every statement on SQLite, and every third on one server.
  if (flavourOfTests() === 'mysql' && !IS_LONG) return;
  describe('at any statement', () => {
    it.each(operationNames)('does not change the result of %s', async (name) => {
      const { a } = cluster;
      const run = async (failIn: number) => {
        const operation = await prepared(name, cluster);
        a.steps.failIn(failIn);
        const outcome = await outcomeOf(operation, cluster);
        const wasHit = failIn > 0 && !a.steps.isToFail;
        a.steps.failIn(0);
        await empty(cluster);
        return { outcome, wasHit };
      };
      const { outcome } = await run(0);
      const step = IS_LONG || cluster.server === null ? 1 : 3;
      let failures = 0;
      for (let statement = 1; ; statement += step) {
        const failed = await run(statement);
        expect(failed.outcome).toEqual(outcome);
        if (!failed.wasHit) break;
        failures++;
      }
      expect(failures * step).toBeGreaterThan(1);
      expect(failuresOf(a)).toHaveLength(failures);
    });
  });
});

/**
 * Another session that locks the row that `node` writes in the middle of its batch, and then requests the row that `node` wrote before. The server
 * must abort one of them, and chooses `node`, because it has changed fewer rows.
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
