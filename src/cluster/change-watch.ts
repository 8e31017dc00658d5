import type { EpochMs } from '../base/clock';
import type { BacklogReading, ChangeReading } from '../store/cluster-store';
import type { NodeContext } from './node-hooks';
import type { Heard } from './ring-watch';
import type { SignalInbox } from './signals';

/**
 * Lateness in milliseconds above which a due trigger counts as backlog: this node probably cannot run its job. A reading only counts the backlog,
 * because its early fire times would hide new triggers. When it changes, the node searches it for triggers that it can now run.
 */
const LOOK_BACK_MS = 2_000;

/** Number of backlog triggers counted at every reading, in about 1 ms. A longer backlog is counted less often, at the same average cost. */
const COUNTED_PER_READING = 5_000;

/**
 * A new earliest fire time within this many milliseconds is reported when first seen. A later fire time is reported
 * when seen twice, because the node that changed the trigger may still acquire it first.
 */
const SOON_MS = 200;

const QUIET_AFTER_MS = 10_000;

/** Intervals between readings after a quiet time without changes, longest interval first, by what else reaches this node. */
const PACES = {
  nothing: [
    { quietForMs: 60_000, intervalMs: 700 },
    { quietForMs: QUIET_AFTER_MS, intervalMs: 200 },
  ],
  rings: [{ quietForMs: QUIET_AFTER_MS, intervalMs: 1_000 }],
  changes: [{ quietForMs: QUIET_AFTER_MS, intervalMs: 5_000 }],
} as const;
const INTERVAL_MS = 100;

/**
 * Detects triggers that other nodes scheduled, resumed, unblocked, released or recovered, even if their fire times are
 * long past, and reports them. A backlog that only other nodes can run does not wake this node. A node that is already
 * working through a backlog acquires such triggers without this report.
 */
export class ChangeWatch {
  readonly #context: NodeContext;
  readonly #inbox: SignalInbox;
  readonly #hears: () => Heard;
  #seen: Pick<ChangeReading, 'earliest' | 'fingerprint'> = { earliest: null, fingerprint: '' };
  #reported = '';
  #backlog = '';
  /** Time on the store's clock from which this node may fire a backlog trigger that prefers other nodes; Infinity if none. */
  #availableAt = Number.POSITIVE_INFINITY;
  #isLongBacklog = false;
  /** Number of readings left before the backlog is counted again. */
  #uncountedReadings = 0;
  #signalNumber: number | null = null;
  /** Time of the last change, on the store's clock. */
  #changedAt = 0;
  #expectsChanges = false;
  #quietMs = 0;

  /** `hears`: returns which changes of all other nodes reach this node without its readings. */
  constructor(context: NodeContext, inbox: SignalInbox, hears: () => Heard) {
    this.#context = context;
    this.#inbox = inbox;
    this.#hears = hears;
  }

  /** Makes the node poll as often as after a change, from the next reading on. */
  expectChanges(): void {
    this.#expectsChanges = true;
  }

  /** Reads the store once and reports changes to the scheduler. Rejects with the store's error. */
  async runOnce(): Promise<void> {
    const { instanceId, epoch } = this.#context.identity();
    const isCounted = this.#uncountedReadings === 0;
    const reading = await this.#context.store.watchChanges({ instanceId, epoch, lookBack: LOOK_BACK_MS, isCounted });
    this.#measureQuiet(reading);
    this.#compare(reading);
    if (reading.signalNumber !== null) this.#inbox.announced(reading.signalNumber);
    if (reading.backlog !== null) await this.#compareBacklog(reading.backlog, reading.now);
    else if (!isCounted) this.#uncountedReadings--;
  }

  /** Time since the last change, in milliseconds. */
  get quietMs(): number {
    return this.#quietMs;
  }

  /** True if the store may poll for this node: nothing changes, and no reading does more than to find a difference from the last one. */
  get isQuiet(): boolean {
    return this.#quietMs > QUIET_AFTER_MS && !this.#isLongBacklog && this.#availableAt === Number.POSITIVE_INFINITY;
  }

  /** Returns the time until the next reading, in milliseconds. */
  delay(): number {
    const hears = this.#hears();
    const paces = PACES[hears === 'changes' && !this.isQuiet ? 'rings' : hears];
    return paces.find(({ quietForMs }) => this.#quietMs > quietForMs)?.intervalMs ?? INTERVAL_MS;
  }

  #measureQuiet({ now, fingerprint, signalNumber }: ChangeReading): void {
    const hasChanged = fingerprint !== this.#seen.fingerprint || signalNumber !== this.#signalNumber;
    if (hasChanged || this.#expectsChanges || now < this.#changedAt) this.#changedAt = now;
    this.#expectsChanges = false;
    this.#signalNumber = signalNumber;
    this.#quietMs = now - this.#changedAt;
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
   * Searches the backlog for triggers that this node can run, if the backlog's fingerprint has changed or
   * `#availableAt` has passed. The count alone is no proof that the backlog is unchanged: some triggers may have left
   * while the same number joined. After an error, the next reading searches again.
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
    this.#isLongBacklog = this.#uncountedReadings > 0;
  }
}
