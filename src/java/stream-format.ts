/*
 * What the two directions of the Java object serialisation stream share: its marks, as the chapter "Object Serialization Stream Protocol"
 * of Java's specification names them, and the nodes that a stream is made of. Nodes know no class: they are what the stream says.
 */

/** AC ED, and the version. */
export const MAGIC = 0xaced;
export const VERSION = 5;

/** What begins each piece of content. */
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

/** Flags of a class. */
export const SC = {
  WRITE_METHOD: 0x01,
  SERIALIZABLE: 0x02,
  EXTERNALIZABLE: 0x04,
  BLOCK_DATA: 0x08,
  ENUM: 0x10,
} as const;

/** The number of the first thing that may be referred to. */
export const BASE_HANDLE = 0x7e0000;

/** A class as the stream announces it. */
export interface JavaClass {
  readonly kind: 'class';
  readonly name: string;
  readonly uid: bigint;
  readonly flags: number;
  readonly fields: readonly JavaField[];
  readonly parent: JavaClass | null;
}

export interface JavaField {
  /** One letter; `L` and `[` are objects and arrays. */
  readonly type: string;
  readonly name: string;
  /** The class of an object or array. */
  readonly signature: JavaString | null;
}

export interface JavaNull {
  readonly kind: 'null';
}

export interface JavaString {
  readonly kind: 'string';
  /** Modified UTF-8, as it stands in the stream. */
  readonly bytes: Uint8Array;
  readonly isLong: boolean;
}

export interface JavaObject {
  readonly kind: 'object';
  readonly type: JavaClass;
  /** What each class of the object wrote, the topmost one first. */
  readonly parts: readonly JavaPart[];
}

/** The bytes of a primitive field, or an object. */
export type JavaFieldValue = Uint8Array | JavaNode;

export interface JavaPart {
  readonly type: JavaClass;
  readonly fields: readonly JavaFieldValue[];
  /** What the class wrote by itself behind its fields; null when it has no such method. */
  readonly written: readonly JavaContent[] | null;
}

/** Bytes that a class wrote by itself. */
export interface JavaBlock {
  readonly kind: 'block';
  readonly bytes: Uint8Array;
  readonly isLong: boolean;
}

export type JavaContent = JavaBlock | JavaNode;

export interface JavaArray {
  readonly kind: 'array';
  readonly type: JavaClass;
  /** Of primitives: their bytes. */
  readonly elements: Uint8Array | readonly JavaNode[];
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

export type JavaNode = JavaNull | JavaString | JavaObject | JavaArray | JavaEnum | JavaClassValue;

export const JAVA_NULL: JavaNull = { kind: 'null' };

/** The bytes of the primitive types. */
export const PRIMITIVE_SIZES: Readonly<Record<string, number>> = { B: 1, C: 2, D: 8, F: 4, I: 4, J: 8, S: 2, Z: 1 };

/** A nesting that no plain data has: of nodes within the stream, and of values after it was read. */
export const DEEPEST = 40;
