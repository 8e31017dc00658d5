import type { JobPolicyField, PolicyField } from '../domain/execution-policy';

/** Type of a value. `form`: a string, or JSON in one of several structures. `interval`: a number or a string. `map`: an object with named fields. */
type FieldKind = 'text' | 'form' | 'interval' | 'flag' | 'number' | 'choice' | 'list' | 'data' | 'map';

export interface FieldSpec {
  readonly kind: FieldKind;
  /** One sentence of documentation, with code words in backticks. */
  readonly sentence: string;
  readonly example?: string;
  /** Value that applies if the field is absent, as shown in the reference; absent if there is none. For a policy field, the default of a job. */
  readonly default?: string;
  /** Link to further documentation, relative to the reference. */
  readonly see?: string;
  readonly choices?: readonly string[];
  /** Maximum length of a string, in characters. */
  readonly max?: number;
  readonly isRequired?: true;
  readonly fields?: Readonly<Record<string, FieldSpec>>;
}

export type FieldSpecs<Name extends string = string> = Readonly<Record<Name, FieldSpec>>;

export const JOB_POLICY_SPECS = {
  retry: {
    kind: 'form',
    sentence:
      'Retries of a failed run: `R5/PT5M`, a list of delays, `{ max, delay, factor, jitter, maxAge, calendar }`, or `false` for none.',
    default: "the scheduler's",
    see: '#retries-and-history',
  },
  timeout: {
    kind: 'form',
    sentence: 'Maximum duration of a run: a duration such as `PT10M`, or `{ after, grace, deadline }`.',
    see: '../guides/time-limits.md',
  },
  overlap: {
    kind: 'form',
    sentence: 'Firings during an earlier run: `allow`, `skip`, `queueOne`, `cancelRunning` or `{ queueAll: n }`.',
    default: '`allow`',
    see: '../guides/overlap.md',
  },
  concurrency: {
    kind: 'form',
    sentence:
      'Maximum number of concurrent runs in the cluster: a number, or `{ key, limit }` for all jobs with that key.',
    example: '{"key": "mail", "limit": 3}',
    see: '../guides/concurrency-limits.md',
  },
  rate: {
    kind: 'form',
    sentence: 'Maximum number of starts in the cluster within a period: `{ key, limit, per, burst }`.',
    example: '{"key": "mail", "limit": 100, "per": "PT1M"}',
    see: '../guides/rate-limits.md',
  },
  history: {
    kind: 'choice',
    choices: ['all', 'failures', 'none'],
    sentence: 'Runs to record: `all`, `failures` or `none`.',
    default: "the scheduler's",
    see: '#retries-and-history',
  },
  startWithin: {
    kind: 'text',
    max: 40,
    sentence: 'Maximum lateness. Later runs are skipped.',
    example: 'PT5M',
    default: 'no limit',
    see: '#too-late',
  },
  mustSucceedWithin: {
    kind: 'text',
    max: 40,
    sentence: 'Maximum time without a successful run. After it, the job or the trigger is reported as overdue.',
    example: 'P1D',
    see: '../guides/alerts.md#what-must-succeed',
  },
  runsOn: {
    kind: 'form',
    sentence: 'Labels that a node must have: one, or a list; `[]` for any node.',
    example: '["gpu", "eu"]',
    default: 'any node',
    see: '../guides/where-jobs-run.md',
  },
  prefers: {
    kind: 'form',
    sentence:
      'Preferred node labels: one, a list, or `{ labels, fallbackAfter }`. Other nodes run the job after `fallbackAfter`, 5 s by default.',
    see: '../guides/where-jobs-run.md',
  },
  spread: {
    kind: 'form',
    sentence: 'Parts of each occurrence: `{ shards, params }`, or `broadcast` for one part on each node.',
    example: '{"shards": 4}',
    see: '../guides/shards-and-broadcasts.md',
  },
} as const satisfies FieldSpecs<JobPolicyField>;

const ONLY_TRIGGER_POLICY_SPECS = {
  catchUp: {
    kind: 'form',
    sentence: 'Missed fire times to run, in place of `misfire`: `{ max, window, pace }`.',
    example: '{"max": 10, "window": "P1D", "pace": "PT1M"}',
    see: '../guides/triggers-and-misfires.md#catching-up',
  },
  jitter: {
    kind: 'text',
    max: 40,
    sentence: 'Maximum random delay of each run after its scheduled time.',
    example: 'PT1M',
    see: '../guides/jitter.md',
  },
  clockChanges: {
    kind: 'choice',
    choices: ['quartz', 'natural'],
    sentence:
      'Cron only. Clock changes: as in `quartz`, or `natural`: fixed hours run once, after the gap or first; hours with `*` or `/` run through.',
    default: "the scheduler's",
    see: '../guides/cron.md#when-the-clocks-change',
  },
} as const satisfies FieldSpecs<Exclude<PolicyField, JobPolicyField>>;

function withDefault<T extends FieldSpecs>(specs: T, absent: string): T {
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [name, { ...spec, default: absent }]),
  ) as unknown as T;
}

/** Policy fields of triggers. Most of them default to the policy of the trigger's job. */
export const TRIGGER_POLICY_SPECS = { ...withDefault(JOB_POLICY_SPECS, "the job's"), ...ONLY_TRIGGER_POLICY_SPECS };
