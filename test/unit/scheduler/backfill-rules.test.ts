import { newJob, newTrigger, simpleSchedule } from '../../../src';
import { createTestScheduler } from '../../../src/testing';

it.each([
  { rules: 'safe' as const, runs: 3 },
  { rules: 'quartz' as const, runs: 2 },
])('a backfill uses the fire times of the rules of the scheduler: $rules', async ({ rules, runs }) => {
  const { scheduler, clock } = await createTestScheduler({
    startTime: new Date('2026-03-02T08:00:00Z'),
    jobs: { report: async () => {} },
    config: { scheduler: { rules } },
  });
  const trigger = newTrigger()
    .withIdentity('hourly')
    .startAt(new Date('2026-03-02T08:00:00Z'))
    .endAt(new Date('2026-03-02T10:00:00Z')) // a fire time under safe rules only
    .withSchedule(simpleSchedule().withIntervalInHours(1).repeatForever())
    .build();
  await scheduler.scheduleJob(newJob('report').withIdentity('report').storeDurably().build(), trigger);
  const range = { from: new Date('2026-03-02T08:00:00Z'), to: new Date('2026-03-02T11:00:00Z') };
  await scheduler.standby();
  clock.advanceTo(new Date('2026-03-02T11:00:00Z'));
  expect(await scheduler.backfill('hourly', range)).toMatchObject({ count: runs });
  await scheduler.shutdown();
});
