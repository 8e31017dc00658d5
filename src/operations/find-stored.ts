import type { Calendar } from '../domain/calendars/calendar';
import type { JobDetail } from '../domain/job-detail';
import { DEFAULT_GROUP, formatKey, type JobKey, type TriggerKey } from '../domain/keys';
import type { FoundTrigger } from '../scheduler/control-reads';
import type { OperationContext } from './operation';
import { Problem } from './problem';

/* Functions that return the stored target of an operation, or throw the problem for a missing target. */

const CODES = { job: 'JOB_NOT_FOUND', trigger: 'TRIGGER_NOT_FOUND', calendar: 'CALENDAR_NOT_FOUND' } as const;

export function notStored(
  what: keyof typeof CODES,
  key: JobKey | TriggerKey | string,
  others: readonly (JobKey | TriggerKey)[] = [],
): Problem {
  const name = typeof key === 'string' ? key : formatKey(key);
  const hint = others.length === 0 ? '' : ` Other groups have this name: ${others.map(formatKey).join(', ')}.`;
  return new Problem(CODES[what], `There is no ${what} ${name}.${hint}`);
}

/** A key whose group may be missing: then it is DEFAULT, or the only group that has the name. */
interface SoughtKey {
  readonly group?: string | undefined;
  readonly name: string;
}

export function findJob({ scheduler }: OperationContext, sought: SoughtKey): Promise<JobDetail> {
  return findByKey('job', sought, {
    find: (key) => scheduler.getJobDetail(key),
    search: async (search) => (await scheduler.listJobs({ search, limit: MAX_SEARCHED })).items.map(({ key }) => key),
  });
}

export function findTrigger({ control, scheduler }: OperationContext, sought: SoughtKey): Promise<FoundTrigger> {
  return findByKey('trigger', sought, {
    find: (key) => control.findTrigger(key),
    search: async (search) =>
      (await scheduler.listTriggers({ search, limit: MAX_SEARCHED })).items.map(({ trigger }) => trigger.key),
  });
}

const MAX_SEARCHED = 1_000;
const MAX_NAMED = 5;

interface Finder<Item> {
  find(key: JobKey & TriggerKey): Promise<Item | null>;
  /** Returns keys that contain a text. */
  search(text: string): Promise<readonly (JobKey | TriggerKey)[]>;
}

async function findByKey<Item>(
  what: 'job' | 'trigger',
  { group, name }: SoughtKey,
  { find, search }: Finder<Item>,
): Promise<Item> {
  const key = { group: group ?? DEFAULT_GROUP, name };
  const found = await find(key);
  if (found !== null) return found;
  const others = (await search(`/${name}`)).filter((each) => each.name === name);
  const [only] = others;
  const other = group === undefined && others.length === 1 && only !== undefined ? await find(only) : null;
  if (other !== null) return other;
  throw notStored(what, key, others.slice(0, MAX_NAMED));
}

export async function findCalendar({ scheduler }: OperationContext, name: string): Promise<Calendar> {
  const calendar = await scheduler.getCalendar(name);
  if (calendar === null) throw notStored('calendar', name);
  return calendar;
}
