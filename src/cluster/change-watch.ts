import type { EpochMs } from '../base/clock';
import type { BacklogReading, ChangeReading } from '../store/cluster-store';
import type { NodeContext } from './node-hooks';
import type { SignalInbox } from './signals';

/**
 * Lateness in milliseconds after which a due trigger belongs to the backlog: it probably cannot run on this node. The
 * backlog is counted, not listed, because a long backlog would hide new triggers. Only when the count changes does the
 * node query whether it can run any of them.
 */
const LOOK_BACK_MS = 2_000;

/**
 * Number of backlog triggers that each reading may count, at a cost of about 1 ms. A longer backlog is counted less
 * often, so that the average cost stays the same.
 */
const COUNTED_PER_READING = 5_000;

/**
 * Triggers due sooner than this are reported when first seen. Later ones may still be acquired by the node that changed
 * them.
 */
const SOON_MS = 200;

/** Intervals between readings after a time without changes, longest first. An idle node does little but read. */
const PACES = [
  { quietForMs: 60_000, intervalMs: 700 },
  { quietForMs: 10_000, intervalMs: 200 },
] as const;
const INTERVAL_MS = 100;

/**
 * Detects triggers that other nodes made acquirable, however late they are (scheduled, resumed, unblocked, released,
 * recovered), and reports them. A backlog that only other nodes can run wakes no node. A node that is busy with a
 * backlog acquires it without being woken.
 */
export class ChangeWatch {
  readonly #context: NodeContext;
  readonly #inbox: SignalInbox;
  #seen: Pick<ChangeReading, 'earliest' | 'fingerprint'> = { earliest: null, fingerprint: '' };
  #reported = '';
  #backlog = '';
  /** Time by the store's clock at which this node may fire a trigger that prefers other nodes. */
  #availableAt = Number.POSITIVE_INFINITY;
  /** Number of readings without a count of the backlog before the next one with it. */
  #uncountedReadings = 0;
  #signalNumber: number | null = null;
  /** Time of the last change, by the store's clock. */
  #changedAt = 0;
  #intervalMs = INTERVAL_MS;

  constructor(context: NodeContext, inbox: SignalInbox) {
    this.#context = context;
    this.#inbox = inbox;
  }

  /** Reads the changes once. Rejects with the store's error. */
  async runOnce(): Promise<void> {
    const { instanceId, epoch } = this.#context.identity();
    const isCounted = this.#uncountedReadings === 0;
    const reading = await this.#context.store.watchChanges({ instanceId, epoch, lookBack: LOOK_BACK_MS, isCounted });
    this.#setPace(reading);
    this.#compare(reading);
    if (reading.signalNumber !== null) this.#inbox.announced(reading.signalNumber);
    if (reading.backlog !== null) await this.#compareBacklog(reading.backlog, reading.now);
    else if (!isCounted) this.#uncountedReadings--;
  }

  /** Returns the time until the next reading, in milliseconds. */
  delay(): number {
    return this.#intervalMs;
  }

  #setPace({ now, fingerprint, signalNumber }: ChangeReading): void {
    const hasChanged = fingerprint !== this.#seen.fingerprint || signalNumber !== this.#signalNumber;
    if (hasChanged || now < this.#changedAt) this.#changedAt = now;
    this.#signalNumber = signalNumber;
    const quietMs = now - this.#changedAt;
    this.#intervalMs = PACES.find(({ quietForMs }) => quietMs > quietForMs)?.intervalMs ?? INTERVAL_MS;
  }

  #compare({ now, earliest, fingerprint }: ChangeReading): void {
    const isSeenTwice = earliest === this.#seen.earliest;
    this.#seen = { earliest, fingerprint };
    if (earliest === null) this.#reported = fingerprint;
    else if (fingerprint !== this.#reported && (isSeenTwice || earliest - now <= SOON_MS)) {
      this.#reported = fingerprint;
      this.#context.hooks.scheduleChanged(earliest);
    }
  }

  /**
   * Checks the backlog after any change, because some triggers may have left and others joined. A failed check is
   * repeated at the next reading.
   */
  async #compareBacklog({ count, fingerprint }: BacklogReading, now: EpochMs): Promise<void> {
    const { store, hooks } = this.#context;
    if (count > 0 && (fingerprint !== this.#backlog || now >= this.#availableAt)) {
      const earliest = await store.findInBacklog(now);
      const isLater = earliest !== null && earliest > now;
      this.#availableAt = isLater ? earliest : Number.POSITIVE_INFINITY;
      if (earliest !== null && !isLater) hooks.scheduleChanged(earliest);
    }
    this.#backlog = fingerprint;
    this.#uncountedReadings = Math.floor(count / COUNTED_PER_READING);
  }
}
