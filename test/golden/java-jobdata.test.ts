import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobData, JsonValue } from '../../src/domain/job-data';
import { readJavaStream } from '../../src/java/stream-reader';
import { writeJavaStream } from '../../src/java/stream-writer';
import { decodeJobData, encodeJobData } from '../../src/store/sql/rows/job-data';
import { IS_LONG } from '../support/long-forms';

/** Job data with one value under the key `v`, as serialised by Java. `value` is missing if Java's value is not plain data. */
interface Row {
  readonly name: string;
  readonly bytes: string;
  readonly value?: JsonValue;
}

const rows = readFileSync(join(__dirname, 'java-jobdata.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const bytesOf = ({ bytes }: Row) => new Uint8Array(Buffer.from(bytes, 'base64'));
const named = (list: readonly Row[]) => list.map((row) => [row.name, row] as const);
const readable = rows.filter(({ value }) => value !== undefined);
const encode = (data: JobData, stored: Uint8Array) =>
  encodeJobData(data, { stored, newForm: 'json', owner: 'a test' }) as Uint8Array;

it('the rows of Java job data equal the bytes that Quartz stores', () => {
  const recorded = readFileSync(join(__dirname, 'properties-jobdata.jsonl'), 'utf8').trim().split('\n');
  const ofQuartz = recorded
    .map((line) => JSON.parse(line))
    .find(({ kind, name }) => `${kind} ${name}` === 'serialized string');
  const ours = rows.find(({ name }) => name === 'String') as Row;
  const asOurs = Buffer.from(ofQuartz.bytes, 'base64').toString('latin1').replace('t\0\x01s', 't\0\x01v');
  expect(Buffer.from(ours.bytes, 'base64').toString('latin1')).toBe(asOurs);
});

describe('a value that Java has serialised', () => {
  it.each(named(readable))('is read with the value that Java reports: %s', (_, row) => {
    expect(decodeJobData(bytesOf(row), 'a test')).toEqual({ v: row.value });
  });

  it.each(
    named(rows.filter((row) => !readable.includes(row))),
  )('is refused with its class name if it is not plain data: %s', (_, row) => {
    expect(() => decodeJobData(bytesOf(row), 'a test')).toThrow(expect.objectContaining({ code: 'INVALID_JOB_DATA' }));
  });

  it.each(named(rows))('is written back byte for byte: %s', (_, row) => {
    expect(writeJavaStream(readJavaStream(bytesOf(row)))).toEqual(Buffer.from(bytesOf(row)));
  });

  it.each(named(readable))('keeps its bytes if another value is stored next to it: %s', (_, row) => {
    const before = bytesOf(row);
    expect(encode({ v: row.value as JsonValue }, before)).toEqual(before);
    const beside = encode({ v: row.value as JsonValue, other: { x: [1] } }, before);
    expect(decodeJobData(beside, 'a test')).toEqual({ v: row.value, other: { x: [1] } });
    // Only the number of entries in the block of the map changes; the new entry follows the value.
    const changed = [...before.slice(0, -2)].flatMap((byte, at) => (byte === beside[at] ? [] : [at]));
    expect(changed).toHaveLength(1);
  });
});

/** Distance between two damaged bytes. */
const STEP = IS_LONG ? 11 : 37;

it('a damaged stream of Java job data is read or refused with INVALID_JOB_DATA', () => {
  for (const [index, row] of rows.filter(({ bytes }) => bytes.length < 1_000).entries()) {
    const whole = bytesOf(row);
    for (let at = 4 + (index % STEP); at < whole.length; at += STEP) {
      const damaged = Uint8Array.from(whole);
      damaged[at] = (whole[at] as number) ^ (1 << (at % 8));
      try {
        decodeJobData(damaged, 'a test');
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_JOB_DATA' });
      }
    }
  }
});
