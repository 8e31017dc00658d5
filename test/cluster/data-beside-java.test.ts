import { newJob } from '../../src';
import { OPERATIONS } from '../../src/operations/operations';
import { perform } from '../../src/operations/perform';
import { controlOf, type SchedulerControl } from '../../src/scheduler/control';
import { describeOnFileAndServer } from './support/engines';
import { type Local, LocalSchedulers } from './support/local-schedulers';
import type { Tables } from './support/tables';

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

  const create = (instanceId: string) => local.create(instanceId, { jobs: { count: async () => {} } });
  const store = ({ scheduler }: Local, name: string, description = '') =>
    scheduler.addJob(
      newJob('count').withIdentity(name).withDescription(description).usingJobData({ count: 1 }).storeDurably().build(),
      { replace: true },
    );

  async function findings({ scheduler }: Local) {
    const control = controlOf(scheduler) as SchedulerControl;
    const actor = { name: 'ann', role: 'admin', via: 'command', from: null } as const;
    const context = { scheduler, control, actor, signal: new AbortController().signal };
    const input = { name: 'doctor.check', operation: OPERATIONS['doctor.check'] as never, input: {} } as const;
    const { items } = (await perform(input, context)) as { items: { id: string; found: string }[] };
    return items.filter(({ id }) => id === 'dataBesideJava').map(({ found }) => found);
  }

  it('the doctor names job data that was stored as JSON before a Java node joined, until it is stored again', async () => {
    const early = await create('early');
    await store(early, 'before');
    expect(await findings(early)).toEqual([]);
    const inAnHour = Date.now() + 3_600_000;
    await tables.query(`INSERT INTO QRTZ_SCHEDULER_STATE VALUES ('local', 'java', ${inAnHour}, 7500)`);
    const late = await create('late');
    await store(late, 'after');
    expect(await findings(early)).toEqual([
      'The Java nodes java cannot read the data of these jobs and triggers, which is JSON: job DEFAULT/before.',
    ]);
    await store(late, 'before', 'changed');
    expect(await findings(early)).toEqual([]);
    expect(await late.scheduler.getJobDetail('before')).toMatchObject({ data: { count: 1 } });
  });
});
