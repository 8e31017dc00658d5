import type { JobData, JsonValue } from '../../../domain/job-data';
import { CLASSES, classOf, type JavaClass } from './java-classes';
import { BASE_HANDLE, type JavaValue, MAGIC, SC, TC, VERSION } from './java-stream-format';

/*
 * Writes job data as the Java object serialisation stream of a JobDataMap, which Java nodes read.
 */

/** The stream of the data. `stored`: what it was read from, whose classes its values keep where they can. */
export function writeJobDataMap(data: JobData, stored: ReadonlyMap<string, JavaValue>): Uint8Array {
  return new JavaStreamWriter().write(data, stored);
}

class JavaStreamWriter {
  readonly #chunks: Buffer[] = [];
  /** Handles of classes and strings, which are written once. */
  readonly #handles = new Map<string, number>();
  #handleCount = 0;

  write(data: JobData, stored: ReadonlyMap<string, JavaValue>): Uint8Array {
    this.#uint16(MAGIC);
    this.#uint16(VERSION);
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
      this.#uint8(TC.NULL);
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
    this.#uint8(TC.ENDBLOCKDATA);
  }

  #list(values: readonly JsonValue[], stored: JavaValue | undefined): void {
    const before = Array.isArray(stored?.value) ? (stored.value as readonly JavaValue[]) : [];
    this.#beginObject('java.util.ArrayList');
    this.#int32(values.length);
    this.#block([values.length]);
    for (const [index, value] of values.entries()) this.#value(value, before[index]);
    this.#uint8(TC.ENDBLOCKDATA);
  }

  #leaf(name: string, value: string | number | boolean): void {
    if (name === '[B') {
      const bytes = Buffer.from(String(value), 'base64');
      this.#uint8(TC.ARRAY);
      this.#class(name);
      this.#handleCount += 1;
      this.#int32(bytes.length);
      this.#bytes(bytes);
      return;
    }
    this.#beginObject(name);
    if (name === 'java.util.Date') {
      this.#bytes(Buffer.from([TC.BLOCKDATA, 8]));
      this.#long(BigInt(Date.parse(String(value))));
      this.#uint8(TC.ENDBLOCKDATA);
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
    this.#uint8(TC.OBJECT);
    this.#class(name);
    this.#handleCount += 1;
  }

  #class(name: string): void {
    if (this.#refersBack(`class ${name}`)) return;
    const { uid, hasWriteMethod = false, fields, parent } = CLASSES[name] as JavaClass;
    this.#uint8(TC.CLASSDESC);
    this.#text(name);
    this.#long(uid);
    this.#handles.set(`class ${name}`, this.#handleCount++);
    this.#uint8(SC.SERIALIZABLE | (hasWriteMethod ? SC.WRITE_METHOD : 0));
    this.#uint16(fields.length);
    for (const [type, field, objectType] of fields) {
      this.#bytes(Buffer.from(type, 'latin1'));
      this.#text(field);
      if (objectType !== undefined) this.#string(objectType);
    }
    this.#uint8(TC.ENDBLOCKDATA);
    if (parent === undefined) this.#uint8(TC.NULL);
    else this.#class(parent);
  }

  #string(text: string): void {
    if (this.#refersBack(`text ${text}`)) return;
    this.#handles.set(`text ${text}`, this.#handleCount++);
    const bytes = modifiedUtf8(text);
    if (bytes.length > 0xffff) {
      this.#uint8(TC.LONGSTRING);
      this.#long(BigInt(bytes.length));
    } else {
      this.#uint8(TC.STRING);
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
    this.#bytes(Buffer.from([TC.BLOCKDATA, 4 * numbers.length]));
    for (const number of numbers) this.#int32(number);
  }

  /** Writes a reference, if that was written before. */
  #refersBack(what: string): boolean {
    const handle = this.#handles.get(what);
    if (handle === undefined) return false;
    this.#uint8(TC.REFERENCE);
    this.#int32(BASE_HANDLE + handle);
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
