import type { Scheduler } from '../../src/api/scheduler';
import type { SchedulerEventOf } from '../../src/domain/scheduler-event';
import { findFaults } from '../../src/operations/findings';
import { controlOf, type SchedulerControl } from '../../src/scheduler/control';
import { describeOnFileAndServer } from './support/engines';
import { LocalSchedulers } from './support/local-schedulers';
import type { Tables } from './support/tables';

const CRON = { job: 'noop', cron: '0 0 8 * * ?', timeZone: 'Africa/Casablanca' } as const;

describeOnFileAndServer((newTables) => {
  let tables: Tables;
  let local: LocalSchedulers;

  beforeEach(async () => {
    tables = await newTables();
    local = new LocalSchedulers(tables);
  });
  afterEach(async () => {
    await local.shutdown();
    await tables.drop();
  });

  const create = (instanceId: string, timeZoneData: string | null) =>
    local.create(instanceId, { jobs: { noop: async () => {} }, assemble: { timeZoneData } });
  const declare = (scheduler: Scheduler) => scheduler.schedule('morning', CRON);
  const timeOf = async (scheduler: Scheduler) => (await scheduler.getTrigger('morning'))?.nextFireTime?.getTime();
  /** Moves the fire time by an hour, as data with another offset of the zone would. */
  const moveRow = () => tables.query('UPDATE QRTZ_TRIGGERS SET NEXT_FIRE_TIME = NEXT_FIRE_TIME + 3600000');

  it('a node that starts with newer time zone data recomputes the stored fire times in the background', async () => {
    const old = await create('old', '2025c');
    await old.scheduler.start();
    await declare(old.scheduler);
    const right = await timeOf(old.scheduler);
    await old.scheduler.shutdown();
    await moveRow();

    const { scheduler, seen } = await create('new', '2026a');
    await scheduler.start();
    const event = (await seen('fireTimesRecomputed')) as SchedulerEventOf<'fireTimesRecomputed'>;
    expect(event).toMatchObject({ from: '2025c', to: '2026a', triggers: 1, changed: 1 });
    expect(event.examples).toMatchObject([{ key: { name: 'morning' }, after: right }]);
    expect(await timeOf(scheduler)).toBe(right);
  });

  it('a node with older time zone data does not change stored fire times, not even by a declaration', async () => {
    const { scheduler: first } = await create('new', '2026a');
    await first.start();
    await declare(first);
    await moveRow(); // as by the newer data
    const stored = await timeOf(first);
    const old = await create('old', '2025c');
    await declare(old.scheduler);
    await old.scheduler.start();
    await declare(old.scheduler);
    expect(await timeOf(first)).toBe(stored);
    await declare(first); // the newer data take precedence
    expect(await timeOf(first)).toBe((stored ?? 0) - 3_600_000);
  });

  it('live nodes with different time zone data are reported by a finding that names them', async () => {
    const { scheduler } = await create('new', '2026a');
    const inAnHour = Date.now() + 3_600_000;
    await tables.query(`INSERT INTO QRTZ_SCHEDULER_STATE VALUES ('local', 'java', ${inAnHour}, 7500)`);
    await scheduler.start();
    const { scheduler: unknown } = await create('unknown', null);
    await unknown.start();
    const finding = async () =>
      (await findFaults(scheduler, controlOf(scheduler) as SchedulerControl)).find(({ id }) => id === 'timeZoneData');
    expect(await finding()).toBeUndefined();
    const { scheduler: old } = await create('old', '2025c');
    await old.start();
    expect(await finding()).toMatchObject({
      severity: 'warning',
      found: expect.stringMatching(/new: 2026a, old: 2025c/),
    });
    const nodes = await scheduler.listNodes();
    expect(Object.fromEntries(nodes.map(({ instanceId, timeZoneData }) => [instanceId, timeZoneData]))).toEqual({
      new: '2026a',
      old: '2025c',
      unknown: null,
      java: null,
    });
  });
});
