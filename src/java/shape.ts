import type { JsonValue } from '../domain/job-data';
import { decodeModifiedUtf8, notRead, shownClass } from './java-bytes';
import type { JavaClass, JavaContent, JavaFieldValue, JavaNode, JavaObject, JavaPart } from './stream-format';

/* Content of a node as plain data. `with` returns a copy with other content, or null if the class cannot represent it; absent if always fixed. */

export type JavaEntry = readonly [key: JavaNode, value: JavaNode];

interface ScalarShape {
  readonly is: 'scalar';
  readonly value: JsonValue;
  readonly with?: (value: JsonValue) => JavaNode | null;
}

export interface ListShape {
  readonly is: 'list';
  readonly elements: readonly JavaNode[];
  readonly with?: (elements: readonly JavaNode[]) => JavaNode | null;
}

export interface MapShape {
  readonly is: 'map';
  readonly entries: readonly JavaEntry[];
  readonly with?: (entries: readonly JavaEntry[]) => JavaNode | null;
}

/** Object that has the same content as one of its fields. */
interface WrapperShape {
  readonly is: 'wrapper';
  readonly inner: JavaNode;
  readonly with: (inner: JavaNode) => JavaNode;
}

export type Shape = ScalarShape | ListShape | MapShape | WrapperShape;

export type ShapeReader = (part: ClassPart) => Shape;

/** Data that one class of an object wrote. The methods throw a TypeError if a field or content is missing or malformed. */
export class ClassPart {
  readonly #object: JavaObject;
  readonly #part: JavaPart;

  constructor(object: JavaObject, className: string) {
    const part = object.parts.find(({ type }) => type.name === className);
    if (part === undefined) throw malformed(object);
    this.#object = object;
    this.#part = part;
  }

  /** Returns the data that another class wrote for the same object. */
  of(className: string): ClassPart {
    return new ClassPart(this.#object, className);
  }

  node(name: string): JavaNode {
    const value = this.#field(name);
    return Buffer.isBuffer(value) ? this.fail() : value;
  }

  /** Returns the bytes of a primitive field. Throws a TypeError unless the field has this size. */
  bytes(name: string, size: number): Buffer {
    const value = this.#field(name);
    return Buffer.isBuffer(value) && value.length === size ? value : this.fail();
  }

  int(name: string): number {
    return this.bytes(name, 4).readInt32BE();
  }

  text(name: string): string {
    return textOf(this.node(name));
  }

  /** Content that the `writeObject` method of the class wrote. */
  get written(): readonly JavaContent[] {
    return this.#part.written ?? this.fail();
  }

  /** Returns the first block that `writeObject` wrote. Throws a TypeError unless the content starts with a block of at least `size` bytes. */
  block(size: number): Buffer {
    const [block] = this.written;
    return block?.kind === 'block' && block.bytes.length >= size ? block.bytes : this.fail();
  }

  /** Copies the object with different fields or content of this class. Fields that refer to the object itself refer to the copy. */
  with(fields: Readonly<Record<string, JavaFieldValue>>, written = this.#part.written): JavaObject {
    const parts: JavaPart[] = [];
    const copy: JavaObject = { kind: 'object', type: this.#object.type, parts };
    const changes = Object.entries(fields).map(([name, value]) => [this.#field(name), value] as const);
    const replaced = new Map<JavaFieldValue, JavaFieldValue>([...changes, [this.#object, copy]]);
    for (const part of this.#object.parts) {
      const kept = part.fields.map((field) => replaced.get(field) ?? field);
      parts.push({ ...part, fields: kept, written: part === this.#part ? written : part.written });
    }
    return copy;
  }

  fail(): never {
    throw malformed(this.#object);
  }

  #field(name: string): JavaFieldValue {
    const { type, fields } = this.#part;
    return fields[type.fields.findIndex((field) => field.name === name)] ?? this.fail();
  }
}

export function classNameOf(node: JavaNode): string {
  if (node.kind === 'string') return 'java.lang.String';
  return node.kind === 'null' ? 'null' : node.type.name;
}

export function textOf(node: JavaNode): string {
  if (node.kind !== 'string') throw notRead('another value where text was expected');
  return decodeModifiedUtf8(node.bytes);
}

function malformed({ type }: { readonly type: JavaClass }): TypeError {
  return notRead(`an object of the class ${shownClass(type.name)} in an unknown format`);
}
