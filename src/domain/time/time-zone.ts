import { IANAZone } from 'luxon';
import type { EpochMs } from '../../base/clock';
import { SchedulerError } from '../../base/errors';
import { describeValue } from '../check-text';
import { fixedOffsetOf, zoneNameOf } from './zone-name';

/** A wall-clock reading, counted in milliseconds as if it were UTC: 09:30 local is the number of 09:30Z. */
export type LocalMs = number;

/** Chunks of about 398 days: a power of two, so that finding one is a division and not a search. */
const CHUNK_MS = 2 ** 35;
/** About six days. Since 1970 no zone changed its offset twice within less than seven (Recife did in October 2000). */
const SAMPLE_MS = CHUNK_MS / 64;
/** The longest gap or overlap: Samoa left out a whole day in 2011. */
const DAY_MS = 86_400_000;
/** The offsets that change lie between -12 h and +14 h. */
const MAX_WEST_MS = 12 * 3_600_000;
const MAX_EAST_MS = 14 * 3_600_000;
/** Chunks that are kept: about the years 1900 to 2250. Other times are read each time. */
const FIRST_CHUNK = -65;
const LAST_CHUNK = 257;

/** A time during which the offset does not change. */
export interface ZoneSpan {
  /** Milliseconds to add to an instant to get the wall clock. */
  readonly offset: number;
  /** Time of the offset change at its start, if that was less than a day before the table part that contains it. */
  readonly start: EpochMs;
  /** Exclusive end of the time in which subtracting the offset from a wall-clock reading gives its `instantOf`. */
  readonly settledUntil: EpochMs;
}

/** Source of a zone's offsets, in minutes east of UTC. */
interface OffsetSource {
  readonly name: string;
  offset(instant: EpochMs): number;
}

/** Offsets of one zone, read on first use and kept as a table, because luxon takes microseconds per call. */
export class TimeZone {
  readonly name: string;
  readonly #source: OffsetSource;
  readonly #chunks: (readonly ZoneSpan[] | null)[] = new Array(LAST_CHUNK - FIRST_CHUNK + 1).fill(null);

  constructor(source: OffsetSource) {
    this.name = source.name;
    this.#source = source;
  }

  /** The span an instant lies in. */
  spanAt(instant: EpochMs): ZoneSpan {
    const index = Math.floor(instant / CHUNK_MS);
    const spans = this.#chunks[index - FIRST_CHUNK] ?? this.#chunk(index);
    let i = spans.length - 1;
    while (i > 0 && instant < (spans[i] as ZoneSpan).start) i--;
    return spans[i] as ZoneSpan;
  }

  /** Returns a time up to which (exclusive) the offset stays the same as at `instant`; it may stay longer. */
  steadyUntil(instant: EpochMs): EpochMs {
    const index = Math.floor(instant / CHUNK_MS);
    const spans = this.#chunks[index - FIRST_CHUNK] ?? this.#chunk(index);
    let end = (index + 1) * CHUNK_MS;
    for (let i = spans.length - 1; i > 0 && instant < (spans[i] as ZoneSpan).start; i--) {
      end = (spans[i] as ZoneSpan).start;
    }
    return end;
  }

  /** Returns the milliseconds to add to an instant to get the wall clock. */
  offsetAt(instant: EpochMs): number {
    return this.spanAt(instant).offset;
  }

  /** The wall clock at an instant. */
  localAt(instant: EpochMs): LocalMs {
    return instant + this.offsetAt(instant);
  }

  /** Returns the instant of a wall-clock reading. For a repeated reading: the later instant. For a skipped one: moved forward by the gap. */
  instantOf(local: LocalMs): EpochMs {
    const before = this.offsetAt(local - MAX_EAST_MS);
    const after = this.offsetAt(local + MAX_WEST_MS);
    const late = local - after;
    if (before === after || this.offsetAt(late) === after) return late;
    return local - before;
  }

  /** Same as `instantOf`, but returns the first of two instants. */
  firstInstantOf(local: LocalMs): EpochMs {
    const before = this.offsetAt(local - MAX_EAST_MS);
    const early = local - before;
    return this.offsetAt(early) === before ? early : this.instantOf(local);
  }

  #chunk(index: number): readonly ZoneSpan[] {
    const spans = this.#read(index * CHUNK_MS);
    if (index >= FIRST_CHUNK && index <= LAST_CHUNK) this.#chunks[index - FIRST_CHUNK] = spans;
    return spans;
  }

  /** Reads the spans of one chunk, from a day before it to a day after it. */
  #read(from: EpochMs): ZoneSpan[] {
    const end = from + CHUNK_MS;
    const spans: ZoneSpan[] = [];
    let start = from - DAY_MS;
    let offset = this.#offset(start);
    for (let at = start; at < end + DAY_MS; at += SAMPLE_MS) {
      const next = Math.min(at + SAMPLE_MS, end + DAY_MS);
      const nextOffset = this.#offset(next);
      if (nextOffset === offset) continue;
      const change = this.#change(at, next);
      spans.push({ offset, start, settledUntil: change - Math.max(0, offset - nextOffset) });
      start = change;
      offset = nextOffset;
    }
    // An overlap that begins later than a day after the chunk cannot reach back into it.
    spans.push({ offset, start, settledUntil: end });
    return spans.slice(); // slice drops spare capacity, which would be half of the table
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

/** One object for each used zone. There are about 600 names and 2,879 offsets, in several spellings. */
const zones = new Map<string, TimeZone>();

/** The zone of an IANA name in any case, or of an offset such as `UTC+8`; one object per zone. Throws UNKNOWN_TIME_ZONE. */
export function timeZoneOf(name: string): TimeZone {
  const zone = timeZoneIn(name);
  if (zone !== null) return zone;
  throw new SchedulerError(
    'UNKNOWN_TIME_ZONE',
    `Expected an IANA time zone such as 'Europe/Berlin' or 'UTC', or an offset such as 'GMT+08:00', found ${describeValue(name)}.`,
  );
}

/** Same as `timeZoneOf`, but returns null if there is no such zone. */
export function timeZoneIn(written: string): TimeZone | null {
  const spelled = zones.get(written);
  if (spelled !== undefined) return spelled;
  if (typeof written !== 'string') return null;
  const name = zoneNameOf(written);
  const known = zones.get(name);
  if (known !== undefined) return known;
  const source = sourceOf(name);
  if (source === null) return null;
  const zone = new TimeZone(source);
  zones.set(name, zone);
  return zone;
}

function sourceOf(name: string): OffsetSource | null {
  const minutes = fixedOffsetOf(name);
  // Parsed here instead of by luxon: Node 20 does not know a zone '+08:00', later versions do.
  if (minutes !== null) return { name, offset: () => minutes };
  return IANAZone.isValidZone(name) ? IANAZone.create(name) : null;
}
