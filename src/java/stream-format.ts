/*
 * Constants and nodes of a Java object serialisation stream. The names are from the chapter "Object Serialization Stream Protocol" of Java's
 * specification. A node represents what the stream contains, without interpreting its class.
 */

export const MAGIC = 0xaced;
export const VERSION = 5;

/** Tags: first byte of each content element. */
export const TC = {
  NULL: 0x70,
  REFERENCE: 0x71,
  CLASSDESC: 0x72,
  OBJECT: 0x73,
  STRING: 0x74,
  ARRAY: 0x75,
  CLASS: 0x76,
  BLOCKDATA: 0x77,
  ENDBLOCKDATA: 0x78,
  BLOCKDATALONG: 0x7a,
  LONGSTRING: 0x7c,
  ENUM: 0x7e,
} as const;

/** Flags of a class description. */
export const SC = { WRITE_METHOD: 0x01, SERIALIZABLE: 0x02, EXTERNALIZABLE: 0x04, BLOCK_DATA: 0x08 } as const;

/** Handle of the first node, from which handles are numbered. */
export const BASE_HANDLE = 0x7e0000;

/** Maximum nesting depth, of nodes in the stream and of values in the data. Real job data is nested less deeply. */
export const DEEPEST = 40;

export interface JavaClass {
  readonly kind: 'class';
  readonly name: string;
  /** serialVersionUID of the class. */
  readonly uid: bigint;
  readonly flags: number;
  readonly fields: readonly JavaField[];
  readonly parent: JavaClass | null;
}

export interface JavaField {
  /** Type code. `L` is an object, `[` an array, any other letter a primitive. */
  readonly type: string;
  readonly name: string;
  /** Name of the class of an object or array, as in the stream. Null for a primitive. */
  readonly signature: JavaString | null;
}

export interface JavaString {
  readonly kind: 'string';
  /** Bytes of the string in modified UTF-8, as in the stream. */
  readonly bytes: Uint8Array;
  readonly isLong: boolean;
}

export interface JavaObject {
  readonly kind: 'object';
  readonly type: JavaClass;
  /** Data that each class of the object wrote, in order from the topmost superclass. */
  readonly parts: readonly JavaPart[];
}

export type JavaFieldValue = Buffer | JavaNode;

export interface JavaPart {
  readonly type: JavaClass;
  readonly fields: readonly JavaFieldValue[];
  /** Content that the class's `writeObject` method wrote after the fields. Null if the class has no such method. */
  readonly written: readonly JavaContent[] | null;
}

/** Bytes that a class's `writeObject` method wrote. */
export interface JavaBlock {
  readonly kind: 'block';
  readonly bytes: Buffer;
  readonly isLong: boolean;
}

export type JavaContent = JavaBlock | JavaNode;

export interface JavaArray {
  readonly kind: 'array';
  readonly type: JavaClass;
  /** For primitives, the bytes of all elements. */
  readonly elements: Buffer | readonly JavaNode[];
  readonly length: number;
}

export interface JavaEnum {
  readonly kind: 'enum';
  readonly type: JavaClass;
  readonly constant: JavaString;
}

/** A class as a value, such as `String.class`. */
interface JavaClassValue {
  readonly kind: 'classValue';
  readonly type: JavaClass;
}

export type JavaNode = typeof JAVA_NULL | JavaString | JavaObject | JavaArray | JavaEnum | JavaClassValue;

export const JAVA_NULL = { kind: 'null' } as const;
