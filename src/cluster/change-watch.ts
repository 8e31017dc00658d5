import type { EpochMs } from '../base/clock';
import type { BacklogReading, ChangeReading } from '../store/cluster-store';
import type { NodeContext } from './node-hooks';
import type { SignalInbox } from './signals';

/**
 * A trigger that has been due for longer is part of the backlog, which cannot run here. The backlog is counted, not listed, because
 * a long backlog would hide new triggers. Only when their number changes does the node ask whether it can run any of them.
 */
const LOOK_BACK_MS = 2_000;

/** So many triggers of the backlog are counted at each reading (1 ms); more of them less often, so that the cost of a reading stays the same. */
const COUNTED_PER_READING = 5_000;

/** What is due sooner than this is reported at first sight; the rest may still be acquired by the node that changed it. */
const SOON_MS = 200;

/** Between two readings, slower when nothing has changed for long: most of what an idle node does is reading. The longest first. */
const PACES = [
  { quietForMs: 60_000, intervalMs: 700 },
  { quietForMs: 10_000, intervalMs: 200 },
] as const;
const INTERVAL_MS = 100;

/**
 * Notices what has become acquirable elsewhere, however late it is (scheduled, resumed, unblocked, released, recovered), and reports
 * it. A backlog that only others can run wakes nobody, and a node that is busy with one looks at it without being woken.
 */
export class ChangeWatch {
  readonly #context: NodeContext;
  readonly #inbox: SignalInbox;
  #seen: Pick<ChangeReading, 'earliest' | 'fingerprint'> = { earliest: null, fingerprint: '' };
  #reported = '';
  #backlog = '';
  /** When something that prefers other nodes may be fired here; by the store's clock. */
  #availableAt = Number.POSITIVE_INFINITY;
  /** Readings that leave out the backlog before the next one that counts it. */
  #uncountedReadings = 0;
  #signalNumber: number | null = null;
  /** By the store's clock. */
  #changedAt = 0;
  #intervalMs = INTERVAL_MS;

  constructor(context: NodeContext, inbox: SignalInbox) {
    this.#context = context;
    this.#inbox = inbox;
  }

  /** One reading. Rejects with what the store failed with. */
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

  /** Milliseconds until the next reading. */
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

  /** Any change may have brought something: some may have gone and others come. What fails is repeated at the next reading. */
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
