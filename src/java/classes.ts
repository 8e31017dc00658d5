import { SC } from './stream-format';

/*
 * The classes that new values are written with, their fields and serialVersionUIDs: those that Quartz 2.3.2 and Java 17 write; all of them have
 * been the same since Java 1.2.
 */

/** How a class announces itself: serialVersionUID, flags, fields (with the type of objects), parent. */
export interface ClassOutline {
  readonly uid: bigint;
  readonly flags: number;
  readonly fields: readonly (readonly [type: string, name: string, objectType?: string])[];
  readonly parent?: string;
}

const WRITES_ITSELF = SC.SERIALIZABLE | SC.WRITE_METHOD;
const NUMBER = 'java.lang.Number';
const boxed = (uid: bigint, type: string): ClassOutline => ({
  uid,
  flags: SC.SERIALIZABLE,
  fields: [[type, 'value']],
  parent: NUMBER,
});

export const OUTLINES = {
  'org.quartz.JobDataMap': {
    uid: -6939901990106713909n,
    flags: SC.SERIALIZABLE,
    fields: [],
    parent: 'org.quartz.utils.StringKeyDirtyFlagMap',
  },
  'org.quartz.utils.StringKeyDirtyFlagMap': {
    uid: -9076749120524952280n,
    flags: SC.SERIALIZABLE,
    fields: [['Z', 'allowsTransientData']],
    parent: 'org.quartz.utils.DirtyFlagMap',
  },
  'org.quartz.utils.DirtyFlagMap': {
    uid: 1433884852607126222n,
    flags: SC.SERIALIZABLE,
    fields: [
      ['Z', 'dirty'],
      ['L', 'map', 'Ljava/util/Map;'],
    ],
  },
  'java.util.HashMap': {
    uid: 362498820763181265n,
    flags: WRITES_ITSELF,
    fields: [
      ['F', 'loadFactor'],
      ['I', 'threshold'],
    ],
  },
  'java.util.ArrayList': { uid: 8683452581122892189n, flags: WRITES_ITSELF, fields: [['I', 'size']] },
  [NUMBER]: { uid: -8742448824652078965n, flags: SC.SERIALIZABLE, fields: [] },
  'java.lang.Integer': boxed(1360826667806852920n, 'I'),
  'java.lang.Long': boxed(4290774380558885855n, 'J'),
  'java.lang.Double': boxed(-9172774392245257468n, 'D'),
  'java.lang.Boolean': { uid: -3665804199014368530n, flags: SC.SERIALIZABLE, fields: [['Z', 'value']] },
} as const satisfies Readonly<Record<string, ClassOutline>>;

export type OutlinedClass = keyof typeof OUTLINES;
