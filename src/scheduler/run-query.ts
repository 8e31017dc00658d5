import { checkWhole } from '../api/builders/check-arguments';
import { parseRunCursor, type RunListOptions } from '../api/runs';
import { checkOptions } from '../domain/check-options';
import { checkText, invalidArgument, timeOf } from '../domain/check-text';
import { checkFlag, LIMITS } from '../domain/limits';
import { RUN_OUTCOMES, type RunCursor, type RunQuery } from '../domain/run';
import { checkList, checkMatcher, checkOneOf, checkString, toJobKey, toTriggerKey } from './checked-input';

const MAX_PAGE = 1_000;

const RUN_OPTIONS = {
  job: true,
  jobGroup: true,
  jobType: true,
  trigger: true,
  occurrence: true,
  outcome: true,
  node: true,
  since: true,
  until: true,
  search: true,
  deadLetters: true,
  after: true,
  limit: true,
} as const;

/** Names that other libraries use for these options, for hints in errors. */
const OTHER_NAMES = {
  jobKey: 'job',
  triggerKey: 'trigger',
  occurrenceId: 'occurrence',
  outcomes: 'outcome',
  instanceId: 'node',
  from: 'since',
  to: 'until',
  group: 'jobGroup',
  take: 'limit',
} as const;

/** Converts the options of a run list to a query. Throws INVALID_ARGUMENT. */
export function toRunQuery(options: RunListOptions): Partial<RunQuery> {
  const { job, jobGroup, jobType, trigger, occurrence, outcome, node, since, until, search, ...page } = checkOptions(
    options,
    RUN_OPTIONS,
    OTHER_NAMES,
  );
  return {
    ...(job !== undefined && { jobKey: toJobKey(job) }),
    ...(jobGroup !== undefined && { jobGroup: checkMatcher(jobGroup) }),
    ...(jobType !== undefined && { jobType: checkText(jobType, 'jobType', LIMITS.jobType) }),
    ...(trigger !== undefined && { triggerKey: toTriggerKey(trigger) }),
    ...(occurrence !== undefined && { occurrenceId: checkText(occurrence, 'occurrence', LIMITS.occurrenceId) }),
    ...(outcome !== undefined && { outcomes: toOutcomes(outcome) }),
    ...(node !== undefined && { instanceId: checkText(node, 'node', LIMITS.instanceId) }),
    ...(since !== undefined && { since: timeOf(since, 'a valid Date as since') }),
    ...(until !== undefined && { until: timeOf(until, 'a valid Date as until') }),
    ...(search !== undefined && { search: checkString(search, 'search') }),
    ...toPage(page),
  };
}

function toPage({ deadLetters = false, after, limit }: RunListOptions): Partial<RunQuery> {
  return {
    ...(checkFlag(deadLetters, 'deadLetters') && { deadLetters }),
    ...(after !== undefined && { after: toCursor(after) }),
    ...(limit !== undefined && { take: checkWhole(limit, 'limit', 1, MAX_PAGE) }),
  };
}

function toOutcomes(outcome: NonNullable<RunListOptions['outcome']>) {
  const outcomes = typeof outcome === 'string' ? [outcome] : checkList(outcome, 'outcomes');
  return outcomes.map((each) => checkOneOf(each, 'outcome', RUN_OUTCOMES));
}

function toCursor(next: string): RunCursor {
  const cursor = typeof next === 'string' ? parseRunCursor(next) : null;
  if (cursor === null) throw invalidArgument('`next` of a page of listRuns() as after', next);
  return cursor;
}

/** Checks a run id and returns it. Throws INVALID_ARGUMENT. */
export function checkRunId(id: unknown): string {
  return checkText(id, 'a run id', LIMITS.runId);
}
