import type { JsonValue } from '../domain/job-data';
import { notRead, shownClass } from './java-input';
import { decodeModifiedUtf8 } from './modified-utf8';
import { viewOf } from './primitives';
import type {
  JavaBlock,
  JavaClass,
  JavaContent,
  JavaFieldValue,
  JavaNode,
  JavaObject,
  JavaPart,
} from './stream-format';

/*
 * What a node holds, as plain data sees it. `with` makes the same node with other contents: null when its class cannot hold them, or when
 * nobody here knows how to write it.
 */

export type JavaEntry = readonly [key: JavaNode, value: JavaNode];

export interface ScalarShape {
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

/** A wrapper: what it wraps says everything. */
export interface WrapperShape {
  readonly is: 'wrapper';
  readonly inner: JavaNode;
  readonly with: (inner: JavaNode) => JavaNode | null;
}

export type Shape = ScalarShape | ListShape | MapShape | WrapperShape;

/** How the objects of one class are taken apart. */
export type ShapeReader = (object: JavaObject, className: string) => Shape;

export function classNameOf(node: JavaNode): string {
  if (node.kind === 'string') return 'java.lang.String';
  return node.kind === 'null' ? 'null' : node.type.name;
}

export function textOf(node: JavaFieldValue | undefined): string {
  if (node === undefined || node instanceof Uint8Array || node.kind !== 'string')
    throw notRead('something else where text was expected');
  return decodeModifiedUtf8(node.bytes);
}

/** What a class of the object wrote. */
export function partOf(object: JavaObject, className: string): JavaPart {
  const part = object.parts.find(({ type }) => type.name === className);
  if (part === undefined) throw malformed(object);
  return part;
}

export function fieldOf(object: JavaObject, className: string, name: string): JavaFieldValue {
  const part = partOf(object, className);
  const value = part.fields[indexOf(part.type, name)];
  if (value === undefined) throw malformed(object);
  return value;
}

export function nodeOf(object: JavaObject, className: string, name: string): JavaNode {
  const value = fieldOf(object, className, name);
  if (value instanceof Uint8Array) throw malformed(object);
  return value;
}

/** The bytes of a primitive field of that size. */
export function bytesOf(object: JavaObject, className: string, name: string, size: number): Uint8Array {
  const value = fieldOf(object, className, name);
  if (!(value instanceof Uint8Array) || value.length !== size) throw malformed(object);
  return value;
}

export function intOf(object: JavaObject, className: string, name: string): number {
  return viewOf(bytesOf(object, className, name, 4)).getInt32(0);
}

export function writtenBy(object: JavaObject, className: string): readonly JavaContent[] {
  const { written } = partOf(object, className);
  if (written === null) throw malformed(object);
  return written;
}

/** A block of that many bytes at least. */
export function blockIn(object: JavaObject, contents: readonly JavaContent[], index: number, size: number): JavaBlock {
  const block = contents[index];
  if (block === undefined || block.kind !== 'block' || block.bytes.length < size) throw malformed(object);
  return block;
}

/** The object with what one of its classes wrote replaced. */
export function withPart(
  object: JavaObject,
  className: string,
  change: (part: JavaPart) => Partial<JavaPart>,
): JavaObject {
  const parts = object.parts.map((part) => (part.type.name === className ? { ...part, ...change(part) } : part));
  return pointingAtItself({ ...object, parts }, object);
}

/** The fields of a part with one replaced. */
export function withField({ type, fields }: JavaPart, name: string, value: JavaFieldValue): readonly JavaFieldValue[] {
  const index = indexOf(type, name);
  return fields.map((field, at) => (at === index ? value : field));
}

/** The object with one node replaced by another wherever a field holds it. */
export function withNode(object: JavaObject, before: JavaNode, after: JavaNode): JavaObject {
  const replaced = (field: JavaFieldValue) => (field === before ? after : field);
  const parts = object.parts.map((part) => ({ ...part, fields: part.fields.map(replaced) }));
  return pointingAtItself({ ...object, parts }, object);
}

export function malformed({ type }: { readonly type: JavaClass }): TypeError {
  return notRead(`an object of the class ${shownClass(type.name)} written in another way`);
}

/** A synchronised collection locks itself: that field must not keep the object as it was. */
function pointingAtItself(
  made: { readonly kind: 'object'; readonly type: JavaClass; readonly parts: JavaPart[] },
  before: JavaObject,
): JavaObject {
  made.parts.forEach((part, index) => {
    if (!part.fields.includes(before)) return;
    made.parts[index] = { ...part, fields: part.fields.map((field) => (field === before ? made : field)) };
  });
  return made;
}

function indexOf({ fields }: JavaClass, name: string): number {
  return fields.findIndex((field) => field.name === name);
}
