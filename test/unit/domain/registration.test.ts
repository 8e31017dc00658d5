import { calendarFrom } from '../../../src/domain/calendars/calendar-from-data';
import { planRegistration, stateAfterRegistration } from '../../../src/domain/registration';
import type { Trigger } from '../../../src/domain/trigger';
import { afterFiring } from '../../../src/domain/trigger-behaviour';
import type { TriggerState } from '../../../src/domain/trigger-state';
import {
  DAY,
  everyMinute,
  everyNoon,
  HOUR,
  MINUTE,
  MISFIRE_THRESHOLD,
  NOW,
  once,
  without,
} from '../../conformance/samples';
import { dailyTimeIntervalTrigger } from '../../support/sample-triggers';

const AT = { now: NOW, misfireThreshold: MISFIRE_THRESHOLD };

/** The trigger as it is stored after this number of firings. */
function fired<T extends Trigger>(trigger: T, times: number): T {
  let stored = planRegistration({ trigger, startTimeDefaulted: false }, null, null, AT).trigger as T;
  for (let count = 0; count < times; count++) stored = afterFiring(stored, null);
  return stored;
}

function replanned(trigger: Trigger, stored: Trigger, more: { defaulted?: boolean; state?: TriggerState } = {}) {
  const { defaulted = false, state = 'WAITING' } = more;
  return planRegistration(
    { trigger, startTimeDefaulted: defaulted },
    { trigger: stored, state, calendar: () => null },
    null,
    AT,
  );
}

describe('planRegistration of a new trigger', () => {
  it('computes the first fire time and clears fire times that the caller set', () => {
    const leftOver = everyMinute('a', { nextFireTime: NOW + DAY, previousFireTime: NOW - 1 });
    expect(planRegistration({ trigger: leftOver, startTimeDefaulted: false }, null, null, AT)).toEqual({
      status: 'created',
      trigger: everyMinute('a', { nextFireTime: NOW }),
    });
  });

  it('applies the calendar', () => {
    const calendar = calendarFrom(without('2026-01-01', '2026-01-02'));
    const { trigger } = planRegistration({ trigger: everyNoon(), startTimeDefaulted: false }, null, calendar, AT);
    expect(trigger.nextFireTime).toBe(NOW + 2 * DAY);
  });

  it('refuses a trigger that never fires, with its key in the message', () => {
    const never = everyNoon('never', { endTime: NOW - HOUR, startTime: NOW - 2 * HOUR });
    expect(() => planRegistration({ trigger: never, startTimeDefaulted: false }, null, null, AT)).toThrow(
      expect.objectContaining({ code: 'INVALID_TRIGGER', message: expect.stringContaining("'DEFAULT/never'") }),
    );
  });
});

describe('planRegistration of a stored trigger', () => {
  it.each([0, 1, 5])('keeps an unchanged trigger as it is after %i firings', (times) => {
    const stored = fired(everyMinute(), times);
    expect(replanned(everyMinute(), stored)).toEqual({ status: 'unchanged', trigger: stored });
    expect(replanned(everyMinute('trigger', { startTime: NOW + DAY }), stored, { defaulted: true })).toEqual({
      status: 'unchanged',
      trigger: stored,
    });
  });

  it('applies an added or removed policy', () => {
    const stored = fired(everyNoon(), 2);
    const policy = { history: 'all' } as const;
    const plan = replanned(everyNoon('trigger', { policy }), stored);
    expect(plan).toEqual({ status: 'replaced', trigger: { ...stored, policy } });
    expect(replanned(everyNoon('trigger', { policy: { history: 'all' } }), plan.trigger).status).toBe('unchanged');
    expect(replanned(everyNoon(), plan.trigger)).toEqual({ status: 'replaced', trigger: stored });
  });

  it('applies all changes outside the schedule and keeps the fire times', () => {
    const stored = fired(everyNoon(), 2);
    const plan = replanned(everyNoon('trigger', { description: 'new', misfireInstruction: 'DO_NOTHING' }), stored);
    expect(plan).toEqual({
      status: 'replaced',
      trigger: { ...stored, description: 'new', misfireInstruction: 'DO_NOTHING' },
    });
  });

  it.each([
    { what: 'interval', changed: everyMinute('trigger', { repeatInterval: HOUR }), next: NOW + HOUR },
    { what: 'start time', changed: everyMinute('trigger', { startTime: NOW + 30_000 }), next: NOW + MINUTE + 30_000 },
    { what: 'earlier start time', changed: everyMinute('trigger', { startTime: NOW - DAY }), next: NOW + 2 * MINUTE },
    { what: 'end time', changed: everyMinute('trigger', { endTime: NOW + DAY }), next: NOW + 2 * MINUTE },
    { what: 'kind', changed: everyNoon(), next: NOW + DAY },
    { what: 'final fire time before the last firing', changed: once(), next: null },
  ])('continues after the last firing with another $what', ({ changed, next }) => {
    const stored = fired(everyMinute(), 2);
    const { status, trigger } = replanned(changed, stored);
    expect([status, trigger.nextFireTime, trigger.previousFireTime]).toEqual(['replaced', next, NOW + MINUTE]);
  });

  it('keeps the phase when the interval changes, if the start time was set by default', () => {
    const { trigger } = replanned(
      everyMinute('trigger', { repeatInterval: HOUR, startTime: NOW + DAY }),
      fired(everyMinute(), 1),
      {
        defaulted: true,
      },
    );
    expect(trigger).toMatchObject({ startTime: NOW, nextFireTime: NOW + HOUR });
  });

  it('restarts a COMPLETE trigger that has fire times left, and keeps an exhausted one unchanged', () => {
    const stored = fired(everyMinute(), 1);
    expect(replanned(everyMinute(), stored, { state: 'COMPLETE' })).toMatchObject({
      status: 'replaced',
      trigger: { nextFireTime: NOW + MINUTE, previousFireTime: NOW },
    });
    const finished = fired(once(), 1);
    expect(replanned(once(), finished, { state: 'COMPLETE' })).toEqual({ status: 'unchanged', trigger: finished });
  });

  it('recomputes a future fire time that is no longer in the schedule after a time zone change', () => {
    const stored = fired(everyNoon(), 1);
    const moved = { ...stored, nextFireTime: (stored.nextFireTime ?? 0) + HOUR };
    expect(replanned(everyNoon(), moved)).toEqual({ status: 'replaced', trigger: stored });
    expect(replanned(everyNoon(), stored).status).toBe('unchanged');
    // A due fire time stays, even if the schedule no longer has it.
    const due = { ...stored, nextFireTime: NOW - HOUR };
    expect(replanned(everyNoon(), due)).toEqual({ status: 'unchanged', trigger: due });
  });

  it('does not restart the repeat count of an exhausted trigger', () => {
    const twice = dailyTimeIntervalTrigger({ repeatCount: 1 });
    const finished = fired(twice, 2);
    expect(replanned(twice, finished, { state: 'COMPLETE' })).toEqual({ status: 'unchanged', trigger: finished });
  });

  it('keeps a trigger in ERROR while its definition is the same, and replaces it otherwise', () => {
    const stored = fired(everyMinute(), 1);
    expect(replanned(everyMinute(), stored, { state: 'ERROR' })).toEqual({ status: 'unchanged', trigger: stored });
    expect(replanned(everyMinute('trigger', { priority: 9 }), stored, { state: 'ERROR' }).status).toBe('replaced');
  });
});

describe('stateAfterRegistration', () => {
  const idle = { jobExecuting: false, groupPaused: false };
  const waiting = fired(everyMinute(), 0);

  it('is PAUSED for a paused trigger and otherwise WAITING, while job and group allow it', () => {
    const states = [null, 'WAITING', 'ACQUIRED', 'BLOCKED', 'PAUSED', 'PAUSED_BLOCKED', 'COMPLETE', 'ERROR'] as const;
    expect(states.map((state) => stateAfterRegistration(waiting, state, idle))).toEqual([
      'WAITING',
      'WAITING',
      'WAITING',
      'WAITING',
      'PAUSED',
      'PAUSED',
      'WAITING',
      'WAITING',
    ]);
  });

  it('depends on whether the job executes and the group is paused', () => {
    expect(stateAfterRegistration(waiting, null, { jobExecuting: true, groupPaused: false })).toBe('BLOCKED');
    expect(stateAfterRegistration(waiting, 'PAUSED', { jobExecuting: true, groupPaused: false })).toBe(
      'PAUSED_BLOCKED',
    );
    const paused = { jobExecuting: false, groupPaused: true };
    expect([null, 'COMPLETE', 'ERROR'].map((state) => stateAfterRegistration(waiting, state as null, paused))).toEqual([
      'PAUSED',
      'PAUSED',
      'PAUSED',
    ]);
  });

  it('keeps a trigger WAITING that was resumed in a paused group', () => {
    expect(stateAfterRegistration(waiting, 'WAITING', { jobExecuting: false, groupPaused: true })).toBe('WAITING');
  });

  it('is COMPLETE without a next fire time, unless the trigger is paused', () => {
    const ended = fired(once(), 1);
    const states = [null, 'WAITING', 'PAUSED', 'COMPLETE', 'ERROR'] as const;
    expect(states.map((state) => stateAfterRegistration(ended, state, idle))).toEqual([
      'COMPLETE',
      'COMPLETE',
      'PAUSED',
      'COMPLETE',
      'COMPLETE',
    ]);
    const paused = { jobExecuting: false, groupPaused: true };
    expect(states.map((state) => stateAfterRegistration(ended, state, paused))).toEqual([
      'PAUSED',
      'COMPLETE',
      'PAUSED',
      'COMPLETE',
      'COMPLETE',
    ]);
  });
});
