import { checkCatchUp } from './catch-up-policy';
import { invalidArgument } from './check-text';
import { checkConcurrency } from './concurrency-limit';
import type { GroupLimits } from './group-limits';
import { type JobData, NO_DATA } from './job-data';
import { checkOverlap } from './overlap';
import { checkLabels, checkPreference } from './placement';
import { checkRate } from './rate-limit';
import { NO_RETRY, parseRetryPolicy } from './retry-policy';
import { type ClockChanges, checkClockChanges, type Rules } from './rules';
import { checkSpread } from './spread-policy';
import { checkDelay } from './time/duration';
import { parseTimeLimit } from './time-limit';

/** Runs to record in the history: all, only unsuccessful ones, or none. */
export type HistoryMode = 'all' | 'failures' | 'none';

const HISTORY_MODES: readonly unknown[] = ['all', 'failures', 'none'] satisfies readonly HistoryMode[];

/** Validators of the policy fields, from which the type of a policy is derived. Each accepts all user-facing forms and returns the canonical form. */
const CHECKS = {
  /** Number and delays of the retries of a failed occurrence. */
  retry: parseRetryPolicy,
  /** Runs to record in the history. */
  history: checkHistory,
  /** Maximum lateness of a first run, in milliseconds from its scheduled time, at least 1. A run that would start later is skipped. */
  startWithin: (given: unknown, owner: string) => checkTime(given, 'startWithin', owner),
  /** Maximum time without a successful run before `overdue` is reported. Milliseconds, at least 1. */
  mustSucceedWithin: (given: unknown, owner: string) => checkTime(given, 'mustSucceedWithin', owner),
  /** Maximum number of firings with the same key that execute at the same time in the whole cluster. */
  concurrency: checkConcurrency,
  /** Maximum number of firings with the same key that start within a period, in the whole cluster. */
  rate: checkRate,
  /** Maximum duration of a run, or a deadline. */
  timeout: parseTimeLimit,
  /** Missed fire times to catch up. Triggers only. */
  catchUp: checkCatchUp,
  /** Number of parts (shards) that an occurrence is divided into, or `broadcast`. */
  spread: checkSpread,
  /** Labels that a node must have to run the job; all are required. Empty: any node. */
  runsOn: checkLabels,
  /** Preferred node labels, and how late a run must be before nodes without these labels run it. */
  prefers: checkPreference,
  /** Rule for firings while an earlier run of the job is executing. */
  overlap: checkOverlap,
  /** Maximum random delay after the scheduled time, in milliseconds, hashed from the trigger's key and the scheduled time. Triggers only. */
  jitter: (given: unknown, owner: string) => checkDelay(given, `jitter of ${owner}`),
  /** Effect of clock changes on the fire times of a cron trigger. Cron triggers only. */
  clockChanges: checkClockChanges,
} satisfies Readonly<Record<string, (given: unknown, owner: string) => unknown>>;

/** Execution settings of a job or trigger that Quartz does not have. A trigger's setting overrides its job's, and a job's the scheduler's. */
export type ExecutionPolicy = { readonly [Field in keyof typeof CHECKS]?: ReturnType<(typeof CHECKS)[Field]> };

/** A policy with all required defaults: `retry` and `history` are always set. */
export type WholePolicy = ExecutionPolicy &
  Required<Pick<ExecutionPolicy, 'retry' | 'history'>> & {
    /** History mode per job group; absent if no group has its own mode. */
    readonly historyOfGroups?: Readonly<Record<string, HistoryMode>>;
    /** Maximum number of concurrent runs per job group in the whole cluster; absent if no group has a limit. */
    readonly groupLimits?: GroupLimits;
    /** Rules of the scheduler (`scheduler.rules`), equal on all nodes. Absent: safe. */
    readonly rules?: Rules;
    /** Clock changes of cron triggers that are stored without their own (`scheduler.clockChanges`). Absent: quartz. */
    readonly defaultClockChanges?: ClockChanges;
  };

export const DEFAULT_POLICY: WholePolicy = Object.freeze({ retry: NO_RETRY, history: 'failures' });

interface HasPolicy {
  readonly policy?: ExecutionPolicy;
}

/** A job. If it has no key, no group settings apply. */
type PolicyOwner = HasPolicy & { readonly key?: { readonly group: string } };

/** Returns the effective policy of a firing. The order of precedence is trigger, job, job group (history only), scheduler. */
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

/** Data key under which a SQL store saves the policy, as JSON text, so that it is copied with the data and Java nodes preserve it. */
export const POLICY_KEY = 'QRTZ_X_POLICY';

export function withPolicy(data: JobData, policy: ExecutionPolicy | undefined): JobData {
  return policy === undefined ? data : { ...data, [POLICY_KEY]: JSON.stringify(policy) };
}

/** Splits stored data into the policy and the remaining data. `policy` is undefined if there is none or if it is invalid. */
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
    return undefined; // A later version wrote the policy, or it was edited manually. The job then runs without a policy.
  }
}

export type PolicyField = keyof ExecutionPolicy;

export const POLICY_FIELDS = Object.keys(CHECKS) as readonly PolicyField[];

/** Validates a policy and returns a frozen copy, or undefined if it sets no field. Throws INVALID_ARGUMENT. */
export function checkPolicy(policy: unknown, owner: string): ExecutionPolicy | undefined {
  if (policy === undefined || policy === null) return undefined;
  if (typeof policy !== 'object') throw invalidArgument(`an object as the policy of ${owner}`, policy);
  const given = policy as Readonly<Record<PolicyField, unknown>>;
  const named = POLICY_FIELDS.filter((field) => given[field] !== undefined);
  if (named.length === 0) return undefined;
  return Object.freeze(Object.fromEntries(named.map((field) => [field, CHECKS[field](given[field], owner)])));
}

/** Like `checkPolicy`, but also throws INVALID_ARGUMENT for a field of `OF_TRIGGERS`, which has no effect on a job. */
export function checkJobPolicy(policy: unknown, owner: string): ExecutionPolicy | undefined {
  const checked = checkPolicy(policy, owner);
  for (const part of OF_TRIGGERS) {
    if (checked?.[part] !== undefined) {
      throw invalidArgument(`no ${part} in the policy of ${owner} (set it on the job's triggers)`, checked[part]);
    }
  }
  return checked;
}

/** Policy fields that only triggers may have, because they depend on fire times. */
export const OF_TRIGGERS = ['catchUp', 'jitter', 'clockChanges'] as const satisfies readonly PolicyField[];

export type JobPolicyField = Exclude<PolicyField, (typeof OF_TRIGGERS)[number]>;

export const JOB_POLICY_FIELDS: readonly JobPolicyField[] = POLICY_FIELDS.filter(
  (field): field is JobPolicyField => !(OF_TRIGGERS as readonly PolicyField[]).includes(field),
);

/** Validates a history mode. True means `all`, false means `none`. Throws INVALID_ARGUMENT. */
export function checkHistory(history: unknown, owner: string): HistoryMode {
  if (typeof history === 'boolean') return history ? 'all' : 'none';
  if (HISTORY_MODES.includes(history)) return history as HistoryMode;
  throw invalidArgument(`all, failures or none as the history of ${owner}`, history);
}

/** Validates a duration and returns it in milliseconds, at least 1. Rejects 0, because every run starts with some delay. */
function checkTime(duration: unknown, what: 'startWithin' | 'mustSucceedWithin', owner: string): number {
  const milliseconds = checkDelay(duration, `${what} of ${owner}`);
  if (milliseconds >= 1) return milliseconds;
  throw invalidArgument(`a duration of at least 1 millisecond as ${what} of ${owner}`, duration);
}
