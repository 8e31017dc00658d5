import type { Calendar } from '../domain/calendars/calendar';
import type { JobDetail } from '../domain/job-detail';
import { formatKey, type JobKey, type TriggerKey } from '../domain/keys';
import type { FoundTrigger } from '../scheduler/control-reads';
import type { OperationContext } from './operation';
import { Problem } from './problem';

/* Functions that return the stored target of an operation, or throw the problem for a missing target. */

const CODES = { job: 'JOB_NOT_FOUND', trigger: 'TRIGGER_NOT_FOUND', calendar: 'CALENDAR_NOT_FOUND' } as const;

export function notStored(what: keyof typeof CODES, key: JobKey | TriggerKey | string): Problem {
  const name = typeof key === 'string' ? key : formatKey(key);
  return new Problem(CODES[what], `There is no ${what} ${name}.`);
}

export async function findJob({ scheduler }: OperationContext, { group, name }: JobKey): Promise<JobDetail> {
  const job = await scheduler.getJobDetail({ group, name });
  if (job === null) throw notStored('job', { group, name });
  return job;
}

export async function findTrigger({ control }: OperationContext, { group, name }: TriggerKey): Promise<FoundTrigger> {
  const found = await control.findTrigger({ group, name });
  if (found === null) throw notStored('trigger', { group, name });
  return found;
}

export async function findCalendar({ scheduler }: OperationContext, name: string): Promise<Calendar> {
  const calendar = await scheduler.getCalendar(name);
  if (calendar === null) throw notStored('calendar', name);
  return calendar;
}
