import { JavaInput, notRead } from './java-input';
import { BASE_HANDLE, type JavaValue, MAGIC, SC, TC, VERSION } from './java-stream-format';

/*
 * A reader of the Java object serialisation stream, for the plain values that job data holds. It builds data, never
 * objects: no class is looked up and nothing is executed. A class that is not in its list ends the reading.
 */

/** Deeper than any job data may be. */
const DEEPEST = 40;

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
  readonly #input: JavaInput;
  readonly #handles: Read[] = [];
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#input = new JavaInput(bytes);
  }

  read(): JavaValue {
    if (this.#input.uint16() !== MAGIC || this.#input.uint16() !== VERSION)
      throw notRead('a stream that does not begin with AC ED 00 05');
    return this.#value();
  }

  #value(): JavaValue {
    const found = this.#content();
    if ('javaClass' in found) return found;
    throw notRead(`the class ${found.name} where a value was expected`);
  }

  #content(): Read {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw notRead(`objects nested deeper than ${DEEPEST} levels`);
    const found = this.#tagged(this.#input.uint8());
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
        return this.#remember({ javaClass: 'java.lang.String', value: this.#input.text(this.#input.uint16()) });
      case TC.LONGSTRING:
        return this.#remember({
          javaClass: 'java.lang.String',
          value: this.#input.text(Number(this.#input.uint64())),
        });
      case TC.CLASSDESC:
        return this.#newClass();
      case TC.OBJECT:
        return this.#object();
      case TC.ARRAY:
        return this.#array();
      default:
        throw notRead(`the tag 0x${tag.toString(16)}`);
    }
  }

  #referred(): Read {
    const found = this.#handles[this.#input.int32() - BASE_HANDLE];
    if (found === undefined) throw notRead('a reference to something that contains it, or that is not there');
    return found;
  }

  #class(): ClassDescription | null {
    const found = this.#content();
    if (found === NOTHING) return null;
    if ('javaClass' in found) throw notRead('a value where a class was expected');
    return found;
  }

  #newClass(): ClassDescription {
    const name = this.#input.text(this.#input.uint16());
    this.#input.skip(8); // serialVersionUID
    const handle = this.#reserve();
    const flags = this.#input.uint8();
    const fields = Array.from({ length: this.#input.uint16() }, () => {
      const type = String.fromCharCode(this.#input.uint8());
      const field = this.#input.text(this.#input.uint16());
      if (type === 'L' || type === '[') this.#content();
      return { type, name: field };
    });
    if (this.#input.uint8() !== TC.ENDBLOCKDATA) throw notRead(`annotations of the class ${name}`);
    const description = { name, flags, fields, parent: this.#class() };
    this.#handles[handle] = description;
    return description;
  }

  #object(): JavaValue {
    const description = this.#class();
    if (description === null) throw notRead('an object without a class');
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
    throw notRead(`an object of the class ${name}`);
  }

  /** The fields of a class and those above it, from the top as they were written; what a class wrote by itself, else null. */
  #classData(description: ClassDescription, fields: Fields): JavaValue['value'] {
    const { parent, flags, name } = description;
    let written = parent === null ? null : this.#classData(parent, fields);
    for (const field of description.fields) fields.set(field.name, this.#field(field.type));
    if ((flags & SC.WRITE_METHOD) !== 0) {
      written = this.#written(name, fields);
      if (this.#input.uint8() !== TC.ENDBLOCKDATA) throw notRead(`more than was expected of the class ${name}`);
    }
    return written;
  }

  /** What the class's own write method put behind its fields. */
  #written(name: string, fields: Fields): JavaValue['value'] {
    switch (name) {
      case 'java.util.HashMap':
      case 'java.util.Hashtable':
        return this.#entries(this.#input.view.getInt32(this.#block(8) + 4));
      case 'java.util.ArrayList':
        this.#block(4);
        return this.#elements(Number(fields.get('size')?.value));
      case 'java.util.LinkedList':
        return this.#elements(this.#input.view.getInt32(this.#block(4)));
      case 'java.util.HashSet':
        return this.#elements(this.#input.view.getInt32(this.#block(12) + 8));
      case 'java.util.Date':
        return new Date(Number(this.#input.view.getBigInt64(this.#block(8)))).toISOString();
      default:
        throw notRead(`an object of the class ${name}`);
    }
  }

  #field(type: string): JavaValue {
    const read = PRIMITIVES[type];
    if (read === undefined) return this.#value();
    const { size, value } = read(this.#input.view, this.#input.at);
    this.#input.skip(size);
    return { javaClass: type, value };
  }

  #array(): JavaValue {
    const description = this.#class();
    const handle = this.#reserve();
    const length = this.#checked(this.#input.int32());
    const value = { javaClass: description?.name ?? '', value: this.#arrayContents(description?.name ?? '', length) };
    this.#handles[handle] = value;
    return value;
  }

  #arrayContents(name: string, length: number): JavaValue['value'] {
    if (name === '[B') return this.#input.bytes(length);
    const type = name.charAt(1);
    if (!name.startsWith('[') || (type !== 'L' && PRIMITIVES[type] === undefined))
      throw notRead(`an array of the class ${name}`);
    return Array.from({ length }, () => this.#field(type));
  }

  /** Where the block of that many bytes begins with which a collection's elements are announced. */
  #block(size: number): number {
    if (this.#input.uint8() !== TC.BLOCKDATA || this.#input.uint8() !== size)
      throw notRead('a collection written in another way');
    return this.#input.skip(size);
  }

  #entries(count: number): ReadonlyMap<string, JavaValue> {
    const entries = new Map<string, JavaValue>();
    for (let left = this.#checked(count); left > 0; left--) {
      const key = this.#value();
      if (typeof key.value !== 'string') throw notRead(`a key of the class ${key.javaClass}`);
      entries.set(key.value, this.#value());
    }
    return entries;
  }

  #elements(count: number): readonly JavaValue[] {
    return Array.from({ length: this.#checked(count) }, () => this.#value());
  }

  /** A count is believed only as far as the stream can hold that many: each takes a byte at least. */
  #checked(count: number): number {
    if (count >= 0 && count <= this.#input.view.byteLength) return count;
    throw notRead(`a collection of ${count} elements`);
  }

  /** A handle is given out before the contents are read; until then nothing may refer to it. */
  #reserve(): number {
    return this.#handles.push(undefined as unknown as Read) - 1;
  }

  #remember(value: JavaValue): JavaValue {
    this.#handles.push(value);
    return value;
  }
}
