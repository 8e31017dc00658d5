/*
 * Constants and nodes of a Java object serialisation stream, for reading and writing. The names are those in the
 * chapter "Object Serialization Stream Protocol" of Java's specification. A node represents the content of the stream,
 * whatever its class means.
 */

/** Start of a stream: AC ED, followed by the version. */
export const MAGIC = 0xaced;
export const VERSION = 5;

/** First byte of each content element. */
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

/** Class flags. */
export const SC = { WRITE_METHOD: 0x01, SERIALIZABLE: 0x02, EXTERNALIZABLE: 0x04, BLOCK_DATA: 0x08 } as const;

/** Number of the first node, for references. */
export const BASE_HANDLE = 0x7e0000;

/** Maximum nesting of nodes in the stream, and of values in them. No real job data is nested as deeply. */
export const DEEPEST = 40;

/** A class description in the stream. */
export interface JavaClass {
  readonly kind: 'class';
  readonly name: string;
  /** The serialVersionUID. */
  readonly uid: bigint;
  readonly flags: number;
  readonly fields: readonly JavaField[];
  readonly parent: JavaClass | null;
}

export interface JavaField {
  /** Type code of one letter. `L` means an object and `[` an array. */
  readonly type: string;
  readonly name: string;
  /** Class of an object or array. */
  readonly signature: JavaString | null;
}

export interface JavaString {
  readonly kind: 'string';
  /** Text in modified UTF-8, as in the stream. */
  readonly bytes: Uint8Array;
  readonly isLong: boolean;
}

export interface JavaObject {
  readonly kind: 'object';
  readonly type: JavaClass;
  /** Data that each class of the object wrote, the topmost class first. */
  readonly parts: readonly JavaPart[];
}

/** The bytes of a primitive field, or an object. */
export type JavaFieldValue = Buffer | JavaNode;

export interface JavaPart {
  readonly type: JavaClass;
  readonly fields: readonly JavaFieldValue[];
  /** Content that the class wrote after the fields with its own method; null if it has no such method. */
  readonly written: readonly JavaContent[] | null;
}

/** Bytes that a class wrote with its own method. */
export interface JavaBlock {
  readonly kind: 'block';
  readonly bytes: Buffer;
  readonly isLong: boolean;
}

export type JavaContent = JavaBlock | JavaNode;

export interface JavaArray {
  readonly kind: 'array';
  readonly type: JavaClass;
  /** For primitives, their bytes. */
  readonly elements: Buffer | readonly JavaNode[];
  readonly length: number;
}

export interface JavaEnum {
  readonly kind: 'enum';
  readonly type: JavaClass;
  readonly constant: JavaString;
}

/** A class as a value, such as `String.class`. */
export interface JavaClassValue {
  readonly kind: 'classValue';
  readonly type: JavaClass;
}

export type JavaNode = typeof JAVA_NULL | JavaString | JavaObject | JavaArray | JavaEnum | JavaClassValue;

export const JAVA_NULL = { kind: 'null' } as const;
