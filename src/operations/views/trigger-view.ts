import { z } from 'zod';
import { TRIGGER_STATES } from '../../domain/trigger-state';
import type { FoundTrigger } from '../../scheduler/control-reads';
import { keyView, timeView } from '../fields';
import type { Shown } from '../operation';
import { listedPause, pauseClause } from './pause-view';
import { KIND_WORDS, scheduleText } from './schedule-text';

export const stateField = z.enum(TRIGGER_STATES);

export const triggerRow = z.object({
  key: keyView,
  job: keyView,
  kind: z.enum(['cron', 'simple', 'calendarInterval', 'dailyTimeInterval', 'after']),
  schedule: z
    .string()
    .describe('Short form of the schedule: a cron expression, an interval, or the jobs that the trigger waits for.'),
  state: stateField,
  nextFireTime: timeView.nullable(),
  previousFireTime: timeView.nullable(),
  priority: z.int(),
  calendar: z.string().nullable(),
  timeZone: z.string().nullable(),
  description: z.string().nullable(),
  pause: listedPause
    .nullable()
    .describe('Details of the pause; null if the trigger is not paused or its pause has no details.'),
  pauseText: z
    .string()
    .nullable()
    .describe(
      'Sentence that describes the pause of the trigger, its group or its job; null if the trigger is not paused.',
    ),
  unreadable: z.string().nullable().describe('Reason why this node cannot read the definition; null if it can.'),
});

export function triggerRowOf(found: FoundTrigger): Shown<typeof triggerRow> {
  const { trigger, state, pause } = found;
  const { key, jobKey, priority, calendarName, description, nextFireTime, previousFireTime } = trigger;
  return {
    ...{ key, job: jobKey, state, priority, calendar: calendarName, description },
    ...{ nextFireTime, previousFireTime, pause },
    kind: KIND_WORDS[trigger.kind],
    schedule: scheduleText(trigger),
    timeZone: 'timeZone' in trigger ? trigger.timeZone : null,
    pauseText: pauseClause(found),
    unreadable: trigger.unreadable ?? null,
  };
}
