import { IANAZone } from 'luxon';
import type { EpochMs } from '../../base/clock';
import { SchedulerError } from '../../base/errors';

/** A wall-clock reading, counted in milliseconds as if it were UTC: 09:30 local is the number of 09:30Z. */
export type LocalMs = number;

/** Chunks of about 199 days: a power of two, so that finding one is a division and not a search. */
const CHUNK = 2 ** 34;
/** Two changes of offset closer together than this do not exist in the zone data. */
const SAMPLE = CHUNK / 64;
/** The offsets of the world lie between -12 h and +14 h. */
const WEST = 12 * 3_600_000;
const EAST = 14 * 3_600_000;

/** The offsets of one chunk: `offsets[i]` holds from `starts[i]` on. */
interface Chunk {
  readonly starts: readonly EpochMs[];
  readonly offsets: readonly number[];
}

/** Offsets of one IANA zone, read from luxon on first use and kept as a table: luxon itself takes microseconds a call. */
export class TimeZone {
  readonly name: string;
  readonly #source: IANAZone;
  readonly #chunks = new Map<number, Chunk>();

  constructor(source: IANAZone) {
    this.name = source.name;
    this.#source = source;
  }

  /** What to add to an instant to read the wall clock, in milliseconds. */
  offsetAt(instant: EpochMs): number {
    const chunk = this.#chunk(Math.floor(instant / CHUNK));
    let i = chunk.starts.length - 1;
    while (i > 0 && instant < (chunk.starts[i] as number)) i--;
    return chunk.offsets[i] as number;
  }

  /** A later instant until which the offset at `instant` certainly holds: lets a walk leap over stretches without a change. */
  offsetHoldsUntil(instant: EpochMs): EpochMs {
    const index = Math.floor(instant / CHUNK);
    const next = this.#chunk(index).starts.find((start) => start > instant);
    return next ?? (index + 1) * CHUNK;
  }

  /** The wall clock at an instant. */
  localAt(instant: EpochMs): LocalMs {
    return instant + this.offsetAt(instant);
  }

  /** The instant of a wall-clock reading. Twice-read: the later one. Never read (a gap): moved forward by the gap. */
  instantOf(local: LocalMs): EpochMs {
    const before = this.offsetAt(local - EAST);
    const after = this.offsetAt(local + WEST);
    const late = local - after;
    if (before === after || this.offsetAt(late) === after) return late;
    return local - before;
  }

  /** As `instantOf`, but the first of two readings. */
  firstInstantOf(local: LocalMs): EpochMs {
    const before = this.offsetAt(local - EAST);
    const early = local - before;
    return this.offsetAt(early) === before ? early : this.instantOf(local);
  }

  #chunk(index: number): Chunk {
    const known = this.#chunks.get(index);
    if (known !== undefined) return known;
    const chunk = this.#read(index * CHUNK);
    this.#chunks.set(index, chunk);
    return chunk;
  }

  #read(from: EpochMs): Chunk {
    const starts = [from];
    const offsets = [this.#offset(from)];
    for (let end = from + SAMPLE; end <= from + CHUNK; end += SAMPLE) {
      const offset = this.#offset(end);
      if (offset === offsets.at(-1)) continue;
      starts.push(this.#change(end - SAMPLE, end));
      offsets.push(offset);
    }
    return { starts, offsets };
  }

  /** The first millisecond after `from` that has the offset of `to`. */
  #change(from: EpochMs, to: EpochMs): EpochMs {
    const offset = this.#offset(to);
    let old = from;
    let young = to;
    while (young - old > 1) {
      const middle = Math.floor((old + young) / 2);
      if (this.#offset(middle) === offset) young = middle;
      else old = middle;
    }
    return young;
  }

  #offset(instant: EpochMs): number {
    return Math.round(this.#source.offset(instant) * 60_000);
  }
}

const zones = new Map<string, TimeZone>();

/** The zone of that name; one object per name. Throws UNKNOWN_TIME_ZONE. */
export function timeZoneOf(name: string): TimeZone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  if (typeof name !== 'string' || !IANAZone.isValidZone(name)) {
    throw new SchedulerError(
      'UNKNOWN_TIME_ZONE',
      `Expected an IANA time zone such as 'Europe/Berlin' or 'UTC', found '${String(name)}'.`,
    );
  }
  const zone = new TimeZone(IANAZone.create(name));
  zones.set(name, zone);
  return zone;
}

/** The zone this process runs in. */
export function systemTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
