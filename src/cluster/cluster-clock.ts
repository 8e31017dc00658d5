import type { Clock, EpochMs } from '../base/clock';
import type { Service } from '../base/service';
import { sleepFor } from '../base/sleep';
import { WakeSignal } from '../base/wake-signal';
import type { ClusterStore } from '../store/cluster-store';
import type { NodeHooks } from './node-hooks';
import { loopOf } from './retrying-loop';

/** One reading of the store's clock, with the monotonic times before and after the reading. */
interface ClockSample {
  readonly startedAt: number;
  readonly endedAt: number;
  /** With fractions of milliseconds: without them, the clock would be half a millisecond behind. */
  readonly now: number;
}

/** Number of samples kept. The offset is the median over the half with the shortest round trips. */
const SAMPLES = 9;
/** Maximum rate of gradual clock corrections. */
const SLEW_MS_PER_SECOND = 50;
/** Difference in milliseconds above which the store's clock was set. This clock is then set forward immediately, and back gradually. */
const STEP_MS = 5_000;
/** Maximum time by which the clock is deliberately set behind the store's clock, so that no job starts early. */
const MAX_DELAY_MS = 10;
/** Remaining time up to which a sleep is one nap, in milliseconds. A longer sleep naps for half of the rest, as the clock may be corrected. */
const FINAL_SLEEP_MS = 1_000;

/**
 * The store's clock, which all nodes share. Advances with monotonic time between samples, so that changes of this machine's wall clock have no
 * effect. Before the first sample it equals the local clock. After the first sample it never goes back: when the store's clock is set back, triggers
 * keep firing, and no scheduled time occurs twice.
 */
export class ClusterClock implements Clock {
  readonly #local: Clock;
  readonly #onStep: (stepMs: number) => void;
  #samples: readonly ClockSample[] = [];
  /** Offset from the monotonic clock at `#anchoredAt`, in milliseconds. After that time, the offset moves gradually towards `#target`. */
  #offset: number;
  #target: number;
  #anchoredAt: number;
  #isHeld = false;
  /** Notified after the clock was set, so that sleepers read the clock again. */
  readonly #corrected: WakeSignal;

  /** `onStep` is called after a step of the store's clock, with the difference in milliseconds. */
  constructor(local: Clock, onStep: (stepMs: number) => void = () => undefined) {
    this.#local = local;
    this.#corrected = new WakeSignal(local);
    this.#onStep = onStep;
    this.#anchoredAt = local.monotonic();
    this.#offset = local.now() - this.#anchoredAt;
    this.#target = this.#offset;
  }

  now(): EpochMs {
    return Math.floor(this.#exactly());
  }

  monotonic(): number {
    return this.#local.monotonic();
  }

  get ahead(): number {
    return this.#isHeld ? Math.max(0, this.#offsetAt(this.#local.monotonic()) - this.#target) : 0;
  }

  async sleepUntil(time: EpochMs, signal: AbortSignal): Promise<void> {
    for (let left = time - this.#exactly(); left > 0 && !signal.aborted; left = time - this.#exactly()) {
      this.#corrected.clear();
      await this.#corrected.waitFor(left <= FINAL_SLEEP_MS ? left : Math.max(FINAL_SLEEP_MS, left / 2), signal);
    }
  }

  sleepFor(duration: number, signal: AbortSignal): Promise<void> {
    return sleepFor(this.#local, duration, signal);
  }

  /** Corrects the clock by one sample: immediately for the first sample or after a step forward, otherwise gradually. */
  add(sample: ClockSample): void {
    const isFirst = this.#samples.length === 0;
    const step = offsetOf(sample) - this.#target;
    // The error of a sample is at most half its round trip.
    const isStep = Math.abs(step) - (sample.endedAt - sample.startedAt) / 2 > STEP_MS;
    this.#samples = isStep ? [sample] : [...this.#samples, sample].slice(-SAMPLES);
    this.#aimAt(medianOffset(this.#samples), isFirst || (isStep && step > 0));
    if (isStep && !isFirst) this.#isHeld = step < 0;
    if (isStep || isFirst) this.#corrected.notify(null);
    if (isStep && !isFirst) this.#onStep(Math.round(step));
  }

  #aimAt(target: number, atOnce: boolean): void {
    const monotonic = this.#local.monotonic();
    this.#offset = atOnce ? target : this.#offsetAt(monotonic);
    this.#anchoredAt = monotonic;
    this.#target = target;
  }

  /** Time with fractions of milliseconds. Sleeps that ignored them would often end a millisecond late. */
  #exactly(): number {
    const monotonic = this.#local.monotonic();
    return monotonic + this.#offsetAt(monotonic);
  }

  #offsetAt(monotonic: number): number {
    const max = ((monotonic - this.#anchoredAt) * SLEW_MS_PER_SECOND) / 1_000;
    const missing = this.#target - this.#offset;
    return this.#offset + Math.sign(missing) * Math.min(Math.abs(missing), max);
  }
}

/**
 * Difference between the store's clock and the monotonic clock. The store probably reads its clock in the middle of the round trip, and at the latest
 * at the end. Assuming the end would never set this clock early. The assumed time is therefore the end, but at most `MAX_DELAY_MS` after the middle.
 */
function offsetOf({ startedAt, endedAt, now }: ClockSample): number {
  return now - Math.min(endedAt, (startedAt + endedAt) / 2 + MAX_DELAY_MS);
}

const byTrip = (a: ClockSample, b: ClockSample) => a.endedAt - a.startedAt - (b.endedAt - b.startedAt);

/** Median offset over the half of the samples with the shorter round trips, because longer ones are inaccurate. */
function medianOffset(samples: readonly ClockSample[]): number {
  const nearest = [...samples].sort(byTrip).slice(0, Math.ceil(samples.length / 2));
  const offsets = nearest.map(offsetOf).sort((a, b) => a - b);
  return offsets[Math.floor(offsets.length / 2)] as number;
}

/** Number of readings at startup, before the clock is used. */
const FIRST_READINGS = 5;
/** Interval between readings after startup. */
const INTERVAL_MS = 10_000;
/** Difference between the clocks of machine and database above which a warning is published, in milliseconds. */
const TOLERANCE_MS = 500;

/** Creates the shared clock and the service that corrects it every 10 s and warns of a difference above 500 ms. Rejects with the store's error. */
export async function clusterTime(
  local: Clock,
  store: Pick<ClusterStore, 'readClock'>,
  publish: NodeHooks['publish'],
): Promise<{ readonly clock: Clock; readonly service: Service }> {
  const clock = new ClusterClock(local);
  const sync = async () => clock.add(await readSample(local, store));
  for (const sample of await firstSamples(local, store)) clock.add(sample);
  const offset = clock.now() - local.now();
  if (Math.abs(offset) > TOLERANCE_MS) publish(offsetWarning(local.now(), offset));
  const options = { clock: local, publish, during: "reading the database's clock" };
  return { clock, service: loopOf('cluster clock', { ...options, runOnce: sync, delay: () => INTERVAL_MS }) };
}

/**
 * Reads the first samples, and returns them sorted by round trip, shortest first. The clock is set to the first sample; later samples only adjust it
 * gradually. The error of a sample is up to half its round trip, and a clock that is ahead would fire triggers early.
 */
async function firstSamples(local: Clock, store: Pick<ClusterStore, 'readClock'>): Promise<readonly ClockSample[]> {
  await store.readClock(); // opens the connection, so that the first sample does not include the time to connect
  const samples: ClockSample[] = [];
  for (let readings = 0; readings < FIRST_READINGS; readings++) samples.push(await readSample(local, store));
  return samples.sort(byTrip);
}

async function readSample(local: Clock, store: Pick<ClusterStore, 'readClock'>): Promise<ClockSample> {
  const startedAt = local.monotonic();
  const now = await store.readClock();
  return { startedAt, endedAt: local.monotonic(), now };
}

function offsetWarning(at: number, offset: number) {
  const direction = offset > 0 ? 'behind' : 'ahead of';
  return {
    type: 'configurationWarning',
    at,
    message:
      `This machine's clock is ${Math.round(Math.abs(offset)) / 1_000} s ${direction} the database's clock, which determines ` +
      'when triggers fire. Synchronise both machines with NTP.',
  } as const;
}
