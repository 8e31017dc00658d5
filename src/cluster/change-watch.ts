import type { EpochMs } from '../base/clock';
import type { ChangeReading, ClusterStore, NodeIdentity } from '../store/cluster-store';
import type { NodeHooks } from './node-hooks';
import type { SignalInbox } from './signal-inbox';

export interface ChangeWatchParts {
  readonly store: Pick<ClusterStore, 'watchChanges'>;
  readonly identity: () => NodeIdentity;
  readonly hooks: Pick<NodeHooks, 'scheduleChanged'>;
  readonly inbox: SignalInbox;
}

/**
 * How far back a change is looked for. What waits for longer is a backlog that cannot run here: read again and again, it
 * would hide what is new. Milliseconds.
 */
const LOOK_BACK = 2_000;

/** What is due sooner than this is told at first sight; the rest may still be acquired by the node that changed it. */
const SOON = 200;

/** Milliseconds between two looks while something changes … */
const INTERVAL = 100;
/** … and when nothing has changed for `QUIET_AFTER`: half of what an idle node does is looking. */
const QUIET_INTERVAL = 200;
const QUIET_AFTER = 10_000;

/** Notices what other nodes have changed: a trigger that waits although it is due before anything here, a signal. */
export class ChangeWatch {
  readonly #parts: ChangeWatchParts;
  #seen: Pick<ChangeReading, 'earliest' | 'fingerprint'> = { earliest: null, fingerprint: '' };
  #told = '';
  #signalNumber: number | null = null;
  /** By the store's clock. */
  #changedAt = 0;
  #isQuiet = false;

  constructor(parts: ChangeWatchParts) {
    this.#parts = parts;
  }

  /** One look. Rejects with what the store failed with. */
  async runOnce(): Promise<void> {
    const { store, identity, inbox } = this.#parts;
    const { instanceId, epoch } = identity();
    const reading = await store.watchChanges({ instanceId, epoch, lookBack: LOOK_BACK });
    this.#noteQuiet(reading);
    this.#compare(reading);
    if (reading.signalNumber !== null) inbox.announced(reading.signalNumber);
  }

  /** Milliseconds until the next look. */
  delay(): number {
    return this.#isQuiet ? QUIET_INTERVAL : INTERVAL;
  }

  #noteQuiet({ now, fingerprint, signalNumber }: ChangeReading): void {
    const hasChanged = fingerprint !== this.#seen.fingerprint || signalNumber !== this.#signalNumber;
    if (hasChanged || now < this.#changedAt) this.#changedAt = now;
    this.#signalNumber = signalNumber;
    this.#isQuiet = now - this.#changedAt > QUIET_AFTER;
  }

  #compare({ now, earliest, fingerprint }: ChangeReading): void {
    const isSeenTwice = earliest === this.#seen.earliest;
    this.#seen = { earliest, fingerprint };
    if (earliest === null) this.#told = fingerprint;
    else if (fingerprint !== this.#told && (isSeenTwice || isSoon(earliest, now))) this.#tell(earliest, fingerprint);
  }

  #tell(earliest: EpochMs, fingerprint: string): void {
    this.#told = fingerprint;
    this.#parts.hooks.scheduleChanged(earliest);
  }
}

function isSoon(time: EpochMs, now: EpochMs): boolean {
  return time - now <= SOON;
}
