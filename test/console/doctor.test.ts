import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { systemRandom } from '../../src/base/ids';
import { ask, closeAll, everybodyIs, type Store, testConsole, testScheduler } from './support';

const DOCTOR = 'api/schedulers/Reports/doctor';
const LATER = new Date('2999-01-01T00:00:00Z');

interface Found {
  readonly id: string;
  readonly severity: string;
  readonly isRepairable: boolean;
}

describe.each<Store>(['memory', 'sqlite'])('the doctor of a scheduler in %s', (store) => {
  afterEach(closeAll);

  it('finds nothing where all is well', async () => {
    const scheduler = await testScheduler({ store });
    await scheduler.start();
    await scheduler.schedule('noop', { at: LATER });
    expect((await ask(testConsole(scheduler), DOCTOR)).body).toEqual({ items: [] });
  });

  it('notes that the node was not started', async () => {
    const { body } = await ask(testConsole(await testScheduler({ store })), DOCTOR);
    expect(body.items).toMatchObject([{ id: 'notReady', severity: 'note', isRepairable: false }]);
  });

  it('repairs for admins alone', async () => {
    const shown = testConsole(await testScheduler({ store }), { auth: everybodyIs('operator') });
    const { status } = await ask(shown, `${DOCTOR}/repair`, { method: 'POST', body: { findings: ['stuckTriggers'] } });
    expect(status).toBe(403);
  });
});

describe('what the doctor finds in a database', () => {
  afterEach(closeAll);

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
    ['ERROR', 'triggersInError'],
    ['BLOCKED', 'stuckTriggers'],
  ])('a trigger that is %s is found, and repaired', async (state, id) => {
    const { scheduler, shown } = await broken(state);
    const before: readonly Found[] = (await ask(shown, DOCTOR)).body.items;
    expect(before[0]).toMatchObject({ id, severity: 'problem', isRepairable: true });
    const { body } = await ask(shown, `${DOCTOR}/repair`, { method: 'POST', body: { findings: [id] } });
    expect(body).toEqual({ items: [{ id, count: 1 }] });
    const after: readonly Found[] = (await ask(shown, DOCTOR)).body.items;
    expect(after.map((each) => each.id)).toEqual(['notReady']);
    expect(await scheduler.getTriggerState('noop')).toBe('NORMAL');
  });
});
