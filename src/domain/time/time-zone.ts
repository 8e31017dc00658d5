import { DAY_MS, type EpochMs, MAX_TIME } from '../../base/clock';
import { SchedulerError } from '../../base/errors';
import { describeValue } from '../check-text';
import { fixedOffsetOf, zoneNameOf } from './zone-name';

/** A local time, in milliseconds as if it were UTC: 09:30 local time has the same number as 09:30Z. */
export type LocalMs = number;

/** Length of a chunk of the offset table, about 398 days. A power of two makes the division exact. */
const CHUNK_MS = 2 ** 35;
/** Sampling interval, about six days. Since 1970, the shortest time between two offset changes of a zone was seven days (Recife, October 2000). */
const SAMPLE_MS = CHUNK_MS / 64;
/** Maximum length of a gap or overlap: Samoa skipped a whole day in 2011. */
/** Offsets of zones with clock changes are between -12 and +14 hours. */
const MAX_WEST_MS = 12 * 3_600_000;
const MAX_EAST_MS = 14 * 3_600_000;
/** Range of chunks that are cached, about the years 1900 to 2250. Other chunks are computed at each use. */
const FIRST_CHUNK = -65;
const LAST_CHUNK = 257;

/** A period during which the UTC offset of a zone does not change. */
interface ZoneSpan {
  /** UTC offset in milliseconds: local time minus UTC. */
  readonly offset: number;
  /** Time of the offset change that starts the span. If that change was more than a day before the start of the chunk: one day before the chunk. */
  readonly start: EpochMs;
  /** Until then (exclusive), `instantOf` returns local time minus `offset`. The span may end later, because its last local times may occur twice. */
  readonly stableUntil: EpochMs;
}

/** Source of a zone's UTC offsets, in minutes. */
interface OffsetSource {
  readonly name: string;
  offset(instant: EpochMs): number;
}

/** Caches a zone's UTC offsets in a table that is computed on first use. Without the table, each call would take microseconds. */
export class TimeZone {
  readonly name: string;
  readonly #source: OffsetSource;
  readonly #chunks: (readonly ZoneSpan[] | null)[] = new Array(LAST_CHUNK - FIRST_CHUNK + 1).fill(null);

  constructor(source: OffsetSource) {
    this.name = source.name;
    this.#source = source;
  }

  spanAt(instant: EpochMs): ZoneSpan {
    const index = Math.floor(instant / CHUNK_MS);
    const spans = this.#chunks[index - FIRST_CHUNK] ?? this.#chunk(index);
    let i = spans.length - 1;
    while (i > 0 && instant < (spans[i] as ZoneSpan).start) i--;
    return spans[i] as ZoneSpan;
  }

  /** Returns a time later than `instant` before which the UTC offset does not change. The next change may be later than the returned time. */
  steadyUntil(instant: EpochMs): EpochMs {
    const index = Math.floor(instant / CHUNK_MS);
    const spans = this.#chunks[index - FIRST_CHUNK] ?? this.#chunk(index);
    let end = (index + 1) * CHUNK_MS;
    for (let i = spans.length - 1; i > 0 && instant < (spans[i] as ZoneSpan).start; i--) {
      end = (spans[i] as ZoneSpan).start;
    }
    return end;
  }

  /** Returns the UTC offset at an instant, in milliseconds. */
  offsetAt(instant: EpochMs): number {
    return this.spanAt(instant).offset;
  }

  localAt(instant: EpochMs): LocalMs {
    return instant + this.offsetAt(instant);
  }

  /** Returns the instant of a local time: the later one if it occurs twice, or moved forward by the length of the gap if it is skipped. */
  instantOf(local: LocalMs): EpochMs {
    const before = this.offsetAt(local - MAX_EAST_MS);
    const after = this.offsetAt(local + MAX_WEST_MS);
    const late = local - after;
    if (before === after || this.offsetAt(late) === after) return late;
    return local - before;
  }

  /** Like `instantOf`, but returns the earlier instant of a local time that occurs twice. */
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

  /** Computes the spans of one chunk, from a day before its start to a day after its end. */
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
      spans.push({ offset, start, stableUntil: change - Math.max(0, offset - nextOffset) });
      start = change;
      offset = nextOffset;
    }
    // An overlap that begins more than a day after the end of the chunk does not affect the chunk's local times.
    spans.push({ offset, start, stableUntil: end });
    return spans.slice(); // slice() frees the unused capacity of the array, which would take half of the table's memory
  }

  /** Returns the first millisecond after `from` that has the same offset as `to`. */
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

/** Zones that are in use, by name and by each spelling that was requested. At most about 600 names and 2,879 fixed offsets. */
const zones = new Map<string, TimeZone>();

/** Returns the zone for an IANA name in any case, or an offset such as `UTC+8`: one object per zone. Throws UNKNOWN_TIME_ZONE. */
export function timeZoneOf(name: string): TimeZone {
  const zone = timeZoneIn(name);
  if (zone !== null) return zone;
  throw new SchedulerError(
    'UNKNOWN_TIME_ZONE',
    `Expected an IANA time zone such as 'Europe/Berlin' or 'UTC', or an offset such as 'GMT+08:00', found ${describeValue(name)}.`,
  );
}

/** Returns the zone like `timeZoneOf`, or null if it does not exist. */
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
  // Offsets are parsed here instead of by Intl, because Node 20 rejects zones such as '+08:00'.
  if (minutes !== null) return { name, offset: () => minutes };
  const localTime = localTimeIn(name);
  if (localTime === null) return null;
  return { name, offset: (instant) => (localTime(instant) - Math.floor(instant / 1_000) * 1_000) / 60_000 };
}

/** Returns a function for the local time of an instant, in whole seconds, NaN outside of Date, or null if Intl does not know the zone. */
function localTimeIn(timeZone: string): ((instant: EpochMs) => LocalMs) | null {
  const [date, time] = [
    { year: 'numeric', month: 'numeric', day: 'numeric' },
    { hour: 'numeric', minute: 'numeric', second: 'numeric' },
  ] as const;
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, era: 'short', hourCycle: 'h23', ...date, ...time });
    return (instant) => (Math.abs(instant) <= MAX_TIME ? localTimeOf(format.format(instant)) : Number.NaN);
  } catch {
    return null;
  }
}

/** A time as Intl formats it in English: `3 15, 2027 AD, 08:30:00` in any punctuation. */
const LOCAL_TIME = /(\d+)\D+(\d+)\D+(\d+) (AD|BC)?\D*(\d+)\D+(\d+)\D+(\d+)/;

function localTimeOf(text: string): LocalMs {
  const [, month, day, year, era, ...time] = LOCAL_TIME.exec(text) ?? [];
  const [hours = 0, minutes = 0, seconds = 0] = time.map(Number);
  const local = new Date(0);
  // Not Date.UTC, which reads the years 0 to 99 as 1900 to 1999.
  local.setUTCFullYear(era === 'BC' ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
  return local.setUTCHours(hours, minutes, seconds);
}
