import { encodeModifiedUtf8, int32, int64, writePrimitives } from './java-bytes';
import {
  JAVA_NULL,
  type JavaArray,
  type JavaClass,
  type JavaContent,
  type JavaField,
  type JavaFieldValue,
  type JavaNode,
  type JavaObject,
  type JavaString,
  SC,
} from './stream-format';

/* Describes Java classes and makes objects of them, for values that no stored object provides as an example. */

interface ClassForm {
  readonly uid: bigint;
  /** Fields in Java's order: primitives first, each group sorted by name. A type is a letter, or the class name of an object or array. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly parent?: JavaClass;
  /** True if the class writes content of its own after its fields. */
  readonly writes?: boolean;
}

export function javaClass(name: string, { uid, fields = {}, parent, writes = false }: ClassForm): JavaClass {
  return {
    kind: 'class',
    name,
    uid,
    flags: SC.SERIALIZABLE | (writes ? SC.WRITE_METHOD : 0),
    fields: Object.entries(fields).map(([field, type]) => fieldOf(field, type)),
    parent: parent ?? null,
  };
}

function fieldOf(name: string, type: string): JavaField {
  if (type.length === 1) return { type, name, signature: null };
  if (type.startsWith('[')) return { type: '[', name, signature: sharedText(type) };
  return { type: 'L', name, signature: sharedText(`L${type.replaceAll('.', '/')};`) };
}

/** Signatures of equal types are one node, which a stream contains once. */
const signatures = new Map<string, JavaString>();

function sharedText(text: string): JavaString {
  const made = signatures.get(text) ?? javaText(text);
  signatures.set(text, made);
  return made;
}

export function javaText(text: string): JavaString {
  const bytes = encodeModifiedUtf8(text);
  return { kind: 'string', bytes, isLong: bytes.length > 0xffff };
}

/** Value of a field: a number or boolean for a primitive, otherwise a node. */
export type FieldValue = number | boolean | JavaNode;

/** Makes an object from the fields of its class and superclasses, whose names must differ. `written`: content by the name of the class that writes it. */
export function javaObject(
  type: JavaClass,
  values: Readonly<Record<string, FieldValue>>,
  written: Readonly<Record<string, readonly JavaContent[]>> = {},
): JavaObject {
  const lineage: JavaClass[] = [];
  for (let each: JavaClass | null = type; each !== null; each = each.parent) lineage.unshift(each);
  const parts = lineage.map((each) => ({
    type: each,
    fields: each.fields.map((field) => fieldValue(field, values[field.name])),
    written: (each.flags & SC.WRITE_METHOD) === 0 ? null : (written[each.name] ?? []),
  }));
  return { kind: 'object', type, parts };
}

function fieldValue({ type, name }: JavaField, value: FieldValue | undefined): JavaFieldValue {
  if (value === undefined) throw new TypeError(`Expected a value for the field ${name}.`);
  if (typeof value === 'object') return value;
  return primitives(type, [value]);
}

function primitives(type: string, values: readonly (number | boolean)[]): Buffer {
  const bytes = writePrimitives(type, values);
  if (bytes === null) throw new TypeError(`Expected values of the Java type ${type}, found ${values.join(', ')}.`);
  return bytes;
}

/** serialVersionUIDs of Java's arrays of primitives. */
const ARRAYS = { '[I': 5600894804908749477n, '[J': 8655923659555304851n, '[Z': 6309297032502205922n } as const;
const ARRAY_CLASSES = new Map(Object.entries(ARRAYS).map(([name, uid]) => [name, javaClass(name, { uid })]));

export function javaArray(name: '[I' | '[Z', values: readonly (number | boolean)[]): JavaArray {
  return arrayOf(name, primitives(name.charAt(1), values), values.length);
}

export function javaLongs(values: readonly bigint[]): JavaArray {
  return arrayOf('[J', Buffer.concat(values.map(int64)), values.length);
}

function arrayOf(name: keyof typeof ARRAYS, elements: Buffer, length: number): JavaArray {
  return { kind: 'array', type: ARRAY_CLASSES.get(name) as JavaClass, elements, length };
}

/** Content of a collection: the number of elements, then the elements. */
export function countBlock(count: number): JavaContent {
  return { kind: 'block', bytes: int32(count), isLong: false };
}

export function orNull<Value>(value: Value | null, node: (value: Value) => JavaNode): JavaNode {
  return value === null ? JAVA_NULL : node(value);
}
