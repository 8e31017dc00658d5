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

/** Which runs are recorded: each, those that did not succeed, or none. */
export type HistoryMode = 'all' | 'failures' | 'none';

const HISTORY_MODES: readonly unknown[] = ['all', 'failures', 'none'] satisfies readonly HistoryMode[];

/** Check of each field: takes every form in which users write a value, returns the canonical one. The policy's type is made from these. */
const CHECKS = {
  /** Whether, how often and when an occurrence that failed is tried again. */
  retry: parseRetryPolicy,
  /** Which runs are recorded. */
  history: checkHistory,
  /** The latest that a first run may begin after its scheduled time, else it is skipped. At least 1 millisecond. */
  startWithin: (given: unknown, owner: string) => checkTime(given, 'startWithin', owner),
  /** How long it may go without a run that succeeds before that is told (`overdue`). At least 1 millisecond. */
  mustSucceedWithin: (given: unknown, owner: string) => checkTime(given, 'mustSucceedWithin', owner),
  /** How many firings that share a key may execute at once, in the whole cluster. */
  concurrency: checkConcurrency,
  /** How many firings that share a key may begin within a time, in the whole cluster. */
  rate: checkRate,
  /** How long a run may take. */
  timeout: parseTimeLimit,
  /** Which missed fire times are made up for; of triggers alone. */
  catchUp: checkCatchUp,
  /** In how many parts an occurrence is run. */
  spread: checkSpread,
  /** The labels of the nodes that may run it, of which all are needed; empty: any node. */
  runsOn: checkLabels,
  /** The labels of the nodes that had better run it, and how long the others leave it to them. */
  prefers: checkPreference,
  /** What becomes of a firing while an earlier run of its job executes. */
  overlap: checkOverlap,
  /** Maximum delay after the scheduled time, drawn for each occurrence from both; of triggers alone. Milliseconds. */
  jitter: (given: unknown, owner: string) => parseDuration(given, `jitter of ${owner}`),
} satisfies Readonly<Record<string, (given: unknown, owner: string) => unknown>>;

/** Execution of a job, or of what one trigger fires, beyond Quartz. Absent fields are left to the trigger's job, then to the scheduler. */
export type ExecutionPolicy = { readonly [Field in keyof typeof CHECKS]?: ReturnType<(typeof CHECKS)[Field]> };

/** A policy that says whether to retry and what to record; everything else may be absent. */
export type WholePolicy = ExecutionPolicy &
  Required<Pick<ExecutionPolicy, 'retry' | 'history'>> & {
    /** Which runs of the jobs of a group are recorded, by its name; absent: no group has a word of its own. */
    readonly historyOfGroups?: Readonly<Record<string, HistoryMode>>;
    /** How many runs of the jobs of a group may execute at once in the whole cluster; absent: no group has a limit. */
    readonly groupLimits?: GroupLimits;
  };

/** Without a word from anybody: what went wrong is known afterwards, and what succeeds costs nothing. */
export const DEFAULT_POLICY: WholePolicy = Object.freeze({ retry: NO_RETRY, history: 'failures' });

/** What may have a policy: jobs and triggers. */
interface HasPolicy {
  readonly policy?: ExecutionPolicy;
}

/** A job; without a key it is of no group. */
type PolicyOwner = HasPolicy & { readonly key?: { readonly group: string } };

/** The policy under which a firing runs: the trigger's word before the job's, the job's before its group's, that before the scheduler's. */
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
 * Where a SQL store keeps a policy: among the data, as JSON text, so that it goes wherever the data goes, in whatever form that is kept,
 * and Java nodes carry it along.
 */
export const POLICY_KEY = 'QRTZ_X_POLICY';

/** Data as it is stored: with the policy in it. */
export function withPolicy(data: JobData, policy: ExecutionPolicy | undefined): JobData {
  return policy === undefined ? data : { ...data, [POLICY_KEY]: JSON.stringify(policy) };
}

/** Stored data without the policy in it, and the policy; undefined: none, or none that can be understood. */
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
    return undefined; // written by a later version, or by hand: the job runs as without one
  }
}

/** A field of a policy. */
export type PolicyField = keyof ExecutionPolicy;

/** The fields of a policy. */
export const POLICY_FIELDS = Object.keys(CHECKS) as readonly PolicyField[];

/** A frozen copy of a policy; undefined for one that says nothing. `owner`: whose it is, for messages. Throws INVALID_ARGUMENT. */
export function checkPolicy(policy: unknown, owner: string): ExecutionPolicy | undefined {
  if (policy === undefined || policy === null) return undefined;
  if (typeof policy !== 'object') throw invalidArgument(`an object as the policy of ${owner}`, policy);
  const given = policy as Readonly<Record<PolicyField, unknown>>;
  const named = POLICY_FIELDS.filter((field) => given[field] !== undefined);
  if (named.length === 0) return undefined;
  return Object.freeze(Object.fromEntries(named.map((field) => [field, CHECKS[field](given[field], owner)])));
}

/** As `checkPolicy`, of a job: what concerns the fire times of a trigger would do nothing there. Throws INVALID_ARGUMENT. */
export function checkJobPolicy(policy: unknown, owner: string): ExecutionPolicy | undefined {
  const checked = checkPolicy(policy, owner);
  for (const part of OF_TRIGGERS) {
    if (checked?.[part] !== undefined) {
      throw invalidArgument(`no ${part} in the policy of ${owner} (set it on the job's triggers)`, checked[part]);
    }
  }
  return checked;
}

/** Fields of triggers alone: they concern fire times. */
export const OF_TRIGGERS = ['catchUp', 'jitter'] as const satisfies readonly PolicyField[];

/** A field that jobs have too. */
export type JobPolicyField = Exclude<PolicyField, (typeof OF_TRIGGERS)[number]>;

/** Policy fields that jobs have. */
export const JOB_POLICY_FIELDS: readonly JobPolicyField[] = POLICY_FIELDS.filter(
  (field): field is JobPolicyField => !(OF_TRIGGERS as readonly PolicyField[]).includes(field),
);

/** Which runs to record; true and false stand for `all` and `none`. Throws INVALID_ARGUMENT. */
export function checkHistory(history: unknown, owner: string): HistoryMode {
  if (typeof history === 'boolean') return history ? 'all' : 'none';
  if (HISTORY_MODES.includes(history)) return history as HistoryMode;
  throw invalidArgument(`all, failures or none as the history of ${owner}`, history);
}

/** Milliseconds, at least 1: what begins is always late by some. */
function checkTime(duration: unknown, what: 'startWithin' | 'mustSucceedWithin', owner: string): number {
  const milliseconds = parseDuration(duration, `${what} of ${owner}`);
  if (milliseconds >= 1) return milliseconds;
  throw invalidArgument(`a duration of at least 1 millisecond as ${what} of ${owner}`, duration);
}
