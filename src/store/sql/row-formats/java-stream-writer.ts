import type { JobData, JsonValue } from '../../../domain/job-data';
import type { JavaValue } from './java-stream-reader';

/*
 * Writes job data as the Java object serialisation stream of a JobDataMap, which Java nodes read. The classes, their
 * fields and serialVersionUIDs are those that Quartz 2.3.2 and Java 17 write; all of them have been the same since Java 1.2.
 */

/** How a class announces itself: serialVersionUID, whether it has a write method, fields (with the type of objects), parent. */
interface JavaClass {
  readonly uid: bigint;
  readonly hasWriteMethod?: boolean;
  readonly fields: readonly (readonly [type: string, name: string, objectType?: string])[];
  readonly parent?: string;
}

const NUMBER = 'java.lang.Number';
const boxed = (uid: bigint, type: string): JavaClass => ({ uid, fields: [[type, 'value']], parent: NUMBER });

const CLASSES: Readonly<Record<string, JavaClass>> = {
  'org.quartz.JobDataMap': { uid: -6939901990106713909n, fields: [], parent: 'org.quartz.utils.StringKeyDirtyFlagMap' },
  'org.quartz.utils.StringKeyDirtyFlagMap': {
    uid: -9076749120524952280n,
    fields: [['Z', 'allowsTransientData']],
    parent: 'org.quartz.utils.DirtyFlagMap',
  },
  'org.quartz.utils.DirtyFlagMap': {
    uid: 1433884852607126222n,
    fields: [
      ['Z', 'dirty'],
      ['L', 'map', 'Ljava/util/Map;'],
    ],
  },
  'java.util.HashMap': {
    uid: 362498820763181265n,
    hasWriteMethod: true,
    fields: [
      ['F', 'loadFactor'],
      ['I', 'threshold'],
    ],
  },
  'java.util.ArrayList': { uid: 8683452581122892189n, hasWriteMethod: true, fields: [['I', 'size']] },
  'java.util.Date': { uid: 7523967970034938905n, hasWriteMethod: true, fields: [] },
  [NUMBER]: { uid: -8742448824652078965n, fields: [] },
  'java.lang.Byte': boxed(-7183698231559129828n, 'B'),
  'java.lang.Short': boxed(7515723908773894738n, 'S'),
  'java.lang.Integer': boxed(1360826667806852920n, 'I'),
  'java.lang.Long': boxed(4290774380558885855n, 'J'),
  'java.lang.Float': boxed(-2671257302660747028n, 'F'),
  'java.lang.Double': boxed(-9172774392245257468n, 'D'),
  'java.lang.Boolean': { uid: -3665804199014368530n, fields: [['Z', 'value']] },
  'java.lang.Character': { uid: 3786198910865385080n, fields: [['C', 'value']] },
  '[B': { uid: -5984413125824719648n, fields: [] },
};

const INTEGERS: Readonly<Record<string, number>> = {
  'java.lang.Byte': 8,
  'java.lang.Short': 16,
  'java.lang.Integer': 32,
};

/** The stream of the data. `stored`: what it was read from, whose classes its values keep where they can. */
export function writeJobDataMap(data: JobData, stored: ReadonlyMap<string, JavaValue>): Uint8Array {
  return new JavaStreamWriter().write(data, stored);
}

/** The class a value is written as. */
function classOf(value: JsonValue, stored: string | undefined): string {
  switch (typeof value) {
    case 'boolean':
      return 'java.lang.Boolean';
    case 'string':
      return stored !== undefined && holdsText(stored, value) ? stored : 'java.lang.String';
    case 'number':
      return stored !== undefined && holdsNumber(stored, value) ? stored : numberClass(value);
    default:
      return Array.isArray(value) ? 'java.util.ArrayList' : 'java.util.HashMap';
  }
}

function numberClass(value: number): string {
  if (holdsNumber('java.lang.Integer', value)) return 'java.lang.Integer';
  return holdsNumber('java.lang.Long', value) ? 'java.lang.Long' : 'java.lang.Double';
}

function holdsNumber(name: string, value: number): boolean {
  if (name === 'java.lang.Double') return true;
  if (name === 'java.lang.Float') return Math.fround(value) === value;
  if (Object.is(value, -0)) return false;
  if (name === 'java.lang.Long') return Number.isSafeInteger(value);
  const bits = INTEGERS[name];
  return bits !== undefined && Number.isInteger(value) && value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1);
}

/** Classes whose values are text in job data: they are kept as long as the text is still one of theirs. */
function holdsText(name: string, value: string): boolean {
  switch (name) {
    case 'java.lang.Long':
      return /^-?[1-9]\d*$/.test(value) && BigInt.asIntN(64, BigInt(value)).toString() === value;
    case 'java.lang.Character':
      return value.length === 1;
    case 'java.util.Date':
      return !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;
    case '[B':
      return Buffer.from(value, 'base64').toString('base64') === value;
    default:
      return false;
  }
}

class JavaStreamWriter {
  readonly #chunks: Buffer[] = [];
  /** Handles of classes and strings, which are written once. */
  readonly #handles = new Map<string, number>();
  #handleCount = 0;

  write(data: JobData, stored: ReadonlyMap<string, JavaValue>): Uint8Array {
    this.#bytes(Buffer.from([0xac, 0xed, 0, 5]));
    this.#beginObject('org.quartz.JobDataMap');
    // From the topmost class down: DirtyFlagMap.dirty and .map, then StringKeyDirtyFlagMap.allowsTransientData.
    // Quartz writes primitive fields before objects within a class.
    this.#uint8(0);
    this.#map(data, stored);
    this.#uint8(0);
    return Buffer.concat(this.#chunks);
  }

  #value(value: JsonValue, stored: JavaValue | undefined): void {
    if (value === null) {
      this.#uint8(0x70);
      return;
    }
    const name = classOf(value, stored?.javaClass);
    if (name === 'java.lang.String') this.#string(value as string);
    else if (name === 'java.util.ArrayList') this.#list(value as readonly JsonValue[], stored);
    else if (name === 'java.util.HashMap') this.#map(value as JobData, childrenOf(stored));
    else this.#leaf(name, value as string | number | boolean);
  }

  #map(data: JobData, stored: ReadonlyMap<string, JavaValue>): void {
    const entries = Object.entries(data);
    // Java doubles the table when three quarters are taken, and writes both.
    const capacity = Math.max(16, 2 ** Math.ceil(Math.log2(entries.length / 0.75)));
    this.#beginObject('java.util.HashMap');
    this.#number(4, (buffer) => buffer.writeFloatBE(0.75));
    this.#int32(capacity * 0.75);
    this.#block([capacity, entries.length]);
    for (const [key, value] of entries) {
      this.#string(key);
      this.#value(value, stored.get(key));
    }
    this.#uint8(0x78);
  }

  #list(values: readonly JsonValue[], stored: JavaValue | undefined): void {
    const before = Array.isArray(stored?.value) ? (stored.value as readonly JavaValue[]) : [];
    this.#beginObject('java.util.ArrayList');
    this.#int32(values.length);
    this.#block([values.length]);
    for (const [index, value] of values.entries()) this.#value(value, before[index]);
    this.#uint8(0x78);
  }

  #leaf(name: string, value: string | number | boolean): void {
    if (name === '[B') {
      const bytes = Buffer.from(String(value), 'base64');
      this.#uint8(0x75);
      this.#class(name);
      this.#handleCount += 1;
      this.#int32(bytes.length);
      this.#bytes(bytes);
      return;
    }
    this.#beginObject(name);
    if (name === 'java.util.Date') {
      this.#bytes(Buffer.from([0x77, 8]));
      this.#long(BigInt(Date.parse(String(value))));
      this.#uint8(0x78);
      return;
    }
    this.#primitive(CLASSES[name]?.fields[0]?.[0] ?? '', value);
  }

  #primitive(type: string, value: string | number | boolean): void {
    switch (type) {
      case 'Z':
        this.#uint8(value === true ? 1 : 0);
        break;
      case 'B':
        this.#uint8(Number(value) & 0xff);
        break;
      case 'C':
        this.#uint16(String(value).charCodeAt(0));
        break;
      case 'S':
        this.#uint16(Number(value) & 0xffff);
        break;
      case 'I':
        this.#int32(Number(value));
        break;
      case 'J':
        this.#long(BigInt(value));
        break;
      case 'F':
        this.#number(4, (buffer) => buffer.writeFloatBE(Number(value)));
        break;
      default:
        this.#number(8, (buffer) => buffer.writeDoubleBE(Number(value)));
    }
  }

  #beginObject(name: string): void {
    this.#uint8(0x73);
    this.#class(name);
    this.#handleCount += 1;
  }

  #class(name: string): void {
    if (this.#refersBack(`class ${name}`)) return;
    const { uid, hasWriteMethod = false, fields, parent } = CLASSES[name] as JavaClass;
    this.#uint8(0x72);
    this.#text(name);
    this.#long(uid);
    this.#handles.set(`class ${name}`, this.#handleCount++);
    this.#uint8(hasWriteMethod ? 3 : 2);
    this.#uint16(fields.length);
    for (const [type, field, objectType] of fields) {
      this.#bytes(Buffer.from(type, 'latin1'));
      this.#text(field);
      if (objectType !== undefined) this.#string(objectType);
    }
    this.#uint8(0x78);
    if (parent === undefined) this.#uint8(0x70);
    else this.#class(parent);
  }

  #string(text: string): void {
    if (this.#refersBack(`text ${text}`)) return;
    this.#handles.set(`text ${text}`, this.#handleCount++);
    const bytes = modifiedUtf8(text);
    if (bytes.length > 0xffff) {
      this.#uint8(0x7c);
      this.#long(BigInt(bytes.length));
    } else {
      this.#uint8(0x74);
      this.#uint16(bytes.length);
    }
    this.#bytes(bytes);
  }

  #text(text: string): void {
    const bytes = modifiedUtf8(text);
    this.#uint16(bytes.length);
    this.#bytes(bytes);
  }

  #block(numbers: readonly number[]): void {
    this.#bytes(Buffer.from([0x77, 4 * numbers.length]));
    for (const number of numbers) this.#int32(number);
  }

  /** Writes a reference, if that was written before. */
  #refersBack(what: string): boolean {
    const handle = this.#handles.get(what);
    if (handle === undefined) return false;
    this.#uint8(0x71);
    this.#int32(0x7e0000 + handle);
    return true;
  }

  #uint8(value: number): void {
    this.#number(1, (buffer) => buffer.writeUInt8(value));
  }

  #uint16(value: number): void {
    this.#number(2, (buffer) => buffer.writeUInt16BE(value));
  }

  #int32(value: number): void {
    this.#number(4, (buffer) => buffer.writeInt32BE(value));
  }

  #long(value: bigint): void {
    this.#number(8, (buffer) => buffer.writeBigInt64BE(value));
  }

  #number(size: number, write: (buffer: Buffer) => void): void {
    const buffer = Buffer.alloc(size);
    write(buffer);
    this.#chunks.push(buffer);
  }

  #bytes(bytes: Buffer): void {
    this.#chunks.push(bytes);
  }
}

function childrenOf(stored: JavaValue | undefined): ReadonlyMap<string, JavaValue> {
  return stored?.value instanceof Map ? (stored.value as ReadonlyMap<string, JavaValue>) : new Map();
}

/** As UTF-8, but U+0000 in two bytes and the halves of a surrogate pair one by one. */
function modifiedUtf8(text: string): Buffer {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code !== 0 && code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
    else bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
  }
  return Buffer.from(bytes);
}
