/*
 * What reading and writing a Java object serialisation stream share: its constants, as the chapter "Object Serialization Stream Protocol"
 * of Java's specification names them, and the nodes that a stream consists of. A node is what the stream says, whatever its class means.
 */

/** AC ED, and the version. */
export const MAGIC = 0xaced;
export const VERSION = 5;

/** The first byte of each piece of content. */
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
export const SC = { WRITE_METHOD: 0x01, SERIALIZABLE: 0x02, EXTERNALIZABLE: 0x04, BLOCK_DATA: 0x08 } as const;

/** The number of the first node that later content may refer to. */
export const BASE_HANDLE = 0x7e0000;

/** The greatest nesting that is read: of nodes in the stream, and of the values in them. No plain data is nested as deeply. */
export const DEEPEST = 40;

/** A class as the stream describes it. */
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
  /** One letter; `L` and `[` are objects and arrays. */
  readonly type: string;
  readonly name: string;
  /** The class of an object or array. */
  readonly signature: JavaString | null;
}

export interface JavaString {
  readonly kind: 'string';
  /** Modified UTF-8, as in the stream. */
  readonly bytes: Uint8Array;
  readonly isLong: boolean;
}

export interface JavaObject {
  readonly kind: 'object';
  readonly type: JavaClass;
  /** What each class of the object wrote, the topmost class first. */
  readonly parts: readonly JavaPart[];
}

/** The bytes of a primitive field, or an object. */
export type JavaFieldValue = Buffer | JavaNode;

export interface JavaPart {
  readonly type: JavaClass;
  readonly fields: readonly JavaFieldValue[];
  /** What the class's own method wrote after the fields; null when it has no such method. */
  readonly written: readonly JavaContent[] | null;
}

/** Bytes that a class's own method wrote. */
export interface JavaBlock {
  readonly kind: 'block';
  readonly bytes: Buffer;
  readonly isLong: boolean;
}

export type JavaContent = JavaBlock | JavaNode;

export interface JavaArray {
  readonly kind: 'array';
  readonly type: JavaClass;
  /** Of primitives: their bytes. */
  readonly elements: Buffer | readonly JavaNode[];
  readonly length: number;
}

export interface JavaEnum {
  readonly kind: 'enum';
  readonly type: JavaClass;
  readonly constant: JavaString;
}

/** `String.class`: a class as a value. */
export interface JavaClassValue {
  readonly kind: 'classValue';
  readonly type: JavaClass;
}

export type JavaNode = typeof JAVA_NULL | JavaString | JavaObject | JavaArray | JavaEnum | JavaClassValue;

export const JAVA_NULL = { kind: 'null' } as const;
