import type { JobListOptions, PageOptions, TriggerListOptions } from '../api/reading';
import { SchedulerError } from '../base/errors';
import { describeValue, isWellFormed } from '../domain/check-text';
import type { TriggerState } from '../domain/trigger-state';
import type { JobQuery, TriggerQuery } from '../store/job-store';
import { checkList, checkMatcher, checkOptions, toJobKey } from './checked-input';

const DEFAULT_PAGE = 100;
const LONGEST_PAGE = 1000;

const JOB_SORTS = ['key', 'jobType'] as const;
const TRIGGER_SORTS = ['key', 'nextFireTime', 'previousFireTime', 'priority'] as const;
const STATES: readonly TriggerState[] = [
  'WAITING',
  'ACQUIRED',
  'BLOCKED',
  'PAUSED',
  'PAUSED_BLOCKED',
  'COMPLETE',
  'ERROR',
];

const PAGE_OPTIONS = { skip: true, take: true, search: true, descending: true } as const;
const JOB_OPTIONS = { group: true, jobType: true, sort: true, ...PAGE_OPTIONS } as const;
const TRIGGER_OPTIONS = {
  group: true,
  jobKey: true,
  states: true,
  calendarName: true,
  sort: true,
  ...PAGE_OPTIONS,
} as const;

/** What `listJobs` asks the store. Throws INVALID_ARGUMENT. */
export function toJobQuery(options: JobListOptions): JobQuery {
  const { group, jobType, sort, ...page } = checkOptions(options, JOB_OPTIONS);
  return {
    ...toPage(page),
    ...(group !== undefined && { group: checkMatcher(group) }),
    ...(jobType !== undefined && { jobType: checkString(jobType, 'jobType') }),
    ...(sort !== undefined && { sort: checkOneOf(sort, 'sort', JOB_SORTS) }),
  };
}

/** What `listTriggers` asks the store. Throws INVALID_ARGUMENT. */
export function toTriggerQuery(options: TriggerListOptions): TriggerQuery {
  const { group, jobKey, states, calendarName, sort, ...page } = checkOptions(options, TRIGGER_OPTIONS);
  return {
    ...toPage(page),
    ...(group !== undefined && { group: checkMatcher(group) }),
    ...(jobKey !== undefined && { jobKey: toJobKey(jobKey) }),
    ...(states !== undefined && {
      states: checkList(states, 'trigger states').map((state) => checkOneOf(state, 'state', STATES)),
    }),
    ...(calendarName !== undefined && { calendarName: checkString(calendarName, 'calendarName') }),
    ...(sort !== undefined && { sort: checkOneOf(sort, 'sort', TRIGGER_SORTS) }),
  };
}

type Page = Pick<JobQuery, 'skip' | 'take' | 'search' | 'descending'>;

function toPage({ skip = 0, take = DEFAULT_PAGE, search, descending }: PageOptions): Page {
  return {
    skip: checkCount(skip, 'skip', Number.MAX_SAFE_INTEGER),
    take: checkCount(take, 'take', LONGEST_PAGE),
    ...(search !== undefined && { search: checkString(search, 'search') }),
    ...(descending !== undefined && { descending: checkFlag(descending, 'descending') }),
  };
}

function checkCount(count: unknown, option: string, greatest: number): number {
  if (Number.isInteger(count) && (count as number) >= 0 && (count as number) <= greatest) return count as number;
  throw invalid(`a whole number from 0 to ${greatest}`, option, count);
}

function checkString(text: unknown, option: string): string {
  if (typeof text === 'string' && isWellFormed(text)) return text;
  if (typeof text === 'string') {
    throw new SchedulerError('INVALID_ARGUMENT', `Expected well-formed Unicode as ${option}, found half a character.`);
  }
  throw invalid('a string', option, text);
}

function checkFlag(flag: unknown, option: string): boolean {
  if (typeof flag === 'boolean') return flag;
  throw invalid('true or false', option, flag);
}

function checkOneOf<T extends string>(value: T, option: string, known: readonly T[]): T {
  if (known.includes(value)) return value;
  throw invalid(`one of ${known.join(', ')}`, option, value);
}

function invalid(expected: string, option: string, found: unknown): SchedulerError {
  return new SchedulerError('INVALID_ARGUMENT', `Expected ${expected} as ${option}, found ${describeValue(found)}.`);
}
