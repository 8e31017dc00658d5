import { OPERATIONS } from '../../../src/operations/operations';
import { perform } from '../../../src/operations/perform';
import { controlOf, type SchedulerControl } from '../../../src/scheduler/control';
import { createTestScheduler } from '../../../src/testing';
import { proves } from '../../support/proves';

it('a due fire time that a changed schedule drops is recorded, reported and explained', async () => {
  proves('events', 'triggerMisfired');
  const { scheduler, clock } = await createTestScheduler({
    startTime: new Date('2026-03-02T01:00:00Z'),
    jobs: { report: async () => {} },
  });
  const events: unknown[] = [];
  scheduler.subscribe((event) => void events.push(event), ['triggerMisfired']);
  const nightly = (cron: string) => scheduler.schedule('report', { cron, timeZone: 'UTC' });
  await nightly('0 0 2 * * ?');
  clock.advanceBy(3_600_000);
  await nightly('0 0 3 * * ?');

  const dropped = new Date('2026-03-02T02:00:00Z');
  const trigger = { nextFireTime: dropped.getTime(), key: { name: 'report' } };
  expect(events).toMatchObject([{ type: 'triggerMisfired', reason: 'schedule changed', trigger }]);
  const { items } = await scheduler.listRuns({ trigger: 'report' });
  expect(items).toMatchObject([{ outcome: 'misfired', scheduledFireTime: dropped, error: 'schedule changed' }]);

  const control = controlOf(scheduler) as SchedulerControl;
  const actor = { name: 'Ada', role: 'admin', via: 'http', from: null } as const;
  const context = { scheduler, control, actor, signal: new AbortController().signal };
  const operation = OPERATIONS['triggers.explain'] as never;
  const explained = await perform({ name: 'triggers.explain', operation, input: { name: 'report' } }, context);
  expect(explained).toMatchObject({
    reasons: [
      { code: 'later' },
      {
        code: 'scheduleChanged',
        text: 'It did not fire at 2026-03-02T02:00:00.000Z: the schedule was changed at 2026-03-02T02:00:00.000Z, and the new one does not have this fire time.',
      },
    ],
  });
  await scheduler.shutdown();
});
