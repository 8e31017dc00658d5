import { ClassPart } from '../../src/java/shape';
import type { JavaNode } from '../../src/java/stream-format';

/* A port of the JDK's ZoneInfo and SimpleTimeZone for serialised zones, compared with answers of the JDK. */

export function javaOffsetAt(node: JavaNode, instant: number): number {
  if (node.kind !== 'object') throw new TypeError('no object');
  const part = new ClassPart(node, 'sun.util.calendar.ZoneInfo');
  const array = (name: string, size: number) => {
    const found = part.node(name);
    if (found.kind !== 'array' || !Buffer.isBuffer(found.elements)) return null;
    const { elements } = found;
    return Array.from({ length: found.length }, (_, i) =>
      size === 8 ? elements.readBigInt64BE(i * 8) : BigInt(elements.readInt32BE(i * 4)),
    );
  };
  const raw = part.int('rawOffset');
  const transitions = array('transitions', 8);
  const offsets = array('offsets', 4);
  if (transitions === null || offsets === null) return raw;
  const index = transitions.findLastIndex((each) => Number(each >> 12n) <= instant);
  const rule = array('simpleTimeZoneParams', 4);
  const isBeyond = index === transitions.length - 1 && Number((transitions[index] as bigint) >> 12n) !== instant;
  if (index < 0) return raw;
  if (isBeyond && rule !== null)
    return raw + (isSaving(rule.map(Number), raw, part.int('dstSavings'), instant) ? part.int('dstSavings') : 0);
  return Number(offsets[Number((transitions[index] as bigint) & 15n)]);
}

function isSaving(rule: readonly number[], raw: number, saving: number, instant: number): boolean {
  const year = new Date(instant + raw).getUTCFullYear();
  const start = timeOf(rule.slice(0, 5), year, raw, 0);
  const end = timeOf(rule.slice(5), year, raw, saving);
  return start <= end ? instant >= start && instant < end : instant >= start || instant < end;
}

/** Instant of "the first day of the week on or after a day" (negative day of the week), "the last one" (negative day) or an exact day. */
function timeOf(
  [month = 0, day = 0, dayOfWeek = 0, time = 0, mode = 0]: readonly number[],
  year: number,
  raw: number,
  saving: number,
) {
  const isLast = day < 0;
  const date = new Date(Date.UTC(year, isLast ? month + 1 : month, isLast ? 0 : day));
  const wanted = Math.abs(dayOfWeek) - 1;
  const step = isLast ? -1 : 1;
  while (dayOfWeek !== 0 && date.getUTCDay() !== wanted) date.setUTCDate(date.getUTCDate() + step);
  return date.getTime() + time - (mode === 2 ? 0 : raw) - (mode === 0 ? saving : 0);
}
