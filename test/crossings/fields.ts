import type { PolicyField } from '../../src/domain/execution-policy';
import type { JobDetail } from '../../src/domain/job-detail';
import type { Trigger } from '../../src/domain/trigger';

/*
 * Fields that decide how and when a job runs, and can be combined in one schedule. They are derived from the types, so that a new field does not
 * compile without its row in `table.ts`.
 */

/** The boolean fields of a job. */
type JobFlag = { [Name in keyof JobDetail]-?: JobDetail[Name] extends boolean ? Name : never }[keyof JobDetail];

/** Fields of triggers that are names, schedules or state, so that they need no rule. */
type NoRule =
  | ('key' | 'jobKey' | 'description' | 'data' | 'unreadable')
  | ('kind' | 'startTime' | 'nextFireTime' | 'previousFireTime')
  | 'policy'; // each of its fields has a row
type TriggerRule = Exclude<keyof Trigger, NoRule>;

/** Operations on a running schedule, and chains. */
type Steering = 'after' | 'pause' | 'backfill' | 'rerun' | 'delete';

export type Field = PolicyField | JobFlag | TriggerRule | Steering;

/** All fields, in the order of the table. */
export const FIELDS = [
  'retry',
  'history',
  'startWithin',
  'mustSucceedWithin',
  'concurrency',
  'rate',
  'timeout',
  'catchUp',
  'spread',
  'runsOn',
  'prefers',
  'overlap',
  'jitter',
  'durable',
  'disallowConcurrentExecution',
  'persistJobDataAfterExecution',
  'requestsRecovery',
  'priority',
  'calendarName',
  'misfireInstruction',
  'endTime',
  'after',
  'pause',
  'backfill',
  'rerun',
  'delete',
  'clockChanges',
] as const satisfies readonly Field[];

/** The fields before `Of` in a list. */
type Before<List extends readonly string[], Of> = List extends readonly [infer First, ...infer Rest extends string[]]
  ? First extends Of
    ? never
    : First | Before<Rest, Of>
  : never;

type Mutable<List extends readonly string[]> = List extends readonly [...infer Items extends string[]] ? Items : never;

/** A pair for which nothing special happens: each rule applies by itself. */
export const SEPARATE = 'separate';

/** The result of a combination of two fields, and the tests that prove it: `area: title`. */
export interface Rule {
  readonly kind: 'defined' | 'refused';
  readonly text: string;
  readonly proofs: readonly string[];
}

export type Crossing = typeof SEPARATE | Rule;

/** A row for each field: the results of its combinations with each of the fields before it. */
export type Crossings = {
  readonly [Of in Field]: { readonly [With in Before<Mutable<typeof FIELDS>, Of>]: Crossing };
};
