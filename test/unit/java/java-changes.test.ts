import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../../../src/domain/job-data';
import { classNameOf, type Shape } from '../../../src/java/shape';
import { shapeOf } from '../../../src/java/shapes';
import type { JavaNode } from '../../../src/java/stream-format';
import { readJavaStream } from '../../../src/java/stream-reader';
import { decodeJobData, encodeJobData } from '../../../src/store/sql/rows/job-data';

const ROWS = join(__dirname, '../../golden/java-jobdata.jsonl');
const stored = new Map(
  readFileSync(ROWS, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly name: string; readonly bytes: string })
    .map(({ name, bytes }) => [name, new Uint8Array(Buffer.from(bytes, 'base64'))] as const),
);

/** Row with this name, with another value in it. */
function changed(name: string, value: JsonValue): Uint8Array {
  const bytes = encodeJobData({ v: value }, { stored: stored.get(name) ?? null, newForm: 'json', owner: 'a test' });
  expect(decodeJobData(bytes, 'a test')).toEqual({ v: value });
  return bytes as Uint8Array;
}

function valueIn(bytes: Uint8Array): JavaNode {
  let shape: Shape = shapeOf(readJavaStream(bytes));
  while (shape.is === 'wrapper') shape = shapeOf(shape.inner);
  if (shape.is !== 'map' || shape.entries[0] === undefined) throw new TypeError('Expected a map of job data.');
  return shape.entries[0][1];
}

const elementsOf = (node: JavaNode) => {
  const shape = shapeOf(node);
  return shape.is === 'list' ? shape.elements.map(classNameOf) : [];
};

describe('a changed value in a Java stream', () => {
  // Java itself reads all of these values with this class.
  it.each<[string, JsonValue, string]>([
    ['LinkedHashMap', { b: 2, c: 'new' }, 'java.util.LinkedHashMap'],
    ['TreeMap', { z: 1, aa: 2 }, 'java.util.TreeMap'],
    ['TreeMap of integers', { 9: 'y', 10: 'changed' }, 'java.util.TreeMap'],
    ['ConcurrentHashMap', { a: 2 }, 'java.util.concurrent.ConcurrentHashMap'],
    ['Properties', { b: '2' }, 'java.util.Properties'],
    ['Map.of 2', { a: 1, b: 3 }, 'java.util.CollSer'],
    ['List.of 3', [1, 2, 3.5, 4.5], 'java.util.CollSer'],
    ['LinkedList', [1, 2, 3], 'java.util.LinkedList'],
    ['Vector', [1], 'java.util.Vector'],
    ['HashSet', ['a', 'b'], 'java.util.HashSet'],
    ['TreeSet', ['a', 'b', 'c'], 'java.util.TreeSet'],
    ['unmodifiableList', ['a', 'b'], 'java.util.Collections$UnmodifiableList'],
    ['synchronizedMap', { a: 2 }, 'java.util.Collections$SynchronizedMap'],
    ['String[]', ['a', 'b'], '[Ljava.lang.String;'],
    ['int[]', [5], '[I'],
    ['byte[]', 'AAAA', '[B'],
    ['BigDecimal', '-2.50', 'java.math.BigDecimal'],
    ['BigInteger', '18446744073709551617', 'java.math.BigInteger'],
    ['UUID', '00000000-0000-0001-0000-000000000002', 'java.util.UUID'],
    ['AtomicLong', 6, 'java.util.concurrent.atomic.AtomicLong'],
    ['Timestamp', '2031-05-06T07:08:09.123456789Z', 'java.sql.Timestamp'],
    ['sql.Date', '2031-05-06T07:08:09.123Z', 'java.sql.Date'],
  ])('keeps its class if that can hold the new value: %s', (name, value, expected) => {
    expect(classNameOf(valueIn(changed(name, value)))).toBe(expected);
  });

  it.each<[string, JsonValue, string]>([
    ['UUID', 'not one', 'java.lang.String'],
    ['Timestamp', 5, 'java.lang.Integer'],
    ['int[]', ['text'], 'java.util.ArrayList'],
    ['List.of 2', ['a', null], 'java.util.ArrayList'],
    ['TreeMap with comparator', { c: 1 }, 'java.util.HashMap'],
    ['TreeSet', ['a', 'a'], 'java.util.ArrayList'],
    ['EnumMap', { MONDAY: 1, TUESDAY: 2 }, 'java.util.HashMap'],
    ['singletonList', ['a', 'b'], 'java.util.ArrayList'],
    ['Instant', '2031-05-06T07:08:09Z', 'java.lang.String'],
    ['enum', 'TUESDAY', 'java.lang.String'],
    ['a list twice', { now: 'a map' }, 'java.util.HashMap'],
  ])('gets a plain class if its own cannot hold the new value: %s', (name, value, expected) => {
    expect(classNameOf(valueIn(changed(name, value)))).toBe(expected);
  });

  it('keeps the classes of unchanged elements, and gives new ones the class of their neighbours', () => {
    const [LONG, INTEGER, DOUBLE] = ['java.lang.Long', 'java.lang.Integer', 'java.lang.Double'];
    expect(elementsOf(valueIn(changed('List.of 3', [1, 2, 3.5])))).toEqual([INTEGER, LONG, DOUBLE]);
    expect(elementsOf(valueIn(changed('List.of 3', [2, 3.5])))).toEqual([LONG, DOUBLE]);
    expect(elementsOf(valueIn(changed('List.of 3', [1, 2, 3.5, 4])))).toEqual([INTEGER, LONG, DOUBLE, DOUBLE]);
    expect(elementsOf(valueIn(changed('a list twice', [['s'], ['t']])))).toEqual(Array(2).fill('java.util.ArrayList'));
  });

  it('can replace unreadable data', () => {
    expect(classNameOf(valueIn(changed("a class of one's own", 1)))).toBe('java.lang.Integer');
  });
});
