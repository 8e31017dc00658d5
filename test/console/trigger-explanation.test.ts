import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WeeklyCalendar } from '../../src';
import { systemRandom } from '../../src/base/ids';
import { DatabaseSync } from '../support/sqlite';
import { ask, closeAll, type Store, testConsole, testScheduler } from './support';

const LATER = new Date('2999-01-01T00:00:00Z');

describe('the explanation why a trigger does not fire', () => {
  afterEach(closeAll);

  it.each([
    ['its own row', "UPDATE QRTZ_TRIGGERS SET JOB_DATA = x'ACED0005737200'"],
    ['its job', "UPDATE QRTZ_JOB_DETAILS SET JOB_DATA = x'ACED0005737200'"],
    ['its calendar', "UPDATE QRTZ_CALENDARS SET CALENDAR = x'ACED0005737200'"],
  ])('names an unreadable row, and no later fire time, for %s', async (_, sql) => {
    const file = join(tmpdir(), `quartz-ts-explain-${systemRandom.token(12)}.db`);
    const writer = await testScheduler({ store: 'sqlite', file });
    await writer.addCalendar('free', new WeeklyCalendar());
    await writer.schedule('noop', { every: '1h', startAt: LATER, calendar: 'free' });
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    const shown = testConsole(await testScheduler({ store: 'sqlite', file }));
    const { body } = await ask(shown, 'api/schedulers/Reports/triggers/DEFAULT/noop/explanation');
    const codes = body.reasons.map(({ code }: { readonly code: string }) => code);
    expect(codes[0]).toBe('unreadable');
    expect(codes).not.toContain('later');
  });
});

describe.each<Store>(['memory', 'sqlite'])('the reason why a trigger does not fire, in %s,', (store) => {
  afterEach(closeAll);

  async function explainer(jobs = {}) {
    const scheduler = await testScheduler({ store, jobs });
    const shown = testConsole(scheduler);
    const codes = async (name: string) => {
      const { body } = await ask(shown, `api/schedulers/Reports/triggers/DEFAULT/${name}/explanation`);
      return body.reasons.map(({ code }: { readonly code: string }) => code);
    };
    return { scheduler, shown, codes };
  }

  it('is that no node is started', async () => {
    const { scheduler, codes } = await explainer();
    await scheduler.schedule('noop', { at: LATER });
    expect(await codes('noop')).toEqual(['notStarted', 'later']);
  });

  it('is that it is not due, or that it is paused, and by whom', async () => {
    const { scheduler, shown, codes } = await explainer();
    await scheduler.start();
    await scheduler.schedule('noop', { at: LATER });
    expect(await codes('noop')).toEqual(['later']);
    await scheduler.pauseTrigger({ name: 'noop', group: 'DEFAULT' }, { by: 'Ada', reason: 'the feed is down' });
    const { body } = await ask(shown, 'api/schedulers/Reports/triggers/DEFAULT/noop/explanation');
    expect(body.reasons[0]).toMatchObject({ code: 'paused', text: expect.stringMatching(/by Ada.*the feed is down/) });
  });

  it('is that all nodes that can run it drain', async () => {
    const { scheduler, codes } = await explainer();
    await scheduler.start();
    await scheduler.schedule('noop', { at: LATER });
    await scheduler.drain(scheduler.getSchedulerInstanceId());
    expect(await codes('noop')).toEqual(['nodesDraining', 'later']);
  });

  it('is that no node has the labels', async () => {
    const { scheduler, codes } = await explainer();
    await scheduler.start();
    await scheduler.schedule('noop', { at: LATER, runsOn: 'gpu' });
    expect(await codes('noop')).toEqual(['noNode', 'later']);
  });

  async function explained(scheduler: Awaited<ReturnType<typeof testScheduler>>, name: string) {
    const { body } = await ask(testConsole(scheduler), `api/schedulers/Reports/triggers/DEFAULT/${name}/explanation`);
    return body.reasons as readonly { readonly code: string; readonly text: string }[];
  }

  it('names the jobs that a chained trigger waits for, and which of them are not stored', async () => {
    const scheduler = await testScheduler({ store, jobs: { other: async () => {} } });
    await scheduler.start();
    await scheduler.schedule('noop', { at: LATER });
    await scheduler.schedule('other', { after: ['noop', 'nope'] });
    expect(await explained(scheduler, 'other')).toEqual([
      {
        code: 'waitsForJobs',
        text: 'It fires when these jobs have all succeeded: DEFAULT/noop, DEFAULT/nope (not stored).',
      },
    ]);
  });

  it('names the placeholder of a limit key without a value, before the trigger is due', async () => {
    const scheduler = await testScheduler({ store });
    await scheduler.start();
    await scheduler.schedule('noop', { at: LATER, concurrency: { key: 'c-{data.custmer}', limit: 1 } });
    const [, reason] = await explained(scheduler, 'noop');
    expect(reason).toEqual({ code: 'limitKey', text: expect.stringContaining('{data.custmer}') });
  });

  it('does not exist for a trigger that is not stored', async () => {
    const { shown } = await explainer();
    const { status, body } = await ask(shown, 'api/schedulers/Reports/triggers/DEFAULT/nothing/explanation');
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'TRIGGER_NOT_FOUND' });
  });
});
