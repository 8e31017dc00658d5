import { crc32 } from 'node:zlib';
import type { EpochMs } from '../base/clock';
import { maxOf, minOf } from '../base/lists';
import { type TimeZone, timeZoneIn } from '../domain/time/time-zone';
import { int32, int64, notRead, shownClass } from './java-bytes';
import { javaArray, javaClass, javaLongs, javaObject, javaText, orNull } from './java-objects';
import { ClassPart, classNameOf } from './shape';
import type { JavaNode, JavaObject } from './stream-format';
import { type OffsetPeriod, zoneRulesOf } from './zone-rules';

/*
 * A time zone as Java serialises it. A sun.util.calendar.ZoneInfo contains its transitions, and Java uses them instead of its own data. A transition is a
 * time in UTC milliseconds, shifted by 12 bits, and two indexes into the table of offsets: that of the whole offset, and that of the saving (0: none).
 */

const TIME_ZONE = 'java.util.TimeZone';
const ZONE_INFO = 'sun.util.calendar.ZoneInfo';
const TIME_SHIFT = 12n;
const SAVING_SHIFT = 4n;
const INDEX_MASK = 15n;
/** An index has four bits. */
const MAX_OFFSETS = 16;

const ZONE_CLASS = javaClass(ZONE_INFO, {
  uid: 2653134537216586139n,
  fields: {
    checksum: 'I',
    dstSavings: 'I',
    rawOffset: 'I',
    rawOffsetDiff: 'I',
    willGMTOffsetChange: 'Z',
    offsets: '[I',
    simpleTimeZoneParams: '[I',
    transitions: '[J',
  },
  parent: javaClass(TIME_ZONE, { uid: 3581463369166924961n, fields: { ID: 'java.lang.String' } }),
});

/** Zones that were written, by name. Reading the data of a zone takes milliseconds. */
const made = new Map<string, JavaObject>();

/** Returns a ZoneInfo with our data of the zone: one node per zone, which a stream contains once. */
export function zoneInfoOf(zone: TimeZone): JavaObject {
  const node = made.get(zone.name) ?? newZoneInfo(zone);
  made.set(zone.name, node);
  return node;
}

function newZoneInfo(zone: TimeZone): JavaObject {
  const { periods, lastRule } = zoneRulesOf(zone);
  const last = periods.at(-1) as OffsetPeriod;
  const raw =
    lastRule === null ? last.offset - last.saving : (minOf(periods.slice(-2).map(({ offset }) => offset)) ?? 0);
  const dstSavings = lastRule === null ? last.saving : maxOf(periods.slice(-2).map(({ saving }) => saving));
  const isFixed = periods.length === 1;
  const offsets = offsetTable(raw, periods);
  const transitions = periods.map((period) => transitionOf(period, offsets));
  return javaObject(ZONE_CLASS, {
    ID: javaText(zone.name),
    checksum: isFixed ? 0 : checksum(transitions),
    dstSavings,
    rawOffset: raw,
    rawOffsetDiff: 0,
    willGMTOffsetChange: false,
    offsets: orNull(isFixed ? null : offsets, (values) => javaArray('[I', values)),
    simpleTimeZoneParams: orNull(lastRule, (values) => javaArray('[I', values)),
    transitions: orNull(isFixed ? null : transitions, javaLongs),
  });
}

function offsetTable(raw: number, periods: readonly OffsetPeriod[]): readonly number[] {
  const table = [
    ...new Set([raw, ...periods.flatMap(({ offset, saving }) => (saving === 0 ? [offset] : [offset, saving]))]),
  ];
  if (table.length > MAX_OFFSETS)
    throw new TypeError(`Expected at most ${MAX_OFFSETS} offsets in a zone, found ${table.length}.`);
  return table;
}

function transitionOf({ start, offset, saving }: OffsetPeriod, offsets: readonly number[]): bigint {
  const savingIndex = saving === 0 ? 0 : offsets.indexOf(saving);
  const indexes = (BigInt(savingIndex) << SAVING_SHIFT) | BigInt(offsets.indexOf(offset));
  return (BigInt(start) << TIME_SHIFT) | indexes;
}

/** Checksum that Java compares when it compares zones: CRC-32 of each transition's time and indexes. */
function checksum(transitions: readonly bigint[]): number {
  const parts = transitions.flatMap((transition) => {
    const index = Number(transition & INDEX_MASK);
    const saving = Number((transition >> SAVING_SHIFT) & INDEX_MASK);
    return [int64((transition >> TIME_SHIFT) + BigInt(index)), int32(index), int32(saving === 0 ? -1 : saving)];
  });
  return crc32(Buffer.concat(parts)) | 0;
}

/** A zone in a stream: its name, and its offsets, of which those of the stream count, not ours. */
export interface StoredZone {
  readonly name: string;
  offsetAt(instant: EpochMs): number;
}

/** Throws a TypeError for another object, and for a zone that is unknown here. */
export function readZone(node: JavaNode): StoredZone {
  if (node.kind !== 'object' || !node.parts.some(({ type }) => type.name === TIME_ZONE))
    throw notRead(`an object of the class ${shownClass(classNameOf(node))} where a time zone was expected`);
  const id = new ClassPart(node, TIME_ZONE).text('ID');
  const zone = timeZoneIn(id);
  if (zone === null) throw notRead(`the time zone ${JSON.stringify(id.slice(0, 100))}`);
  if (node.type.name !== ZONE_INFO) return { name: zone.name, offsetAt: (instant) => zone.offsetAt(instant) };
  const table = readTable(new ClassPart(node, ZONE_INFO));
  return { name: zone.name, offsetAt: (instant) => table(instant) ?? zone.offsetAt(instant) };
}

/** Returns a function for the offset at an instant; null after the last transition of a zone with a rule. */
function readTable(part: ClassPart): (instant: EpochMs) => number | null {
  const raw = part.int('rawOffset') + part.int('rawOffsetDiff');
  const transitions = primitivesIn(part, 'transitions', '[J')?.map((bytes) => bytes.readBigInt64BE());
  const offsets = primitivesIn(part, 'offsets', '[I')?.map((bytes) => bytes.readInt32BE());
  if (transitions === undefined || offsets === undefined) return () => raw;
  const hasRule = part.node('simpleTimeZoneParams').kind !== 'null';
  return (instant) => {
    const next = transitions.findIndex((each) => Number(each >> TIME_SHIFT) > instant);
    if (next === 0) return raw;
    if (next < 0 && hasRule) return null;
    return offsets[Number((transitions.at(next < 0 ? -1 : next - 1) as bigint) & INDEX_MASK)] ?? part.fail();
  };
}

function primitivesIn(part: ClassPart, field: string, name: '[I' | '[J'): readonly Buffer[] | undefined {
  const node = part.node(field);
  if (node.kind === 'null') return undefined;
  if (node.kind !== 'array' || node.type.name !== name || !Buffer.isBuffer(node.elements)) return part.fail();
  const { elements } = node;
  const size = name === '[J' ? 8 : 4;
  return Array.from({ length: node.length }, (_, index) => elements.subarray(index * size, (index + 1) * size));
}
