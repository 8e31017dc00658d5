import type { Clock } from '../../../base/clock';
import type { AcquiredTrigger } from '../../../domain/firing';
import { keyText, type TriggerKey } from '../../../domain/keys';
import { mayBeOfOneRow } from './retry-rules';

/** How long a rejected trigger is not tried again, by the monotonic clock. */
const REJECTED_MS = 60_000;

/** So many triggers are rejected one by one before a batch gives up: when everything is refused, no row is at fault. */
const MAX_REJECTED = 10;

/**
 * Triggers that the database refuses to change, even each by itself. For a minute they are passed over, so that they cost the
 * others nothing, and then tried again: they stay as they are stored, for other nodes too.
 */
export class RejectedTriggers {
  readonly #clock: Clock;
  readonly #until = new Map<string, number>();
  readonly #pendingReleases = new Map<string, AcquiredTrigger>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Passes the trigger over from now on. */
  add(key: TriggerKey): void {
    const now = this.#clock.monotonic();
    for (const [text, until] of this.#until) if (until <= now) this.#until.delete(text);
    this.#until.set(keyText(key), now + REJECTED_MS);
  }

  /** Whether the trigger is to be passed over. */
  has(key: TriggerKey): boolean {
    if (this.#until.size === 0) return false;
    const until = this.#until.get(keyText(key));
    return until !== undefined && until > this.#clock.monotonic();
  }

  /** Keeps a reservation that could not be released, to be released later. */
  addPendingRelease(acquired: AcquiredTrigger): void {
    this.#pendingReleases.set(acquired.runId, acquired);
  }

  /** Whether the reservation is still to be released. */
  isPendingRelease(runId: string): boolean {
    return this.#pendingReleases.has(runId);
  }

  /** The reservations to release now; those of triggers that are passed over stay. Whoever takes them releases them, or adds them again. */
  takePendingReleases(): readonly AcquiredTrigger[] {
    const taken = [...this.#pendingReleases.values()].filter(({ trigger }) => !this.has(trigger.key));
    for (const { runId } of taken) this.#pendingReleases.delete(runId);
    return taken;
  }
}

/**
 * Runs a batch; one that fails is split in halves and these are run by themselves, so that an item that can never succeed
 * is alone in the end, where `onFailed` gives its result. `run` returns one result per item, in order, and should have tried twice
 * before it rejects (`RunOptions.isSplit`). When the store as a whole fails, nothing more is tried: rejects with that if nothing was
 * done yet, otherwise what was not done has failed.
 */
export async function bisectBatch<Item, Result>(
  items: readonly Item[],
  run: (part: readonly Item[]) => Promise<readonly Result[]>,
  onFailed: (item: Item, error: unknown) => Result,
): Promise<readonly Result[]> {
  const outcomes: ({ readonly result: Result } | { readonly error: unknown })[] = [];
  const parts = items.length === 0 ? [] : [items];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    try {
      for (const result of await run(part)) outcomes.push({ result });
    } catch (error) {
      if (!mayBeOfOneRow(error)) {
        if (!outcomes.some((outcome) => 'result' in outcome)) throw error;
        while (outcomes.length < items.length) outcomes.push({ error });
        break;
      }
      const middle = Math.ceil(part.length / 2);
      if (part.length === 1) outcomes.push({ error });
      else parts.push(part.slice(middle), part.slice(0, middle));
    }
  }
  return outcomes.map((outcome, index) =>
    'result' in outcome ? outcome.result : onFailed(items[index] as Item, outcome.error),
  );
}

/** One attempt at a batch that the work itself finds. */
export interface FoundBatch {
  /** It takes no more than this many, the first ones. */
  readonly maxCount: number;
  /** Called with the batch before anything is written. */
  readonly onBatch: (keys: readonly TriggerKey[]) => void;
}

/**
 * Runs a batch that the work itself finds; one that fails is run again with the first half of it, and so on. A trigger that
 * fails alone is handed to `reject`, and must not be found again. Resolves to the result of the first run that succeeds.
 */
export async function bisectFoundBatch<Result>(
  maxCount: number,
  run: (batch: FoundBatch) => Promise<Result>,
  reject: (key: TriggerKey, error: unknown) => void,
): Promise<Result> {
  let limit = maxCount;
  for (let rejected = 0; ; ) {
    let found: readonly TriggerKey[] = [];
    const onBatch = (keys: readonly TriggerKey[]) => {
      found = keys;
    };
    try {
      return await run({ maxCount: limit, onBatch });
    } catch (error) {
      const [first] = found;
      if (first === undefined || !mayBeOfOneRow(error) || rejected === MAX_REJECTED) throw error;
      limit = Math.ceil(found.length / 2);
      if (found.length > 1) continue;
      reject(first, error);
      rejected++;
      limit = maxCount;
    }
  }
}
