import { decodeJobData } from '../../../src/store/sql/rows/job-data';

/** Writes streams that no ObjectOutputStream would write. */
class Stream {
  readonly #bytes: number[] = [0xac, 0xed, 0, 5];
  #handles = 0;

  put(...bytes: readonly number[]): this {
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  int(value: number): this {
    return this.put((value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
  }

  name(text: string): this {
    return this.put(text.length >> 8, text.length & 0xff, ...Buffer.from(text, 'latin1'));
  }

  string(text: string): number {
    this.put(0x74).name(text);
    return this.#handles++;
  }

  refer(handle: number): this {
    return this.put(0x71).int(0x7e0000 + handle);
  }

  /** Describes a class. `parent` is the handle of a class that was described before. */
  class(name: string, flags: number, fields: string, parent: number | null = null): number {
    this.put(0x72).name(name).put(0, 0, 0, 0, 0, 0, 0, 0);
    const handle = this.#handles++;
    this.put(flags, 0, fields.length);
    for (const type of fields) this.put(type.charCodeAt(0)).name(type === 'I' ? 'size' : 'loadFactor');
    this.put(0x78);
    if (parent === null) this.put(0x70);
    else this.refer(parent);
    return handle;
  }

  /** Begins a list of a class that was described before. Its elements follow. */
  list(type: number, count: number): number {
    this.put(0x73).refer(type);
    const handle = this.#handles++;
    this.int(count).put(0x77, 4).int(count);
    return handle;
  }

  /** Begins an object or array of the class that `describe` writes or refers to. Its contents follow. */
  object(describe: () => unknown, tag = 0x73): number {
    this.put(tag);
    describe();
    return this.#handles++;
  }

  get bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** A map whose `count` entries are written by `entries`. */
function mapOf(count: number, entries: (stream: Stream) => void): Uint8Array {
  const stream = new Stream();
  stream.object(() => stream.class('java.util.HashMap', 3, 'FI'));
  stream.int(0).int(0).put(0x77, 8).int(16).int(count);
  entries(stream);
  return stream.put(0x78).bytes;
}

const decode = (bytes: Uint8Array) => decodeJobData(bytes, "job 'a.b'");
const unreadable = (problem: RegExp) =>
  expect.objectContaining({ code: 'INVALID_JOB_DATA', message: expect.stringMatching(problem) });

function millisecondsOf(work: () => void): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

describe('a manipulated Java stream', () => {
  it('is refused if its references nest more than 40 levels deep', () => {
    // Each entry is a list that contains the list of the previous entry. The stream is flat, but the value is deeply nested.
    const nested = (levels: number) =>
      mapOf(levels, (stream) => {
        stream.string('0');
        const type = stream.object(() => stream.class('java.util.ArrayList', 3, 'I')) - 1;
        stream.int(0).put(0x77, 4).int(0).put(0x78);
        let before = type + 1;
        for (let level = 1; level < levels; level++) {
          stream.string(String(level));
          const list = stream.list(type, 1);
          stream.refer(before).put(0x78);
          before = list;
        }
      });
    expect(decode(nested(3))).toEqual({ 0: [], 1: [[]], 2: [[[]]] });
    expect(() => decode(nested(1_500))).toThrow(unreadable(/nested deeper than 40 levels/));
  });

  it('is refused if a class has more than 16 superclasses', () => {
    const bytes = mapOf(1, (stream) => {
      stream.string('v');
      let parent: number | null = null;
      stream.object(() => stream.class('[Ljava.lang.Object;', 2, ''), 0x75);
      stream.int(5_000);
      for (let index = 0; index < 1_300; index++) {
        const above: number | null = parent;
        const described: number = stream.object(() => stream.class('C', 2, '', above));
        parent = described - 1;
      }
    });
    expect(() => decode(bytes)).toThrow(unreadable(/a class with more than 16 superclasses/));
  });

  it('is decoded in linear time, however often it refers to the same object', () => {
    const [blocks, references] = [100_000, 40_000];
    const bytes = mapOf(1, (stream) => {
      stream.string('v');
      const type = stream.object(() => stream.class('java.util.ArrayList', 3, 'I')) - 1;
      stream
        .int(1 + references)
        .put(0x77, 4)
        .int(1 + references);
      const list = stream.list(type, 0);
      for (let index = 0; index < blocks; index++) stream.put(0x77, 0);
      stream.put(0x78);
      for (let index = 0; index < references; index++) stream.refer(list);
      stream.put(0x78);
    });
    // This would take 4,000,000,000 steps if each reference were decoded again.
    expect(millisecondsOf(() => expect(decode(bytes).v).toHaveLength(references + 1))).toBeLessThan(3_000);
  });

  it('uses memory for the elements that it contains, not for those that it announces', () => {
    const size = 1_000_000;
    const open = mapOf(1, (stream) => {
      stream.string('v');
      let type: number | null = null;
      for (let level = 0; level < 36; level++) {
        const known: number | null = type;
        const array = stream.object(
          () => (known === null ? stream.class('[Ljava.lang.Object;', 2, '') : stream.refer(known)),
          0x75,
        );
        type ??= array - 1;
        stream.int(size - 2_000);
      }
    });
    const bytes = Buffer.concat([open.subarray(0, -1), Buffer.alloc(size - open.length, 0x70)]);
    const before = process.memoryUsage().heapUsed;
    expect(() => decode(bytes)).toThrow(
      unreadable(/ends before the last of|in the middle of a value|a negative length/),
    );
    // An earlier version used 300 MB: eight bytes for each of 36 million announced elements.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
  });

  it('is refused if the description of its fields contains objects', () => {
    const bytes = mapOf(1, (stream) => {
      stream.string('v');
      stream.put(0x73, 0x72).name('J').put(0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 'L'.charCodeAt(0)).name('x').put(0x75);
    });
    expect(() => decode(bytes)).toThrow(
      unreadable(/the unknown tag|a field of an unknown type|in the middle of a value|a negative length/),
    );
  });

  it('is quoted in errors only by class names, without control characters', () => {
    const bytes = mapOf(1, (stream) => {
      stream.string('v');
      stream.object(() => stream.class('evil\u001b[2J\n', 2, ''));
    });
    expect(() => decode(bytes)).toThrow(unreadable(/an object of the class evil\?\[2J\?, which is not supported/));
  });
});

describe('the error about unreadable job data', () => {
  it.each([
    ['JSON', Buffer.from('{"password":hunter2}')],
    ['truncated JSON', Buffer.from('{"password":"hunter2"')],
    ['JSON with a number that is too large', Buffer.from('{"password":"hunter2","n":1e999}')],
    ['Properties', Buffer.from('password=hunter2\\u00\n')],
  ])('does not quote the stored data: %s', (_form, bytes) => {
    let found: unknown = null;
    try {
      decode(bytes);
    } catch (error) {
      found = error;
    }
    const { message, cause, stack } = found as Error;
    expect(message).toMatch(/^Expected the stored data of job 'a\.b' to be plain data/);
    expect([message, String(cause), stack, (cause as Error).stack].join()).not.toContain('hunter2');
  });
});
