import { cronSchedule, DailyCalendar, newJob, newTrigger } from '../../../src';
import { OPERATIONS, type OperationName } from '../../../src/operations/operations';
import { perform } from '../../../src/operations/perform';
import { controlOf, type SchedulerControl } from '../../../src/scheduler/control';
import { createTestScheduler, type TestScheduler } from '../../../src/testing';
import { proves } from '../../support/proves';

const START = new Date('2026-03-06T08:00:00Z');
const office = (invert: boolean) => new DailyCalendar({ from: '08:00', to: '18:00', invert, timeZone: 'UTC' });

describe('a trigger whose calendar excludes all remaining fire times', () => {
  let made: TestScheduler;

  beforeEach(() => open('safe'));
  afterEach(() => made.scheduler.shutdown());

  async function open(rules: 'safe' | 'quartz') {
    made = await createTestScheduler({
      startTime: START,
      jobs: { report: async () => {} },
      config: { scheduler: { rules } },
    });
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
  }

  it('is reported as ended by its calendar, not as finalized, when it has fired for the last time', async () => {
    proves('events', 'triggerEndedByCalendar');
    await made.scheduler.shutdown();
    await open('quartz'); // under safe rules, the change of the calendar ends it
    const { scheduler, advanceTo } = made;
    const events: string[] = [];
    scheduler.subscribe(
      (event) => void events.push(event.type),
      ['triggerEndedByCalendar', 'triggerFinalized', 'jobDeleted'],
    );
    const ending = { replace: true, allowEnding: true };
    await scheduler.addCalendar('office', office(false), ending);
    await advanceTo(new Date('2026-03-06T09:30:00Z'));
    expect(events).toEqual(['triggerEndedByCalendar']);
    expect(await scheduler.getTriggerState('hourly')).toBe('COMPLETE');
    expect(await scheduler.checkExists({ job: 'report' })).toBe(true);
  });

  it('prevents the change of the calendar without allowEnding, and fires again when its calendar is corrected', async () => {
    proves('errors', 'CALENDAR_ENDS_TRIGGERS');
    const { scheduler, advanceTo } = made;
    for (const updateTriggers of [true, false]) {
      const refused = scheduler.addCalendar('office', office(false), { replace: true, updateTriggers });
      await expect(refused).rejects.toMatchObject({ code: 'CALENDAR_ENDS_TRIGGERS' });
      await expect(refused).rejects.toThrow(/DEFAULT\/hourly/);
    }
    await scheduler.addCalendar('office', office(false), { replace: true, updateTriggers: true, allowEnding: true });
    await advanceTo(new Date('2026-03-06T11:30:00Z'));
    await scheduler.addCalendar('office', office(true), { replace: true });
    const firings = await advanceTo(new Date('2026-03-06T14:30:00Z'));
    expect(firings.map(({ fireTime }) => fireTime.toISOString().slice(11, 16))).toEqual(['12:00', '13:00', '14:00']);
  });

  it('is explained, and listed by the doctor and the overview', async () => {
    const { scheduler } = made;
    await scheduler.addCalendar('office', office(false), { replace: true, updateTriggers: true, allowEnding: true });
    const control = controlOf(scheduler) as SchedulerControl;
    const actor = { name: 'Ada', role: 'admin', via: 'http', from: null } as const;
    const context = { scheduler, control, actor, signal: new AbortController().signal };
    const ask = (name: OperationName, input: object) =>
      perform({ name, operation: OPERATIONS[name] as never, input }, context);
    expect(await ask('triggers.explain', { name: 'hourly' })).toMatchObject({
      reasons: expect.arrayContaining([
        expect.objectContaining({ code: 'calendar', text: expect.stringMatching(/office excludes all/) }),
      ]),
    });
    expect(await ask('overview.show', {})).toMatchObject({ endedByCalendar: [{ key: { name: 'hourly' } }] });
    expect(await ask('doctor.check', {})).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ id: 'endedByCalendar' })]),
    });
  });

  it('is shown in the plan of a schedule file, which can be applied only with allowEnding', async () => {
    proves('schedule-file', 'calendar allowEnding');
    const { scheduler } = made;
    const control = controlOf(scheduler) as SchedulerControl;
    const actor = { name: 'Ada', role: 'admin', via: 'http', from: null } as const;
    const context = { scheduler, control, actor, signal: new AbortController().signal };
    const ask = (name: OperationName, text: string) =>
      perform({ name, operation: OPERATIONS[name] as never, input: { text } }, context);
    const file = (more = '') =>
      `calendars:\n  office: { type: daily, from: '08:00', to: '18:00', timeZone: UTC${more} }\n`;
    expect(await ask('schedule.plan', file())).toMatchObject({
      changed: true,
      changes: expect.arrayContaining([expect.objectContaining({ name: 'hourly', endedByCalendar: 'office' })]),
    });
    await expect(ask('schedule.apply', file())).rejects.toMatchObject({ code: 'CALENDAR_ENDS_TRIGGERS' });
    await ask('schedule.apply', file(', allowEnding: true'));
    expect(await scheduler.getTriggerState('hourly')).toBe('COMPLETE');
  });
});
