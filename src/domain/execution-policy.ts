import { checkCatchUp } from './catch-up-policy';
import { invalidArgument } from './check-text';
import { checkConcurrency } from './concurrency-limit';
import type { GroupLimits } from './group-limits';
import { type JobData, NO_DATA } from './job-data';
import { checkOverlap } from './overlap';
import { checkLabels, checkPreference } from './placement';
import { checkRate } from './rate-limit';
import { NO_RETRY, parseDuration, parseRetryPolicy } from './retry-policy';
import { checkSpread } from './spread-policy';
import { parseTimeLimit } from './time-limit';

/** Runs to record: all, only unsuccessful ones, or none. */
export type HistoryMode = 'all' | 'failures' | 'none';

const HISTORY_MODES: readonly unknown[] = ['all', 'failures', 'none'] satisfies readonly HistoryMode[];

/** Check of each field: accepts every form in which users write a value, and returns the canonical form. The policy's type is derived from these. */
const CHECKS = {
  /** Rules for retries of a failed occurrence: number and delays. */
  retry: parseRetryPolicy,
  /** Runs to record. */
  history: checkHistory,
  /** Maximum delay of a first run after its scheduled time; a later run is skipped. At least 1 millisecond. */
  startWithin: (given: unknown, owner: string) => checkTime(given, 'startWithin', owner),
  /** Maximum time without a successful run before `overdue` is reported. At least 1 millisecond. */
  mustSucceedWithin: (given: unknown, owner: string) => checkTime(given, 'mustSucceedWithin', owner),
  /** Maximum number of firings with a common key that may execute at the same time, in the whole cluster. */
  concurrency: checkConcurrency,
  /** Maximum number of firings with a common key that may begin within a time, in the whole cluster. */
  rate: checkRate,
  /** Maximum duration of a run. */
  timeout: parseTimeLimit,
  /** Missed fire times to catch up; only for triggers. */
  catchUp: checkCatchUp,
  /** Number of parts in which an occurrence is run. */
  spread: checkSpread,
  /** Labels that a node must have, all of them, to run it. Empty: any node. */
  runsOn: checkLabels,
  /** Preferred node labels, and how long other nodes leave the run to nodes with these labels. */
  prefers: checkPreference,
  /** Rule for a firing while an earlier run of its job is executing. */
  overlap: checkOverlap,
  /** Maximum random delay after the scheduled time, drawn from the trigger's key and the scheduled time; only for triggers. Milliseconds. */
  jitter: (given: unknown, owner: string) => parseDuration(given, `jitter of ${owner}`),
} satisfies Readonly<Record<string, (given: unknown, owner: string) => unknown>>;

/**
 * Execution settings of a job, or of one trigger's firings, in addition to Quartz's. Absent fields fall back to the trigger's job, then to the
 * scheduler.
 */
export type ExecutionPolicy = { readonly [Field in keyof typeof CHECKS]?: ReturnType<(typeof CHECKS)[Field]> };

/** A policy with retry and history settings; everything else may be absent. */
export type WholePolicy = ExecutionPolicy &
  Required<Pick<ExecutionPolicy, 'retry' | 'history'>> & {
    /** History mode per job group, by name; absent if no group has its own. */
    readonly historyOfGroups?: Readonly<Record<string, HistoryMode>>;
    /** Maximum number of runs of a group's jobs that may execute at the same time in the whole cluster; absent if no group has a limit. */
    readonly groupLimits?: GroupLimits;
  };

/** Default policy: failures are recorded, and successful runs cost nothing. */
export const DEFAULT_POLICY: WholePolicy = Object.freeze({ retry: NO_RETRY, history: 'failures' });

/** Common field of jobs and triggers: an optional policy. */
interface HasPolicy {
  readonly policy?: ExecutionPolicy;
}

/** A job; without a key it belongs to no group. */
type PolicyOwner = HasPolicy & { readonly key?: { readonly group: string } };

/** Returns the effective policy of a firing. The trigger's setting wins over the job's, the job's over its group's, and that over the scheduler's. */
export function policyOf(
  { trigger, jobDetail }: { readonly trigger: HasPolicy; readonly jobDetail: PolicyOwner },
  ofScheduler: WholePolicy,
): WholePolicy {
  const general = ofScheduler.historyOfGroups === undefined ? ofScheduler : ofGroup(jobDetail, ofScheduler);
  if (trigger.policy === undefined && jobDetail.policy === undefined) return general;
  return { ...general, ...jobDetail.policy, ...trigger.policy };
}

function ofGroup({ key }: PolicyOwner, ofScheduler: WholePolicy): WholePolicy {
  const { historyOfGroups = {} } = ofScheduler;
  const history =
    key !== undefined && Object.hasOwn(historyOfGroups, key.group) ? historyOfGroups[key.group] : undefined;
  return history === undefined ? ofScheduler : { ...ofScheduler, history };
}

/**
 * Data key under which a SQL store keeps a policy, as JSON text. As part of the data it is copied wherever the data goes, and Java nodes preserve it.
 */
export const POLICY_KEY = 'QRTZ_X_POLICY';

/** Adds the policy to data, in its stored form. */
export function withPolicy(data: JobData, policy: ExecutionPolicy | undefined): JobData {
  return policy === undefined ? data : { ...data, [POLICY_KEY]: JSON.stringify(policy) };
}

/** Splits stored data into the data without its policy, and the policy. The policy is undefined if there is none, or if it is unreadable. */
export function takePolicy(stored: JobData): {
  readonly data: JobData;
  readonly policy: ExecutionPolicy | undefined;
} {
  const text = stored[POLICY_KEY];
  if (text === undefined) return { data: stored, policy: undefined };
  const { [POLICY_KEY]: _, ...data } = stored;
  return { data: Object.keys(data).length === 0 ? NO_DATA : Object.freeze(data), policy: parsePolicy(text) };
}

function parsePolicy(text: unknown): ExecutionPolicy | undefined {
  try {
    return checkPolicy(JSON.parse(String(text)), 'a stored row');
  } catch {
    return undefined; // written by a later version, or manually: the job runs without a policy
  }
}

/** A field of a policy. */
export type PolicyField = keyof ExecutionPolicy;

/** The fields of a policy. */
export const POLICY_FIELDS = Object.keys(CHECKS) as readonly PolicyField[];

/** Validates a policy and returns a frozen copy; undefined if it has no fields. `owner` names its owner in messages. Throws INVALID_ARGUMENT. */
export function checkPolicy(policy: unknown, owner: string): ExecutionPolicy | undefined {
  if (policy === undefined || policy === null) return undefined;
  if (typeof policy !== 'object') throw invalidArgument(`an object as the policy of ${owner}`, policy);
  const given = policy as Readonly<Record<PolicyField, unknown>>;
  const named = POLICY_FIELDS.filter((field) => given[field] !== undefined);
  if (named.length === 0) return undefined;
  return Object.freeze(Object.fromEntries(named.map((field) => [field, CHECKS[field](given[field], owner)])));
}

/** Same as `checkPolicy`, for a job. Refuses fields that concern a trigger's fire times, which would have no effect. Throws INVALID_ARGUMENT. */
export function checkJobPolicy(policy: unknown, owner: string): ExecutionPolicy | undefined {
  const checked = checkPolicy(policy, owner);
  for (const part of OF_TRIGGERS) {
    if (checked?.[part] !== undefined) {
      throw invalidArgument(`no ${part} in the policy of ${owner} (set it on the job's triggers)`, checked[part]);
    }
  }
  return checked;
}

/** Fields only for triggers, because they concern fire times. */
export const OF_TRIGGERS = ['catchUp', 'jitter'] as const satisfies readonly PolicyField[];

/** A field that jobs have, too. */
export type JobPolicyField = Exclude<PolicyField, (typeof OF_TRIGGERS)[number]>;

/** Policy fields that jobs have. */
export const JOB_POLICY_FIELDS: readonly JobPolicyField[] = POLICY_FIELDS.filter(
  (field): field is JobPolicyField => !(OF_TRIGGERS as readonly PolicyField[]).includes(field),
);

/** Validates a history mode; true and false stand for `all` and `none`. Throws INVALID_ARGUMENT. */
export function checkHistory(history: unknown, owner: string): HistoryMode {
  if (typeof history === 'boolean') return history ? 'all' : 'none';
  if (HISTORY_MODES.includes(history)) return history as HistoryMode;
  throw invalidArgument(`all, failures or none as the history of ${owner}`, history);
}

/** Checks a duration in milliseconds, at least 1, because every run begins with some delay. */
function checkTime(duration: unknown, what: 'startWithin' | 'mustSucceedWithin', owner: string): number {
  const milliseconds = parseDuration(duration, `${what} of ${owner}`);
  if (milliseconds >= 1) return milliseconds;
  throw invalidArgument(`a duration of at least 1 millisecond as ${what} of ${owner}`, duration);
}
