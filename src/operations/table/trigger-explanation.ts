import { z } from 'zod';
import { SchedulerError } from '../../base/errors';
import { searchedKeyFields, timeView } from '../fields';
import { findTrigger } from '../find-stored';
import { query } from '../operation';
import { REASON_CODES, reasonsOf } from '../trigger-reasons';
import { stateField } from '../views/trigger-view';

export const triggersExplain = query({
  summary: 'Explains why a trigger does not fire now: its state, pauses, job, nodes, fire time and load.',
  http: { method: 'GET', path: '/triggers/:group/:name/explanation' },
  command: { words: ['triggers', 'explain'], aliases: [['explain']], arguments: ['name'] },
  input: z.strictObject(searchedKeyFields('trigger')),
  output: z.object({
    state: stateField,
    nextFireTime: timeView.nullable(),
    reasons: z
      .array(z.object({ code: z.enum(REASON_CODES), text: z.string() }))
      .describe('The most important reason comes first.'),
  }),
  async run(context, key) {
    const { scheduler, control } = context;
    const found = await findTrigger(context, key);
    const { trigger } = found;
    const [job, nodes, executing, missingJobs, isCalendarUnreadable, missed] = await Promise.all([
      scheduler.getJobDetail(trigger.jobKey),
      scheduler.listNodes(),
      scheduler.listExecutingJobs(),
      control.findMissingJobs(trigger.kind === 'AFTER' ? trigger.after : []),
      trigger.calendarName !== null && isUnreadable(scheduler.getCalendar(trigger.calendarName)),
      scheduler.listRuns({ trigger: trigger.key, outcome: 'misfired', limit: 1 }),
    ]);
    const related = { job, nodes, executing, missingJobs, isCalendarUnreadable, missed: missed.items[0] ?? null };
    const known = { found, ...related, workers: control.readRuntime(), now: control.now() };
    return { state: found.state, nextFireTime: trigger.nextFireTime, reasons: reasonsOf(known) };
  },
});

async function isUnreadable(calendar: Promise<unknown>): Promise<boolean> {
  try {
    await calendar;
    return false;
  } catch (error) {
    if (error instanceof SchedulerError && error.code === 'INVALID_CALENDAR') return true;
    throw error;
  }
}
