import { triggerKey } from '../../../src/domain/keys';
import { REPEAT_INDEFINITELY, type Trigger } from '../../../src/domain/trigger';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, without } from '../samples';
import { storingCalendar } from '../store-driver';
import { retryOf } from './retries';

const ENDED = { startTime: NOW - 2 * HOUR, endTime: NOW - HOUR } as const;

/** A trigger of each kind whose end passed before it could fire. */
const KINDS: Readonly<Record<string, Trigger>> = {
  simple: everyMinute('trigger', ENDED),
  'simple with a count': everyMinute('trigger', { ...ENDED, repeatCount: 5 }),
  cron: everyNoon('trigger', { ...ENDED, cronExpression: '0 * * * * ?', misfireInstruction: 'DO_NOTHING' }),
  'calendar interval': {
    ...everyNoon('trigger', ENDED),
    kind: 'CAL_INT',
    repeatInterval: 10,
    repeatIntervalUnit: 'MINUTE',
    preserveHourOfDayAcrossDaylightSavings: false,
    skipDayIfHourDoesNotExist: false,
    timesTriggered: 0,
    misfireInstruction: 'DO_NOTHING',
  } as unknown as Trigger,
  'daily interval': {
    ...everyNoon('trigger', ENDED),
    kind: 'DAILY_I',
    repeatInterval: 10,
    repeatIntervalUnit: 'MINUTE',
    startTimeOfDay: { hour: 0, minute: 0, second: 0 },
    endTimeOfDay: null,
    daysOfWeek: [1, 2, 3, 4, 5, 6, 7],
    repeatCount: REPEAT_INDEFINITELY,
    timesTriggered: 0,
    misfireInstruction: 'DO_NOTHING',
  } as unknown as Trigger,
  'one-off with startWithin': once('trigger', {
    startTime: NOW - HOUR,
    misfireInstruction: 'FIRE_NOW',
    policy: { startWithin: 10 * MINUTE },
  }),
};

/** Triggers whose own schedule has ended without a firing are deleted like triggers that end by a firing. */
export function describeEndedTriggers({ driver }: StoreContext): void {
  const HOW = {
    'no node fired them': async () => {},
    'they were paused': async () => {
      await driver().store.pauseTriggers([triggerKey('trigger')]);
      await driver().store.resumeTriggers([triggerKey('trigger')], driver().options);
    },
  };

  describe('triggers whose schedule ends by a misfire', () => {
    const cases = Object.keys(KINDS).flatMap((kind) => Object.keys(HOW).map((how) => ({ kind, how })));
    it.each(cases)('are deleted with a non-durable job if $how: $kind', async ({ kind, how }) => {
      await driver().scheduleAll(KINDS[kind] as Trigger);
      await HOW[how as keyof typeof HOW]();
      await driver().recoverMisfires();
      expect(await driver().find()).toBeNull();
      expect(await driver().job()).toBeNull();
      await driver().scheduleAll(once('trigger', { startTime: NOW + HOUR })); // the keys are free again
    });

    it('report the jobs deleted with them, but keep durable jobs and jobs with other triggers', async () => {
      await driver().scheduleAll(everyMinute('ended', ENDED));
      await driver().schedule(job('durable', { durable: true }), everyMinute('of durable', ENDED));
      await driver().schedule(job('busy'), everyMinute('of busy', ENDED), once('waiting', { startTime: NOW + HOUR }));
      const { finalized, deletedJobs } = await driver().recoverMisfires();
      expect(finalized.map(({ key }) => key.name).sort()).toEqual(['ended', 'of busy', 'of durable']);
      expect(deletedJobs).toEqual([job().key]);
      expect(await driver().job('durable')).not.toBeNull();
      expect(await driver().job('busy')).not.toBeNull();
      expect(await driver().find('waiting')).not.toBeNull();
      expect(await driver().find('of busy')).toBeNull();
    });

    it('remain while they execute, because a retry or recovery needs the job', async () => {
      const twice = { startTime: NOW, repeatCount: 1, repeatInterval: MINUTE, endTime: NOW + 2 * MINUTE } as const;
      await driver().scheduleAll(once('trigger', twice));
      const firing = await driver().fireOne();
      driver().now = NOW + HOUR;
      expect((await driver().recoverMisfires()).deletedJobs).toEqual([]);
      expect(await driver().state()).toBe('COMPLETE');
      await driver().complete(firing, 'NOOP', { further: [retryOf(firing, driver().now, DAY)] });
      expect(await driver().job()).not.toBeNull();
    });
  });

  describe('triggers whose calendar excludes all further fire times', () => {
    const week = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05'];
    const bound = { calendarName: 'holidays', endTime: NOW + 4 * DAY } as const;

    it('remain with their job after the last firing', async () => {
      await driver().applyOne(storingCalendar(without(...week.slice(1))));
      await driver().scheduleAll(everyNoon('trigger', bound));
      const firing = await driver().fireOne();
      expect(firing.trigger.nextFireTime).toBeNull();
      expect(await driver().complete(firing, 'DELETE_TRIGGER')).toMatchObject({ deletedTrigger: false });
      expect(await driver().state()).toBe('COMPLETE');
      expect(await driver().job()).not.toBeNull();
    });

    it('remain with their job after a misfire', async () => {
      await driver().applyOne(storingCalendar(without(...week.slice(1))));
      await driver().scheduleAll(everyNoon('trigger', { ...bound, misfireInstruction: 'DO_NOTHING' }));
      driver().now = NOW + HOUR;
      const sweep = await driver().recoverMisfires();
      expect(sweep).toMatchObject({ finalized: [], deletedJobs: [] });
      expect(sweep.endedByCalendar.map(({ key }) => key.name)).toEqual(['trigger']);
      expect(await driver().state()).toBe('COMPLETE');
      expect(await driver().job()).not.toBeNull();
    });

    it('remain with their job after they are resumed', async () => {
      await driver().applyOne(storingCalendar(without(...week.slice(1))));
      await driver().scheduleAll(everyNoon('trigger', { ...bound, misfireInstruction: 'DO_NOTHING' }));
      await driver().store.pauseTriggers([triggerKey('trigger')]);
      driver().now = NOW + HOUR;
      await driver().store.resumeTriggers([triggerKey('trigger')], driver().options);
      expect(await driver().state()).toBe('COMPLETE');
      expect(await driver().job()).not.toBeNull();
    });
  });
}
