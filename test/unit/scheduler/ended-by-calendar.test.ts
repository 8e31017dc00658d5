import { cronSchedule, DailyCalendar, newJob, newTrigger } from '../../../src';
import { createTestScheduler, type TestScheduler } from '../../../src/testing';
import { proves } from '../../support/proves';

const START = new Date('2026-03-06T08:00:00Z');
const office = (invert: boolean) => new DailyCalendar({ from: '08:00', to: '18:00', invert, timeZone: 'UTC' });

describe('a trigger that only its calendar leaves without a fire time', () => {
  let made: TestScheduler;

  beforeEach(async () => {
    made = await createTestScheduler({ startTime: START, jobs: { report: async () => {} } });
    const { scheduler } = made;
    await scheduler.addCalendar('office', office(true));
    await scheduler.scheduleJob(
      newJob('report').withIdentity('report').build(),
      newTrigger()
        .withIdentity('hourly')
        .modifiedByCalendar('office')
        .withSchedule(cronSchedule('0 0 9-17 * * ?').inTimeZone('UTC'))
        .build(),
    );
  });
  afterEach(() => made.scheduler.shutdown());

  it('is told when it has fired for the last time, and is not finalized', async () => {
    proves('events', 'triggerEndedByCalendar');
    const { scheduler, advanceTo } = made;
    const events: string[] = [];
    scheduler.subscribe(
      (event) => void events.push(event.type),
      ['triggerEndedByCalendar', 'triggerFinalized', 'jobDeleted'],
    );
    await scheduler.addCalendar('office', office(false), { replace: true });
    await advanceTo(new Date('2026-03-06T09:30:00Z'));
    expect(events).toEqual(['triggerEndedByCalendar']);
    expect(await scheduler.getTriggerState('hourly')).toBe('COMPLETE');
    expect(await scheduler.checkExists({ job: 'report' })).toBe(true);
  });
});
