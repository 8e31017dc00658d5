import type { JsonValue } from '../../../domain/job-data';

/*
 * The classes that job data is written with, their fields and serialVersionUIDs: those that Quartz 2.3.2 and Java 17 write; all of them have
 * been the same since Java 1.2.
 */

/** How a class announces itself: serialVersionUID, whether it has a write method, fields (with the type of objects), parent. */
export interface JavaClass {
  readonly uid: bigint;
  readonly hasWriteMethod?: boolean;
  readonly fields: readonly (readonly [type: string, name: string, objectType?: string])[];
  readonly parent?: string;
}

const NUMBER = 'java.lang.Number';
const boxed = (uid: bigint, type: string): JavaClass => ({ uid, fields: [[type, 'value']], parent: NUMBER });

export const CLASSES: Readonly<Record<string, JavaClass>> = {
  'org.quartz.JobDataMap': { uid: -6939901990106713909n, fields: [], parent: 'org.quartz.utils.StringKeyDirtyFlagMap' },
  'org.quartz.utils.StringKeyDirtyFlagMap': {
    uid: -9076749120524952280n,
    fields: [['Z', 'allowsTransientData']],
    parent: 'org.quartz.utils.DirtyFlagMap',
  },
  'org.quartz.utils.DirtyFlagMap': {
    uid: 1433884852607126222n,
    fields: [
      ['Z', 'dirty'],
      ['L', 'map', 'Ljava/util/Map;'],
    ],
  },
  'java.util.HashMap': {
    uid: 362498820763181265n,
    hasWriteMethod: true,
    fields: [
      ['F', 'loadFactor'],
      ['I', 'threshold'],
    ],
  },
  'java.util.ArrayList': { uid: 8683452581122892189n, hasWriteMethod: true, fields: [['I', 'size']] },
  'java.util.Date': { uid: 7523967970034938905n, hasWriteMethod: true, fields: [] },
  [NUMBER]: { uid: -8742448824652078965n, fields: [] },
  'java.lang.Byte': boxed(-7183698231559129828n, 'B'),
  'java.lang.Short': boxed(7515723908773894738n, 'S'),
  'java.lang.Integer': boxed(1360826667806852920n, 'I'),
  'java.lang.Long': boxed(4290774380558885855n, 'J'),
  'java.lang.Float': boxed(-2671257302660747028n, 'F'),
  'java.lang.Double': boxed(-9172774392245257468n, 'D'),
  'java.lang.Boolean': { uid: -3665804199014368530n, fields: [['Z', 'value']] },
  'java.lang.Character': { uid: 3786198910865385080n, fields: [['C', 'value']] },
  '[B': { uid: -5984413125824719648n, fields: [] },
};

const INTEGERS: Readonly<Record<string, number>> = {
  'java.lang.Byte': 8,
  'java.lang.Short': 16,
  'java.lang.Integer': 32,
};

/** The class a value is written as. */
export function classOf(value: JsonValue, stored: string | undefined): string {
  switch (typeof value) {
    case 'boolean':
      return 'java.lang.Boolean';
    case 'string':
      return stored !== undefined && holdsText(stored, value) ? stored : 'java.lang.String';
    case 'number':
      return stored !== undefined && holdsNumber(stored, value) ? stored : numberClass(value);
    default:
      return Array.isArray(value) ? 'java.util.ArrayList' : 'java.util.HashMap';
  }
}

function numberClass(value: number): string {
  if (holdsNumber('java.lang.Integer', value)) return 'java.lang.Integer';
  return holdsNumber('java.lang.Long', value) ? 'java.lang.Long' : 'java.lang.Double';
}

function holdsNumber(name: string, value: number): boolean {
  if (name === 'java.lang.Double') return true;
  if (name === 'java.lang.Float') return Math.fround(value) === value;
  if (Object.is(value, -0)) return false;
  if (name === 'java.lang.Long') return Number.isSafeInteger(value);
  const bits = INTEGERS[name];
  return bits !== undefined && Number.isInteger(value) && value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1);
}

/** Classes whose values are text in job data: they are kept as long as the text is still one of theirs. */
function holdsText(name: string, value: string): boolean {
  switch (name) {
    case 'java.lang.Long':
      return /^-?[1-9]\d*$/.test(value) && BigInt.asIntN(64, BigInt(value)).toString() === value;
    case 'java.lang.Character':
      return value.length === 1;
    case 'java.util.Date':
      return !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;
    case '[B':
      return Buffer.from(value, 'base64').toString('base64') === value;
    default:
      return false;
  }
}
