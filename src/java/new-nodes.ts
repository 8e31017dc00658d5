import type { JobData, JsonValue } from '../domain/job-data';
import { type ClassOutline, OUTLINES, type OutlinedClass } from './classes';
import { encodeModifiedUtf8 } from './modified-utf8';
import { int32, PRIMITIVES, viewOf, writePrimitives } from './primitives';
import {
  JAVA_NULL,
  type JavaClass,
  type JavaContent,
  type JavaFieldValue,
  type JavaNode,
  type JavaObject,
  type JavaString,
} from './stream-format';

/** Makes nodes of plain values, as Java would write them. Classes and texts are made once and then referred to. */
export class NewNodes {
  readonly #classes = new Map<string, JavaClass>();
  readonly #texts = new Map<string, JavaString>();

  /** `known`: classes that the stream describes already. */
  constructor(known: readonly JavaClass[] = []) {
    for (const type of known) if (isAsOutlined(type)) this.#classes.set(type.name, type);
  }

  valueOf(value: JsonValue): JavaNode {
    switch (typeof value) {
      case 'string':
        return this.text(value);
      case 'number':
        return this.#number(value);
      case 'boolean':
        return this.#object('java.lang.Boolean', writePrimitives('Z', [value]) as Uint8Array);
      default:
        if (value === null) return JAVA_NULL;
        if (isList(value)) return this.list(value.map((element) => this.valueOf(element)));
        return this.map(Object.entries(value).map(([key, inner]) => [key, this.valueOf(inner)]));
    }
  }

  text(text: string): JavaString {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const bytes = encodeModifiedUtf8(text);
    const made: JavaString = { kind: 'string', bytes, isLong: bytes.length > 0xffff };
    this.#texts.set(text, made);
    return made;
  }

  map(entries: readonly (readonly [string, JavaNode])[]): JavaObject {
    // Java doubles the table when three quarters are taken, and writes both.
    const capacity = Math.max(16, 2 ** Math.ceil(Math.log2(entries.length / 0.75)));
    const type = this.#class('java.util.HashMap');
    const loadFactor = new Uint8Array(4);
    viewOf(loadFactor).setFloat32(0, 0.75);
    const nodes = entries.flatMap(([key, value]) => [this.text(key), value]);
    const written = [block(int32(capacity), int32(entries.length)), ...nodes];
    return { kind: 'object', type, parts: [{ type, fields: [loadFactor, int32(capacity * 0.75)], written }] };
  }

  list(elements: readonly JavaNode[]): JavaObject {
    const type = this.#class('java.util.ArrayList');
    const written = [block(int32(elements.length)), ...elements];
    return { kind: 'object', type, parts: [{ type, fields: [int32(elements.length)], written }] };
  }

  /** The data of a job, as Quartz keeps it. */
  jobDataMap(data: JobData): JavaObject {
    const map = this.valueOf(data);
    const no = Uint8Array.of(0);
    const fields: readonly (readonly JavaFieldValue[])[] = [[no, map], [no], []];
    const types = lineage(this.#class('org.quartz.JobDataMap'));
    const parts = types.map((type, index) => ({ type, fields: fields[index] ?? [], written: null }));
    return { kind: 'object', type: types.at(-1) as JavaClass, parts };
  }

  #number(value: number): JavaNode {
    const [name, type] = PRIMITIVES.I?.holds(value)
      ? (['java.lang.Integer', 'I'] as const)
      : PRIMITIVES.J?.holds(value)
        ? (['java.lang.Long', 'J'] as const)
        : (['java.lang.Double', 'D'] as const);
    return this.#object(name, writePrimitives(type, [value]) as Uint8Array);
  }

  /** An object of one primitive field, in its own class: those above it have none. */
  #object(name: OutlinedClass, value: Uint8Array): JavaObject {
    const type = this.#class(name);
    const parts = lineage(type).map((each) => ({ type: each, fields: each === type ? [value] : [], written: null }));
    return { kind: 'object', type, parts };
  }

  #class(name: OutlinedClass): JavaClass {
    const known = this.#classes.get(name);
    if (known !== undefined) return known;
    const { uid, flags, fields, parent }: ClassOutline = OUTLINES[name];
    const made: JavaClass = {
      kind: 'class',
      name,
      uid: BigInt.asUintN(64, uid),
      flags,
      fields: fields.map(([type, field, objectType]) => ({
        type,
        name: field,
        signature: objectType === undefined ? null : this.text(objectType),
      })),
      parent: parent === undefined ? null : this.#class(parent as OutlinedClass),
    };
    this.#classes.set(name, made);
    return made;
  }
}

/** Whether new objects may be written with it: another one of that name may want other fields. */
function isAsOutlined({ name, uid, flags, fields, parent }: JavaClass): boolean {
  const outline: ClassOutline | undefined = Object.hasOwn(OUTLINES, name) ? OUTLINES[name as OutlinedClass] : undefined;
  if (outline === undefined || BigInt.asUintN(64, outline.uid) !== uid || outline.flags !== flags) return false;
  if (outline.parent !== parent?.name || (parent != null && !isAsOutlined(parent))) return false;
  return (
    fields.length === outline.fields.length &&
    outline.fields.every(([type, field], i) => fields[i]?.type === type && fields[i]?.name === field)
  );
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function lineage(type: JavaClass): readonly JavaClass[] {
  return type.parent === null ? [type] : [...lineage(type.parent), type];
}

function block(...numbers: readonly Uint8Array[]): JavaContent {
  return { kind: 'block', bytes: Buffer.concat(numbers), isLong: false };
}
