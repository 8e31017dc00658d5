import type { EpochMs } from '../base/clock';
import type { ChangeReading, ClusterStore, NodeIdentity, OverdueReading } from '../store/cluster-store';
import type { NodeHooks } from './node-hooks';
import type { SignalInbox } from './signal-inbox';

export interface ChangeWatchParts {
  readonly store: Pick<ClusterStore, 'watchChanges' | 'findOverdue'>;
  readonly identity: () => NodeIdentity;
  readonly hooks: Pick<NodeHooks, 'scheduleChanged'>;
  readonly inbox: SignalInbox;
}

/**
 * What has been due for longer is overdue: a backlog that cannot run here. Listed with the rest it would hide what is new, so it is
 * counted, and only when that has changed is it asked whether there is something for this node among it. Milliseconds.
 */
const LOOK_BACK = 2_000;

/** So many overdue triggers are counted at each look (1 ms); more of them less often, so that the cost of a look stays the same. */
const COUNTED_PER_LOOK = 5_000;

/** What is due sooner than this is told at first sight; the rest may still be acquired by the node that changed it. */
const SOON_MS = 200;

/** Milliseconds between two looks when nothing has changed for so long, the longest first: most of what an idle node does is looking. */
const PACES = [
  { quietFor: 60_000, interval: 700 },
  { quietFor: 10_000, interval: 200 },
] as const;
const INTERVAL = 100;

/**
 * Notices what has become acquirable elsewhere, however late it is (scheduled, resumed, unblocked, released, recovered), and
 * signals. A backlog that only others can run wakes nobody, and a node that is busy with one looks at it without being woken.
 */
export class ChangeWatch {
  readonly #parts: ChangeWatchParts;
  #seen: Pick<ChangeReading, 'earliest' | 'fingerprint'> = { earliest: null, fingerprint: '' };
  #told = '';
  #overdue = '';
  /** Looks that leave out what is overdue before the next one that counts it. */
  #uncountedLooks = 0;
  #signalNumber: number | null = null;
  /** By the store's clock. */
  #changedAt = 0;
  #interval = INTERVAL;

  constructor(parts: ChangeWatchParts) {
    this.#parts = parts;
  }

  /** One look. Rejects with what the store failed with. */
  async runOnce(): Promise<void> {
    const { store, identity, inbox } = this.#parts;
    const { instanceId, epoch } = identity();
    const isCounted = this.#uncountedLooks === 0;
    const reading = await store.watchChanges({ instanceId, epoch, lookBack: LOOK_BACK, isCounted });
    this.#setPace(reading);
    this.#compare(reading);
    if (reading.signalNumber !== null) inbox.announced(reading.signalNumber);
    if (reading.overdue !== null) await this.#compareOverdue(reading.overdue, reading.now);
    else if (!isCounted) this.#uncountedLooks--;
  }

  /** Milliseconds until the next look. */
  delay(): number {
    return this.#interval;
  }

  #setPace({ now, fingerprint, signalNumber }: ChangeReading): void {
    const hasChanged = fingerprint !== this.#seen.fingerprint || signalNumber !== this.#signalNumber;
    if (hasChanged || now < this.#changedAt) this.#changedAt = now;
    this.#signalNumber = signalNumber;
    this.#interval = PACES.find(({ quietFor }) => now - this.#changedAt > quietFor)?.interval ?? INTERVAL;
  }

  #compare({ now, earliest, fingerprint }: ChangeReading): void {
    const isSeenTwice = earliest === this.#seen.earliest;
    this.#seen = { earliest, fingerprint };
    if (earliest === null) this.#told = fingerprint;
    else if (fingerprint !== this.#told && (isSeenTwice || isSoon(earliest, now))) this.#tell(earliest, fingerprint);
  }

  /** Any change may have brought something: some may have gone and others come. What fails is asked again at the next look. */
  async #compareOverdue({ count, fingerprint }: OverdueReading, now: EpochMs): Promise<void> {
    if (fingerprint !== this.#overdue && count > 0) {
      const earliest = await this.#parts.store.findOverdue(now);
      if (earliest !== null) this.#parts.hooks.scheduleChanged(earliest);
    }
    this.#overdue = fingerprint;
    this.#uncountedLooks = Math.floor(count / COUNTED_PER_LOOK);
  }

  #tell(earliest: EpochMs, fingerprint: string): void {
    this.#told = fingerprint;
    this.#parts.hooks.scheduleChanged(earliest);
  }
}

function isSoon(time: EpochMs, now: EpochMs): boolean {
  return time - now <= SOON_MS;
}
