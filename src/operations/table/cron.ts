import { z } from 'zod';
import { inSlices, mapping } from '../../base/steps';
import { readTrigger } from '../../definitions/read-entries';
import { searchFireTimes } from '../../domain/catch-up';
import { describeCron } from '../../domain/cron/describe-cron';
import { withClockChanges } from '../../domain/default-clock-changes';
import { scheduleFields, triggerFields } from '../definition-fields';
import { entryOf } from '../edit-definition';
import { instant, timeView } from '../fields';
import { findCalendar } from '../find-stored';
import { query } from '../operation';
import { defaultsOf, reading } from '../read-definition';
import { KIND_WORDS, localText, scheduleText } from '../views/schedule-text';
import { WARNING_CODES, warningsOf } from '../views/schedule-warnings';

export const cronPreview = query({
  summary: 'Explains when a schedule fires, in words and as a list of times, with warnings. Stores nothing.',
  http: { method: 'POST', path: '/cron/preview' },
  command: { words: ['cron', 'preview'], arguments: ['cron'] },
  input: z.strictObject({
    ...scheduleFields,
    clockChanges: triggerFields.clockChanges,
    name: z.string().min(1).max(190).default('preview').describe('Name of the trigger, from which H is computed.'),
    group: z.string().min(1).max(190).default('DEFAULT').describe('Group of the trigger, from which H is computed.'),
    from: instant.optional().describe('Show fire times from this time on. Default: now.'),
    count: z.int().min(1).max(1_000).default(10).describe('Maximum number of fire times to show.'),
  }),
  output: z.object({
    kind: z.enum(['cron', 'simple', 'calendarInterval', 'dailyTimeInterval', 'after']),
    expression: z
      .string()
      .nullable()
      .describe('The cron expression as it would be stored; null if the schedule is not a cron expression.'),
    timeZone: z.string().nullable(),
    clockChanges: z
      .enum(['quartz', 'natural'])
      .nullable()
      .describe('Clock changes of a cron expression; null for other schedules.'),
    description: z.string().describe('The schedule in words.'),
    fireTimes: z.array(z.object({ time: timeView, local: z.string().describe('Local time in the time zone.') })),
    warnings: z.array(z.object({ code: z.enum(WARNING_CODES), message: z.string() })),
  }),
  async run(context, { from, count, ...given }) {
    const { control } = context;
    const { rules } = control;
    const start = from === undefined ? control.now() : Date.parse(from);
    const defaults = { ...defaultsOf(context), now: start };
    const { trigger: read } = reading(() => readTrigger(entryOf({ ...given, job: 'preview' }), defaults, 'fail'));
    const trigger = withClockChanges(read, control.clockChanges);
    const calendar = given.calendar === undefined ? null : await findCalendar(context, given.calendar);
    const slice = control.timeSlice();
    const times = await inSlices(
      searchFireTimes(trigger, calendar, { from: start, to: Infinity, atMost: count, rules }),
      slice,
    );
    const timeZone = 'timeZone' in trigger ? trigger.timeZone : null;
    const viewOf = (time: number) => ({ time, local: localText(time, timeZone ?? control.timeZone) });
    const fireTimes = await inSlices(mapping(times, viewOf), slice);
    return {
      kind: KIND_WORDS[trigger.kind],
      expression: trigger.kind === 'CRON' ? trigger.cronExpression : null,
      timeZone,
      clockChanges: trigger.kind === 'CRON' ? (trigger.policy?.clockChanges ?? 'quartz') : null,
      description: trigger.kind === 'CRON' ? describeCron(trigger.cronExpression) : scheduleText(trigger),
      fireTimes,
      warnings: [
        ...warningsOf(trigger, { calendar, times, start, count, rules, namesZone: given.timeZone !== undefined }),
      ],
    };
  },
});
