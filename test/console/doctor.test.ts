import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, SystemClock } from '../../src/base/clock';
import { systemRandom } from '../../src/base/ids';
import { DatabaseSync } from '../support/sqlite';
import { ask, closeAll, everybodyIs, type Store, testConsole, testScheduler } from './support';

const DOCTOR = 'api/schedulers/Reports/doctor';
const LATER = new Date('2999-01-01T00:00:00Z');

interface Found {
  readonly id: string;
  readonly section: string;
  readonly severity: string;
  readonly expected: string;
  readonly found: string;
  readonly isRepairable: boolean;
}

describe.each<Store>(['memory', 'sqlite'])('the doctor of a scheduler in %s', (store) => {
  afterEach(closeAll);

  it('finds nothing in a healthy scheduler', async () => {
    const scheduler = await testScheduler({ store });
    await scheduler.start();
    await scheduler.schedule('noop', { at: LATER });
    expect((await ask(testConsole(scheduler), DOCTOR)).body).toEqual({ items: [] });
  });

  it('notes that the node was not started', async () => {
    const { body } = await ask(testConsole(await testScheduler({ store })), DOCTOR);
    expect(body.items).toMatchObject([{ id: 'notReady', severity: 'note', isRepairable: false }]);
  });

  it('finds chains that wait for jobs that are not stored', async () => {
    const scheduler = await testScheduler({ store, jobs: { other: async () => {} } });
    await scheduler.start();
    await scheduler.schedule('noop', { at: LATER });
    await scheduler.schedule('other', { after: ['noop', 'nope'] });
    const { body } = await ask(testConsole(scheduler), DOCTOR);
    expect(body.items).toMatchObject([
      {
        id: 'missingChainJobs',
        severity: 'problem',
        found: expect.stringMatching(/DEFAULT\/other waits for DEFAULT\/nope/),
      },
    ]);
    expect(body.items[0].found).not.toContain('noop');
  });

  it('finds placeholders of limit keys that no stored data fills', async () => {
    const scheduler = await testScheduler({ store });
    await scheduler.start();
    const limits = {
      concurrency: { key: 'c-{data.custmer}', limit: 1 },
      rate: { limit: 5, per: '1m', key: '{data.customer}' },
    };
    await scheduler.schedule('noop', { at: LATER, data: { customer: 7 }, ...limits } as never);
    const { body } = await ask(testConsole(scheduler), DOCTOR);
    expect(body.items).toMatchObject([
      { id: 'limitKeys', severity: 'warning', found: expect.stringMatching(/DEFAULT\/noop: \{data\.custmer\}/) },
    ]);
    expect(body.items[0].found).not.toContain('{data.customer}');
  });

  it('repairs only for admins', async () => {
    const shown = testConsole(await testScheduler({ store }), { auth: everybodyIs('operator') });
    const { status } = await ask(shown, `${DOCTOR}/repair`, { method: 'POST', body: { findings: ['stuckTriggers'] } });
    expect(status).toBe(403);
  });
});

describe('facts of the doctor', () => {
  afterEach(closeAll);

  it('report nothing to check for the memory store', async () => {
    const { body } = await ask(testConsole(await testScheduler()), `${DOCTOR}/facts`);
    expect(body).toEqual({ items: [{ section: 'store', name: 'memory', value: 'nothing to check' }] });
  });

  it('report the state of a database', async () => {
    const { body } = await ask(testConsole(await testScheduler({ store: 'sqlite' })), `${DOCTOR}/facts`);
    expect(body.items).toEqual(
      expect.arrayContaining([
        { section: 'server', name: 'journal_mode', value: 'wal' },
        {
          section: 'cluster',
          name: 'clock of the database minus clock of this machine',
          value: expect.stringMatching(/^-?\d+ ms$/),
        },
      ]),
    );
  });
});

describe('the doctor of a database', () => {
  afterEach(closeAll);

  it('names each machine whose clock differs from the clock of the database', async () => {
    const file = join(tmpdir(), `quartz-ts-doctor-${systemRandom.token(12)}.db`);
    const shown = testConsole(await testScheduler({ store: 'sqlite', file }));
    const system = new SystemClock({ keepsAlive: false });
    const clock: Clock = {
      now: () => system.now() - 60_000,
      monotonic: () => system.monotonic(),
      sleepUntil: (time, signal) => system.sleepUntil(time + 60_000, signal),
    };
    const behind = await testScheduler({ store: 'sqlite', file, clock });
    await behind.start();
    const items: readonly Found[] = (await ask(shown, DOCTOR)).body.items;
    const { schedulerInstanceId } = behind.getMetaData();
    expect(items.filter(({ severity }) => severity === 'warning')).toMatchObject([
      {
        id: 'nodeClocks',
        section: 'cluster',
        found: `The clock of ${schedulerInstanceId} is 60 s behind the database's.`,
      },
    ]);
    const own: readonly Found[] = (await ask(testConsole(behind), DOCTOR)).body.items;
    expect(own.map(({ id }) => id)).toEqual(['clock', 'nodeClocks']);
  });

  it('finds a missing index although its node cannot read the tables without it, and creates it', async () => {
    const file = join(tmpdir(), `quartz-ts-doctor-${systemRandom.token(12)}.db`);
    const scheduler = await testScheduler({ store: 'sqlite', file });
    await scheduler.schedule('noop', { at: LATER });
    const database = new DatabaseSync(file);
    database.exec('DROP INDEX IDX_QRTZ_T_NFT_ST');
    database.close();
    const shown = testConsole(scheduler);
    const items: readonly Found[] = (await ask(shown, DOCTOR)).body.items;
    expect(items).toMatchObject([
      {
        id: 'storeFailure',
        section: 'store',
        severity: 'problem',
        found: expect.stringContaining('IDX_QRTZ_T_NFT_ST'),
      },
      { id: 'missingIndexes', section: 'schema', severity: 'problem', isRepairable: true },
      { id: 'statementPlans', section: 'statements', severity: 'problem' },
      { id: 'notReady' },
    ]);
    const repaired = await ask(shown, `${DOCTOR}/repair`, { method: 'POST', body: { findings: ['missingIndexes'] } });
    expect(repaired.body).toEqual({ items: [{ id: 'missingIndexes', count: 1 }] });
    const after: readonly Found[] = (await ask(shown, DOCTOR)).body.items;
    expect(after.map(({ id }) => id)).toEqual(['notReady']);
  });

  it.each([
    ['trigger', "UPDATE QRTZ_TRIGGERS SET JOB_DATA = x'ACED0005737200'"],
    ['job', "UPDATE QRTZ_JOB_DETAILS SET JOB_DATA = x'ACED0005737200'"],
  ])('finds an unreadable %s although no node has read it', async (what, sql) => {
    const file = join(tmpdir(), `quartz-ts-doctor-${systemRandom.token(12)}.db`);
    const writer = await testScheduler({ store: 'sqlite', file });
    await writer.schedule('noop', { every: '1h', startAt: LATER });
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    const items: readonly Found[] = (await ask(testConsole(await testScheduler({ store: 'sqlite', file })), DOCTOR))
      .body.items;
    expect(items.filter(({ id }) => id === 'unreadable')).toMatchObject([
      { severity: 'problem', found: expect.stringContaining(`${what} DEFAULT/noop`) },
    ]);
  });

  async function broken(state: string) {
    const file = join(tmpdir(), `quartz-ts-doctor-${systemRandom.token(12)}.db`);
    const scheduler = await testScheduler({ store: 'sqlite', file });
    await scheduler.schedule('noop', { at: LATER });
    const database = new DatabaseSync(file);
    database.exec(`UPDATE QRTZ_TRIGGERS SET TRIGGER_STATE = '${state}'`);
    database.close();
    return { scheduler, shown: testConsole(scheduler) };
  }

  it.each([
    ['ERROR', 'triggersInError', 0],
    ['BLOCKED', 'stuckTriggers', 1],
  ])('finds a trigger in the state %s and repairs it, after which it shows its next fire time', async (state, id, count) => {
    const { scheduler, shown } = await broken(state);
    const TRIGGER = DOCTOR.replace('/doctor', '/triggers/DEFAULT/noop');
    expect((await ask(shown, TRIGGER)).body.fireTimes).toHaveLength(count);
    const before: readonly Found[] = (await ask(shown, DOCTOR)).body.items;
    expect(before[0]).toMatchObject({ id, severity: 'problem', isRepairable: true });
    const { body } = await ask(shown, `${DOCTOR}/repair`, { method: 'POST', body: { findings: [id] } });
    expect(body).toEqual({ items: [{ id, count: 1 }] });
    const after: readonly Found[] = (await ask(shown, DOCTOR)).body.items;
    expect(after.map((each) => each.id)).toEqual(['notReady']);
    expect(await scheduler.getTriggerState('noop')).toBe('WAITING');
    expect((await ask(shown, TRIGGER)).body.fireTimes).toHaveLength(1);
  });
});
