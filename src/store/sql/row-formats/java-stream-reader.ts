/*
 * A reader of the Java object serialisation stream, for the plain values that job data holds. It builds data, never
 * objects: no class is looked up and nothing is executed. A class that is not in its list ends the reading.
 */

/** What was read, with the Java class beside it, so that it can be written back as it was. */
export interface JavaValue {
  readonly javaClass: string;
  readonly value: string | number | boolean | null | readonly JavaValue[] | ReadonlyMap<string, JavaValue>;
}

/** Deeper than any job data may be. */
const DEEPEST = 40;

const TC = {
  NULL: 0x70,
  REFERENCE: 0x71,
  CLASSDESC: 0x72,
  OBJECT: 0x73,
  STRING: 0x74,
  ARRAY: 0x75,
  BLOCKDATA: 0x77,
  ENDBLOCKDATA: 0x78,
  LONGSTRING: 0x7c,
} as const;

const BASE_HANDLE = 0x7e0000;
const HAS_WRITE_METHOD = 0x01;

interface ClassDescription {
  readonly name: string;
  readonly flags: number;
  readonly fields: readonly { readonly type: string; readonly name: string }[];
  readonly parent: ClassDescription | null;
}

type Fields = Map<string, JavaValue>;
type Read = JavaValue | ClassDescription;

const NOTHING: JavaValue = { javaClass: 'null', value: null };

/** Primitive fields: how many bytes, and how they are read. */
const PRIMITIVES: Readonly<
  Record<string, (view: DataView, at: number) => { size: number; value: JavaValue['value'] }>
> = {
  B: (view, at) => ({ size: 1, value: view.getInt8(at) }),
  C: (view, at) => ({ size: 2, value: String.fromCharCode(view.getUint16(at)) }),
  D: (view, at) => ({ size: 8, value: view.getFloat64(at) }),
  F: (view, at) => ({ size: 4, value: view.getFloat32(at) }),
  I: (view, at) => ({ size: 4, value: view.getInt32(at) }),
  J: (view, at) => ({ size: 8, value: exactLong(view.getBigInt64(at)) }),
  S: (view, at) => ({ size: 2, value: view.getInt16(at) }),
  Z: (view, at) => ({ size: 1, value: view.getUint8(at) !== 0 }),
};

const BOXES: ReadonlySet<string> = new Set(
  ['Byte', 'Character', 'Double', 'Float', 'Integer', 'Long', 'Short', 'Boolean'].map((name) => `java.lang.${name}`),
);
const DIRTY_MAPS: ReadonlySet<string> = new Set([
  'org.quartz.JobDataMap',
  'org.quartz.utils.StringKeyDirtyFlagMap',
  'org.quartz.utils.DirtyFlagMap',
]);

/** Reads one object. Throws a TypeError for anything it does not know. */
export function readJavaObject(bytes: Uint8Array): JavaValue {
  return new JavaStreamReader(bytes).read();
}

/** A 64-bit integer as a number, or as text where a number would round it. */
function exactLong(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

class JavaStreamReader {
  readonly #view: DataView;
  readonly #handles: Read[] = [];
  #at = 0;
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  read(): JavaValue {
    if (this.#uint16() !== 0xaced || this.#uint16() !== 5)
      throw unknown('a stream that does not begin with AC ED 00 05');
    return this.#value();
  }

  #value(): JavaValue {
    const found = this.#content();
    if ('javaClass' in found) return found;
    throw unknown(`the class ${found.name} where a value was expected`);
  }

  #content(): Read {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw unknown(`objects nested deeper than ${DEEPEST} levels`);
    const found = this.#tagged(this.#uint8());
    this.#depth -= 1;
    return found;
  }

  #tagged(tag: number): Read {
    switch (tag) {
      case TC.NULL:
        return NOTHING;
      case TC.REFERENCE:
        return this.#referred();
      case TC.STRING:
        return this.#remember({ javaClass: 'java.lang.String', value: this.#text(this.#uint16()) });
      case TC.LONGSTRING:
        return this.#remember({
          javaClass: 'java.lang.String',
          value: this.#text(Number(this.#view.getBigUint64(this.#skip(8)))),
        });
      case TC.CLASSDESC:
        return this.#newClass();
      case TC.OBJECT:
        return this.#object();
      case TC.ARRAY:
        return this.#array();
      default:
        throw unknown(`the tag 0x${tag.toString(16)}`);
    }
  }

  #referred(): Read {
    const found = this.#handles[this.#int32() - BASE_HANDLE];
    if (found === undefined) throw unknown('a reference to something that contains it, or that is not there');
    return found;
  }

  #class(): ClassDescription | null {
    const found = this.#content();
    if (found === NOTHING) return null;
    if ('javaClass' in found) throw unknown('a value where a class was expected');
    return found;
  }

  #newClass(): ClassDescription {
    const name = this.#text(this.#uint16());
    this.#skip(8); // serialVersionUID
    const handle = this.#reserve();
    const flags = this.#uint8();
    const fields = Array.from({ length: this.#uint16() }, () => {
      const type = String.fromCharCode(this.#uint8());
      const field = this.#text(this.#uint16());
      if (type === 'L' || type === '[') this.#content();
      return { type, name: field };
    });
    if (this.#uint8() !== TC.ENDBLOCKDATA) throw unknown(`annotations of the class ${name}`);
    const description = { name, flags, fields, parent: this.#class() };
    this.#handles[handle] = description;
    return description;
  }

  #object(): JavaValue {
    const description = this.#class();
    if (description === null) throw unknown('an object without a class');
    const handle = this.#reserve();
    const value = { javaClass: description.name, value: this.#contentsOf(description) };
    this.#handles[handle] = value;
    return value;
  }

  #contentsOf(description: ClassDescription): JavaValue['value'] {
    const { name } = description;
    const fields: Fields = new Map();
    const written = this.#classData(description, fields);
    if (written !== null) return written;
    if (BOXES.has(name)) return fields.get('value')?.value ?? null;
    if (DIRTY_MAPS.has(name)) return fields.get('map')?.value ?? null;
    if (name === 'java.util.Arrays$ArrayList') return fields.get('a')?.value ?? null;
    throw unknown(`an object of the class ${name}`);
  }

  /** The fields of a class and those above it, from the top as they were written; what a class wrote by itself, else null. */
  #classData(description: ClassDescription, fields: Fields): JavaValue['value'] {
    const { parent, flags, name } = description;
    let written = parent === null ? null : this.#classData(parent, fields);
    for (const field of description.fields) fields.set(field.name, this.#field(field.type));
    if ((flags & HAS_WRITE_METHOD) !== 0) {
      written = this.#written(name, fields);
      if (this.#uint8() !== TC.ENDBLOCKDATA) throw unknown(`more than was expected of the class ${name}`);
    }
    return written;
  }

  /** What the class's own write method put behind its fields. */
  #written(name: string, fields: Fields): JavaValue['value'] {
    switch (name) {
      case 'java.util.HashMap':
      case 'java.util.Hashtable':
        return this.#entries(this.#view.getInt32(this.#block(8) + 4));
      case 'java.util.ArrayList':
        this.#block(4);
        return this.#elements(Number(fields.get('size')?.value));
      case 'java.util.LinkedList':
        return this.#elements(this.#view.getInt32(this.#block(4)));
      case 'java.util.HashSet':
        return this.#elements(this.#view.getInt32(this.#block(12) + 8));
      case 'java.util.Date':
        return new Date(Number(this.#view.getBigInt64(this.#block(8)))).toISOString();
      default:
        throw unknown(`an object of the class ${name}`);
    }
  }

  #field(type: string): JavaValue {
    const read = PRIMITIVES[type];
    if (read === undefined) return this.#value();
    const { size, value } = read(this.#view, this.#at);
    this.#skip(size);
    return { javaClass: type, value };
  }

  #array(): JavaValue {
    const description = this.#class();
    const handle = this.#reserve();
    const length = this.#checked(this.#int32());
    const value = { javaClass: description?.name ?? '', value: this.#arrayContents(description?.name ?? '', length) };
    this.#handles[handle] = value;
    return value;
  }

  #arrayContents(name: string, length: number): JavaValue['value'] {
    if (name === '[B') {
      const from = this.#skip(length);
      // The bytes lie in a buffer that other rows share: beyond the end is what nobody asked for.
      if (this.#at > this.#view.byteLength) throw unknown('bytes beyond its end');
      return Buffer.from(this.#view.buffer, this.#view.byteOffset + from, length).toString('base64');
    }
    const type = name.charAt(1);
    if (!name.startsWith('[') || (type !== 'L' && PRIMITIVES[type] === undefined))
      throw unknown(`an array of the class ${name}`);
    return Array.from({ length }, () => this.#field(type));
  }

  /** Where the block of that many bytes begins with which a collection's elements are announced. */
  #block(size: number): number {
    if (this.#uint8() !== TC.BLOCKDATA || this.#uint8() !== size) throw unknown('a collection written in another way');
    return this.#skip(size);
  }

  #entries(count: number): ReadonlyMap<string, JavaValue> {
    const entries = new Map<string, JavaValue>();
    for (let left = this.#checked(count); left > 0; left--) {
      const key = this.#value();
      if (typeof key.value !== 'string') throw unknown(`a key of the class ${key.javaClass}`);
      entries.set(key.value, this.#value());
    }
    return entries;
  }

  #elements(count: number): readonly JavaValue[] {
    return Array.from({ length: this.#checked(count) }, () => this.#value());
  }

  /** A count is believed only as far as the stream can hold that many: each takes a byte at least. */
  #checked(count: number): number {
    if (count >= 0 && count <= this.#view.byteLength) return count;
    throw unknown(`a collection of ${count} elements`);
  }

  /** Modified UTF-8: as UTF-8, but U+0000 in two bytes and surrogates one by one. */
  #text(length: number): string {
    const end = this.#at + length;
    if (end > this.#view.byteLength) throw unknown('text beyond its end');
    let text = '';
    while (this.#at < end) text += String.fromCharCode(this.#character());
    return text;
  }

  #character(): number {
    const first = this.#uint8();
    if (first < 0x80) return first;
    if ((first & 0xe0) === 0xc0) return ((first & 0x1f) << 6) | (this.#uint8() & 0x3f);
    return ((first & 0x0f) << 12) | ((this.#uint8() & 0x3f) << 6) | (this.#uint8() & 0x3f);
  }

  /** A handle is given out before the contents are read; until then nothing may refer to it. */
  #reserve(): number {
    return this.#handles.push(undefined as unknown as Read) - 1;
  }

  #remember(value: JavaValue): JavaValue {
    this.#handles.push(value);
    return value;
  }

  #uint8(): number {
    return this.#view.getUint8(this.#skip(1));
  }

  #uint16(): number {
    return this.#view.getUint16(this.#skip(2));
  }

  #int32(): number {
    return this.#view.getInt32(this.#skip(4));
  }

  /** Moves on; where it was. A read beyond the end is a RangeError of DataView. */
  #skip(size: number): number {
    const from = this.#at;
    this.#at += size;
    return from;
  }
}

function unknown(what: string): TypeError {
  return new TypeError(`Java-serialised data holds ${what}, which is not read here.`);
}
