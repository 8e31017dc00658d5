import { decodeJavaSerialized } from '../../../src/java/decode-job-data-map';
import { formatJavaProperties, parseJavaProperties } from '../../../src/java/java-properties';
import { decodeJobData } from '../../../src/store/sql/rows/job-data';

const text = (value: string) => [value.length >> 8, value.length & 0xff, ...Buffer.from(value)];
const int = (value: number) => [value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
const refersTo = (handle: number) => [0x71, ...int(0x7e0000 + handle)];
const STREAM = [0xac, 0xed, 0, 5];
const UID = [0, 0, 0, 0, 0, 0, 0, 0];

/** Description of a class that is written with primitive fields only. */
const describes = (name: string, fields: Readonly<Record<string, string>>) => [
  ...[0x72, ...text(name), ...UID, 3, 0, Object.keys(fields).length],
  ...Object.entries(fields).flatMap(([field, type]) => [type.charCodeAt(0), ...text(field)]),
  ...[0x78, 0x70],
];

/** A serialised HashMap with one entry. Handles: 0 (class), 1 (map), 2 (key). */
const mapOf = (key: string, value: readonly number[]) => [
  ...STREAM,
  ...[0x73, ...describes('java.util.HashMap', { loadFactor: 'F', threshold: 'I' }), ...int(0), ...int(0)],
  ...[0x77, 8, ...int(16), ...int(1), 0x74, ...text(key), ...value, 0x78],
];

/** Nested lists that contain their inner list twice: `levels` levels stand for 2^levels values. */
function doublingLists(levels: number): number[] {
  const list = (level: number): number[] => {
    const inner = level === levels ? [0x74, ...text('x')] : list(level + 1);
    const twice = [...inner, ...refersTo(4 + level)];
    const type = level === 1 ? describes('java.util.ArrayList', { size: 'I' }) : refersTo(3);
    return [0x73, ...type, ...int(2), 0x77, 4, ...int(2), ...twice, 0x78];
  };
  return list(1);
}

const decode = (bytes: readonly number[]) => decodeJobData(Uint8Array.from(bytes), "job 'a.b'");

describe('manipulated job data in the tables', () => {
  it('is read if it has the form that Java writes', () => {
    expect(decode(mapOf('lists', doublingLists(2)))).toEqual({
      lists: [
        ['x', 'x'],
        ['x', 'x'],
      ],
    });
  });

  it('is refused if its references expand to too many values', () => {
    expect(() => decode(mapOf('bomb', doublingLists(34)))).toThrow(/expands to more than 262140/);
  });

  it('is refused if its references repeat a long text too often', () => {
    const long = [0x74, ...text('x'.repeat(50_000))]; // handle 5, after the list
    const again = Array.from({ length: 2_000 }, () => refersTo(5)).flat();
    const type = describes('java.util.ArrayList', { size: 'I' });
    const list = [0x73, ...type, ...int(2_001), 0x77, 4, ...int(2_001), ...long, ...again, 0x78];
    expect(() => decode(mapOf('bomb', list))).toThrow(/expands to more than 262140/);
  });

  it('cannot read bytes beyond its own, which belong to other rows', () => {
    const stream = [...STREAM, 0x75, ...[0x72, ...text('[B'), ...UID, 2, 0, 0, 0x78, 0x70], ...int(16), 0x41];
    const shared = Buffer.concat([Buffer.from(stream), Buffer.from('the password of another row')]);
    expect(() => decodeJavaSerialized(shared.subarray(0, stream.length))).toThrow(
      /ends before the last of 16 elements/,
    );
  });

  it('is refused if it names a class that is not supported', () => {
    const gadget = [0x73, ...describes('org.apache.commons.collections.functors.InvokerTransformer', {}), 0x78];
    expect(() => decode(mapOf('gadget', gadget))).toThrow(/InvokerTransformer, which is not supported/);
  });

  it.each([
    ['JSON', Buffer.from('{"a":{"__proto__":{"isAdmin":true}}}')],
    ['Properties', Buffer.from('__proto__=x\n')],
    ['Java', Buffer.from(mapOf('__proto__', [0x74, ...text('x')]))],
  ])('is refused if it contains __proto__: %s', (_form, bytes) => {
    expect(() => decodeJobData(bytes, "job 'a.b'")).toThrow(/'__proto__' is not allowed/);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('is refused if it is larger than 1 MiB', () => {
    const bytes = Buffer.from(`#\n${'a=b\n'.repeat(300_000)}`);
    expect(() => decodeJobData(bytes, "job 'a.b'")).toThrow(/expected at most 1048576 bytes/);
  });

  it('is refused if it is nested more deeply than job data may be', () => {
    const bytes = Buffer.from(`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);
    expect(() => decodeJobData(bytes, "job 'a.b'")).toThrow(/nested deeper than 32/);
  });

  it('with many continued lines is read in linear time', () => {
    const lines = 200_000;
    const parsed = parseJavaProperties(Buffer.from(`a=${'b\\\n'.repeat(lines)}c`)); // took 9 s when each line was joined separately
    expect(parsed).toEqual({ a: `${'b'.repeat(lines)}c` });
  });

  it.each([
    ['a=b\\\\\nc=d', { a: 'b\\', c: 'd' }],
    ['a=b\\\\\\\n  c', { a: 'b\\c' }],
    ['a=b\\\n\\\nc', { a: 'bc' }],
  ])('with the continued lines %j is joined as in Java', (source, expected) => {
    expect(parseJavaProperties(Buffer.from(source))).toEqual(expected);
    expect(parseJavaProperties(Buffer.from(formatJavaProperties(expected)))).toEqual(expected);
  });
});
