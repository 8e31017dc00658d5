/*
 * What the two directions of the Java object serialisation stream share: its marks, as the chapter "Object Serialization Stream Protocol"
 * of Java's specification names them.
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
  BLOCKDATA: 0x77,
  ENDBLOCKDATA: 0x78,
  LONGSTRING: 0x7c,
} as const;

/** Flags of a class. */
export const SC = { WRITE_METHOD: 0x01, SERIALIZABLE: 0x02 } as const;

/** The number of the first thing that may be referred to. */
export const BASE_HANDLE = 0x7e0000;

/** What was read, with the Java class beside it, so that it can be written back as it was. */
export interface JavaValue {
  readonly javaClass: string;
  readonly value: string | number | boolean | null | readonly JavaValue[] | ReadonlyMap<string, JavaValue>;
}
