import { z } from 'zod';
import { toDate } from '../../api/trigger';
import { TRIGGER_STATES } from '../../domain/trigger-state';
import type { FoundTrigger } from '../../scheduler/control-reads';
import { instant, keyView } from '../fields';
import { pauseSubject } from './pause-text';
import { listedPause, listedPauseOf } from './pause-view';
import { instantOf } from './plain';
import { KIND_WORDS, scheduleText } from './schedule-text';

export const stateField = z.enum(TRIGGER_STATES);

/** A trigger in a list. */
export const triggerRow = z.object({
  key: keyView,
  job: keyView,
  kind: z.enum(['cron', 'simple', 'calendarInterval', 'dailyTimeInterval', 'after']),
  schedule: z.string().describe('When it fires, in short: a cron expression, an interval, the jobs it waits for.'),
  state: stateField,
  nextFireTime: instant.nullable(),
  previousFireTime: instant.nullable(),
  priority: z.int(),
  calendar: z.string().nullable(),
  timeZone: z.string().nullable(),
  description: z.string().nullable(),
  pause: listedPause
    .nullable()
    .describe('What was given with its pause; null: it is not paused, or nothing was given.'),
  pauseText: z.string().nullable().describe('What is paused: the trigger, its group, its job; null: it is not paused.'),
  unreadable: z.string().nullable().describe('Why this node cannot read it; null: it can.'),
});

export function triggerRowOf(found: FoundTrigger): z.input<typeof triggerRow> {
  const { trigger, state, pause } = found;
  const { key, jobKey, priority, calendarName, description, nextFireTime, previousFireTime } = trigger;
  return {
    key: { ...key },
    job: { ...jobKey },
    kind: KIND_WORDS[trigger.kind],
    schedule: scheduleText(trigger),
    state,
    nextFireTime: instantOf(toDate(nextFireTime)),
    previousFireTime: instantOf(toDate(previousFireTime)),
    priority,
    calendar: calendarName,
    timeZone: 'timeZone' in trigger ? trigger.timeZone : null,
    description,
    pause: pause && listedPauseOf(pause),
    pauseText: pauseSubject(found),
    unreadable: trigger.unreadable ?? null,
  };
}
