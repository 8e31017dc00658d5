import type { EpochMs } from '../base/clock';
import { numberDrawnFrom } from '../base/ids';
import { isDue } from './acquisition';
import { MAX_KEY, PLACE } from './concurrency-limit';
import type { JobData, JsonValue } from './job-data';
import type { JobDetail } from './job-detail';
import type { JobKey } from './keys';
import { occurrenceOf } from './occurrence';
import type { Trigger } from './trigger';

/** What one firing takes of a limit while it executes. */
export interface LimitClaim {
  /** At most 190 characters. */
  readonly key: string;
  readonly limit: number;
}

/** What the firing of a trigger takes; null: nothing limits it. */
export function claimOf({
  trigger,
  jobDetail,
}: {
  readonly trigger: Trigger;
  readonly jobDetail: JobDetail;
}): LimitClaim | null {
  const concurrency = trigger.policy?.concurrency ?? jobDetail.policy?.concurrency;
  if (concurrency === undefined) return null;
  const { triggerKey } = occurrenceOf({ trigger, scheduledFireTime: 0 }); // a retry counts as what it retries
  const places = { job: jobDetail.key, trigger: triggerKey, data: [trigger.data, jobDetail.data] } as const;
  const key = concurrency.key.replaceAll(PLACE, (_, path: string) => placed(path, places));
  return { key: shortened(key), limit: concurrency.limit };
}

interface Places {
  readonly job: JobKey;
  readonly trigger: JobKey;
  /** The trigger's data overrides the job's. */
  readonly data: readonly JobData[];
}

function placed(path: string, { job, trigger, data }: Places): string {
  const [root, ...rest] = path.split('.');
  if (root === 'job' || root === 'trigger')
    return (root === 'job' ? job : trigger)[rest[0] === 'name' ? 'name' : 'group'];
  const [first = ''] = rest;
  const owner = data.find((each) => Object.hasOwn(each, first)) ?? {};
  let value: JsonValue | undefined = owner;
  for (const step of rest) value = memberOf(value, step);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, JsonValue>>)[name];
}

/** A key that no column holds is cut, and told from others by a number drawn from the whole. */
function shortened(key: string): string {
  if (key.length <= MAX_KEY) return key;
  return `${[...key].slice(0, 100).join('')}#${numberDrawnFrom(key).toString(36)}`;
}

/** How much of each key is taken, while a batch is put together. */
export class LimitRoom {
  readonly #executing: (key: string) => number;
  readonly #taken = new Map<string, number>();

  /** `executing`: how much of a key executes already. */
  constructor(executing: (key: string) => number) {
    this.#executing = executing;
  }

  /** Takes what a firing claims. False: its key is full, and nothing was taken. */
  take({ key, limit }: LimitClaim): boolean {
    const taken = this.#taken.get(key) ?? 0;
    if (this.#executing(key) + taken >= limit) return false;
    this.#taken.set(key, taken + 1);
    return true;
  }
}

/** What becomes of a due trigger as a batch is put together: it is taken, it waits for its limit, or the batch ends before it. */
export type BatchVerdict =
  | { readonly status: 'taken' }
  | { readonly status: 'endsBatch' }
  | { readonly status: 'waits'; readonly claim: LimitClaim };

const TAKEN: BatchVerdict = { status: 'taken' };
/** The batch is over before it. */
export const ENDS_BATCH: BatchVerdict = { status: 'endsBatch' };

/**
 * The limits of one batch. Of what is due by `fireBy`, only what finds room fires. What has a limit and is due later may only be
 * reserved, and asks for room when it fires: it is not in a batch that fires at once.
 */
export class BatchLimiter {
  readonly #room: LimitRoom | null;
  readonly #fireBy: EpochMs;
  #firesAtOnce = false;

  /** `room` null: nothing that is due by `fireBy` has a limit. */
  constructor(room: LimitRoom | null, fireBy: EpochMs) {
    this.#room = room;
    this.#fireBy = fireBy;
  }

  /** To be asked in the order in which triggers fire; a trigger that is taken takes its room. */
  judge(candidate: { readonly trigger: Trigger; readonly jobDetail: JobDetail }): BatchVerdict {
    const claim = claimOf(candidate);
    const isDueNow = isDue(candidate.trigger, this.#fireBy, 0);
    if (claim !== null && !isDueNow && this.#firesAtOnce) return ENDS_BATCH;
    if (claim !== null && isDueNow && this.#room?.take(claim) === false) return { status: 'waits', claim };
    this.#firesAtOnce ||= isDueNow;
    return TAKEN;
  }
}
