import type { z } from 'zod';
import { given } from '../base/given';
import * as values from '../config/schema-values';
import { KEY_OF_JOB } from '../domain/concurrency-limit';
import { type ExecutionPolicy, POLICY_FIELDS, type PolicyField } from '../domain/execution-policy';
import type { JsonValue } from '../domain/job-data';
import type { CheckedRate } from '../domain/rate-limit';
import type { RetryPolicy } from '../domain/retry-policy';
import { durationText } from '../domain/time/duration';

interface PolicyValue<Value> {
  /** Returns a schema that accepts every form of the value. Error messages name `owner`, such as a job, as the owner of the field. */
  readonly schema: (owner: string) => z.ZodType;
  /** Returns the shortest form from which the schema would read this value. */
  readonly entry: (value: Value) => JsonValue | undefined;
}

const asStored = (value: unknown) => value as JsonValue;

const POLICY_VALUES: { readonly [Field in PolicyField]: PolicyValue<Required<ExecutionPolicy>[Field]> } = {
  retry: { schema: values.retryPolicy, entry: retryEntryOf },
  history: { schema: values.history, entry: asStored },
  concurrency: { schema: values.concurrency, entry: ({ key, limit }) => (key === KEY_OF_JOB ? limit : { key, limit }) },
  rate: { schema: values.rate, entry: rateEntryOf },
  timeout: { schema: values.timeLimit, entry: durationsOf },
  startWithin: { schema: () => values.duration('366d', 1), entry: durationText },
  mustSucceedWithin: { schema: () => values.duration('366d', 1), entry: durationText },
  spread: { schema: values.spread, entry: asStored },
  runsOn: { schema: values.labels, entry: asStored },
  prefers: {
    schema: values.preference,
    entry: (preferred) => ({ labels: preferred.labels, fallbackAfter: durationText(preferred.fallbackAfter) }),
  },
  overlap: { schema: values.overlap, entry: asStored },
  catchUp: {
    schema: values.catchUp,
    entry: ({ max, window, pace }) => ({ max, window: durationText(window), pace: durationText(pace) }),
  },
  jitter: { schema: () => values.duration('366d'), entry: durationText },
  clockChanges: { schema: values.clockChanges, entry: asStored },
};

export function policySchemas<Field extends PolicyField>(fields: readonly Field[], owner: string) {
  const entries = fields.map((field) => [field, POLICY_VALUES[field].schema(owner).optional()] as const);
  return Object.fromEntries(entries) as { readonly [Name in Field]: z.ZodOptional<z.ZodType> };
}

/** Converts a policy to the form of a schedule file. Fields without a value are undefined. */
export function policyEntryOf(policy: ExecutionPolicy = {}): Readonly<Record<string, JsonValue | undefined>> {
  const entries = POLICY_FIELDS.map((field) => {
    const value = policy[field];
    return [field, value === undefined ? undefined : POLICY_VALUES[field].entry(value as never)] as const;
  });
  return Object.fromEntries(entries);
}

function rateEntryOf({ key, limit, per, burst }: CheckedRate): JsonValue {
  return given({
    key: key === KEY_OF_JOB ? undefined : key,
    limit,
    per: durationText(per),
    burst: burst === 1 ? undefined : burst,
  });
}

function retryEntryOf({ max, delays, factor, jitter, maxAge, calendar }: RetryPolicy): JsonValue {
  if (max === 0) return false;
  if (delays.length > 1) return delays.map(durationText);
  const delay = durationText(delays[0] ?? 0);
  const others = [factor, jitter, maxAge, calendar];
  if (others.every((value) => value === undefined)) return `R${max}/${delay}`;
  const age = maxAge === undefined ? undefined : durationText(maxAge);
  return given({ max, delay, factor, jitter, maxAge: age, calendar });
}

function durationsOf(durations: object): JsonValue {
  return Object.fromEntries(Object.entries(durations).map(([name, value]) => [name, durationText(value as number)]));
}
