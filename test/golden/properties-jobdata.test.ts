import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobData } from '../../src/domain/job-data';
import { decodeJobData, encodeJobData, jobDataFormOf } from '../../src/store/sql/rows/job-data';

/** Job data that Quartz stored in JOB_DATA, and the data that it read back. */
interface Row {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly data: JobData;
  readonly bytes: string;
  readonly sortedLines: readonly string[];
  readonly readBack?: JobData;
  readonly types?: Readonly<Record<string, string>>;
  readonly err?: string;
}

const rows = readFileSync(join(__dirname, 'properties-jobdata.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const ofKind = (kind: string) => rows.filter((row) => row.kind === kind);

const bytesOf = (row: Row) => Buffer.from(row.bytes, 'base64');
const decode = (bytes: Uint8Array | null) => decodeJobData(bytes, 'a test');
const encode = (data: JobData, stored: Uint8Array | null, newForm: 'json' | 'properties' = 'json') =>
  encodeJobData(data, { stored, newForm, owner: 'a test' });
const named = (row: Row) => [`${row.name} ${row.id}`, row] as const;

/** Sorted lines of a properties text without comments; Java writes its entries in the order of a hash table. */
const linesOf = (bytes: Uint8Array | null) =>
  Buffer.from(bytes ?? [])
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .sort();

describe('job data that Quartz stores with useProperties=true', () => {
  it.each(ofKind('properties').map(named))('is read, and written with the same lines: %s', (_, row) => {
    const bytes = bytesOf(row);
    expect(jobDataFormOf(bytes)).toBe('properties');
    expect(decode(bytes)).toEqual(row.readBack);
    const written = encode(row.readBack as JobData, null, 'properties');
    expect(linesOf(written)).toEqual([...row.sortedLines].sort());
    expect(decode(written)).toEqual(row.readBack);
  });

  it.each(ofKind('properties-load').map(named))('is read as by java.util.Properties: %s', (_, row) => {
    const read = () => decode(bytesOf(row));
    if (row.err === undefined) expect(read()).toEqual(row.readBack);
    else expect(read).toThrow(expect.objectContaining({ code: 'INVALID_JOB_DATA' }));
  });

  it.each(ofKind('properties-error').map(named))('is refused if a value is not text: %s', (_, row) => {
    const value = row.name === 'err-int' ? 1 : {};
    const key = Object.keys(row.types ?? {})[0] as string;
    expect(() => encode({ [key]: value }, null, 'properties')).toThrow(/Expected text as data\.. of a test/);
  });
});

describe('job data serialised by Java', () => {
  it.each(ofKind('serialized').map(named))('is read: %s', (_, row) => {
    expect(jobDataFormOf(bytesOf(row))).toBe('javaSerialized');
    expect(decode(bytesOf(row))).toEqual(row.data);
  });

  it.each(ofKind('serialized').map(named))('is written and read back unchanged: %s', (_, row) => {
    const written = encode(row.data, bytesOf(row)) as Uint8Array;
    expect(jobDataFormOf(written)).toBe('javaSerialized');
    expect(decode(written)).toEqual(row.data);
  });

  // Several entries have the order of a hash table. Collections other than HashMap and ArrayList become one of these.
  const exact = ofKind('serialized').filter(
    ({ data, types }) =>
      Object.keys(data).length <= 1 && !/Linked|HashSet|Arrays|HashMap/.test(Object.values(types ?? {}).join()),
  );
  it.each(exact.map(named))('is written byte for byte as by Java, except for the dirty flag: %s', (_, row) => {
    const [written, expected] = [encode(row.data, bytesOf(row)) as Uint8Array, bytesOf(row)];
    const differing = expected.filter((byte, index) => byte !== written[index]);
    expect(written).toHaveLength(expected.length);
    expect(differing.length).toBeLessThanOrEqual(1);
  });

  it('gets a fitting class for new values and for values of another type', () => {
    const [row] = ofKind('serialized').filter(({ name }) => name === 'int-edges');
    const data = { max: 'text', min: 2 ** 40, neg: -1.5, more: [1, { deep: null }], flag: true };
    expect(decode(encode(data, bytesOf(row as Row)))).toEqual(data);
  });

  it('is refused if it has an unknown class, is truncated or contains damaged bytes', () => {
    const whole = bytesOf(ofKind('serialized').find(({ name }) => name === 'nested-map') as Row);
    for (let length = 2; length < whole.length; length++) {
      expect(() => decode(whole.subarray(0, length))).toThrow(expect.objectContaining({ code: 'INVALID_JOB_DATA' }));
    }
    const other = Buffer.from(whole.toString('latin1').replace('java.util.HashMap', 'java.util.HashBad'), 'latin1');
    expect(() => decode(other)).toThrow(/java\.util\.HashBad/);
    for (let at = 4; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at] = 0xff;
      try {
        decode(changed);
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_JOB_DATA' });
      }
    }
  });
});

describe('job data as JSON', () => {
  it('is written compactly, and empty data as NULL', () => {
    expect(Buffer.from(encode({ a: [1, 'ä'] }, null) as Uint8Array).toString('utf8')).toBe('{"a":[1,"ä"]}');
    expect(encode({}, null)).toBeNull();
    expect(decode(null)).toEqual({});
    expect(decode(new Uint8Array())).toEqual({});
  });

  it('is refused if it is broken, too deeply nested or contains __proto__', () => {
    const deep = `{"a":${'['.repeat(40)}${']'.repeat(40)}}`;
    for (const text of ['{', '{"a":1}x', deep, '{"__proto__":{}}']) {
      expect(() => decode(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'INVALID_JOB_DATA' }));
    }
    expect(() => decode(Buffer.from('__proto__=1\n'))).toThrow(/__proto__/);
  });

  it('is refused if properties cannot hold it', () => {
    expect(() => encode({ a: 'ä'.repeat(20_000) }, Buffer.from('a=b\n'))).toThrow(/65535 bytes as properties/);
  });
});
