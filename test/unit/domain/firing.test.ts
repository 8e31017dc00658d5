import { calendarFrom } from '../../../src/domain/calendars/calendar-from-data';
import { planFiring, refusalReason, stateAfterFiring } from '../../../src/domain/firing';
import { triggerKey } from '../../../src/domain/keys';
import type { TriggerState } from '../../../src/domain/trigger-state';
import { DAY, everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, without } from '../../conformance/samples';

const firingOf = (trigger = everyMinute('a', { nextFireTime: NOW }), jobDetail = job()) =>
  planFiring({ trigger, jobDetail, calendar: null }, 'id.1', { now: NOW + 5 });

describe('planFiring', () => {
  it('returns the firing and the trigger with its next fire time', () => {
    const before = everyMinute('a', { nextFireTime: NOW, previousFireTime: NOW - MINUTE, timesTriggered: 1 });
    expect(firingOf(before)).toEqual({
      runId: 'id.1',
      trigger: { ...before, nextFireTime: NOW + MINUTE, previousFireTime: NOW, timesTriggered: 2 },
      jobDetail: job(),
      calendar: null,
      scheduledFireTime: NOW,
      previousFireTime: NOW - MINUTE,
      fireTime: NOW + 5,
      recovering: false,
    });
  });

  it('uses the calendar for the next fire time and includes it in the firing', () => {
    const data = without('2026-01-02');
    const trigger = everyNoon('a', { nextFireTime: NOW, calendarName: 'holidays' });
    const calendar = { data, calendar: calendarFrom(data) };
    const firing = planFiring({ trigger, jobDetail: job(), calendar }, 'id.1', { now: NOW });
    expect(firing.calendar).toBe(data);
    expect(firing.trigger.nextFireTime).toBe(NOW + 2 * DAY);
  });

  it('marks a trigger of the group RECOVERING_JOBS as recovering', () => {
    expect(firingOf(everyMinute('a', { key: triggerKey('a', 'RECOVERING_JOBS'), nextFireTime: NOW })).recovering).toBe(
      true,
    );
  });

  it('refuses a trigger without a next fire time', () => {
    expect(() => firingOf(everyMinute('a'))).toThrow(expect.objectContaining({ code: 'INVALID_TRIGGER' }));
  });
});

describe('stateAfterFiring', () => {
  it('returns WAITING, BLOCKED for a non-concurrent job, or COMPLETE after the last fire time', () => {
    const serial = job('job', { disallowConcurrentExecution: true });
    expect(stateAfterFiring(firingOf())).toBe('WAITING');
    expect(stateAfterFiring(firingOf(everyMinute('a', { nextFireTime: NOW }), serial))).toBe('BLOCKED');
    expect(stateAfterFiring(firingOf(once('a', { nextFireTime: NOW }) as never, serial))).toBe('COMPLETE');
  });
});

describe('refusalReason', () => {
  const trigger = everyMinute('a', { nextFireTime: NOW });
  const acquired = { trigger, runId: 'id.1' };
  const reason = (state: TriggerState, stored = trigger) => refusalReason(acquired, { trigger: stored, state });

  it('returns why the trigger can no longer fire after it was acquired', () => {
    expect(refusalReason(acquired, null)).toBe('deleted');
    expect([reason('PAUSED'), reason('PAUSED_BLOCKED'), reason('BLOCKED')]).toEqual(['paused', 'paused', 'blocked']);
    expect(reason('ACQUIRED')).toBe('lost');
    expect(reason('WAITING', { ...trigger, nextFireTime: NOW + MINUTE, timesTriggered: 1, priority: 9 })).toBe('lost');
    expect(reason('WAITING', { ...trigger, repeatInterval: HOUR })).toBe('changed');
    expect(reason('WAITING', { ...trigger, startTime: NOW + HOUR })).toBe('changed');
  });
});
