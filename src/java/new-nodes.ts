import type { JobData, JsonValue } from '../domain/job-data';
import { encodeModifiedUtf8 } from './modified-utf8';
import { PRIMITIVES } from './primitives';
import { type JavaEntry, type Shape, textOf } from './shape';
import { shapeOf } from './shapes';
import { JAVA_NULL, type JavaNode, type JavaString } from './stream-format';
import { readJavaStream } from './stream-reader';

/**
 * A JobDataMap as Quartz 2.3.2 and Java 17 write it, with one value of each class that new values get:
 * { list: [], integer: 1, long: 1099511627776, double: 0.5, boolean: true }. New values are copies of these.
 */
const EXAMPLE =
  'rO0ABXNyABVvcmcucXVhcnR6LkpvYkRhdGFNYXCfsIPov6mwywIAAHhyACZvcmcucXVhcnR6LnV0aWxzLlN0cmluZ0tleURpcnR5RmxhZ01hcIII' +
  '6MP7xV0oAgABWgATYWxsb3dzVHJhbnNpZW50RGF0YXhyAB1vcmcucXVhcnR6LnV0aWxzLkRpcnR5RmxhZ01hcBPmLq0odgrOAgACWgAFZGlydHlM' +
  'AANtYXB0AA9MamF2YS91dGlsL01hcDt4cABzcgARamF2YS51dGlsLkhhc2hNYXAFB9rBwxZg0QMAAkYACmxvYWRGYWN0b3JJAAl0aHJlc2hvbGR4' +
  'cD9AAAAAAAAMdwgAAAAQAAAABXQABGxpc3RzcgATamF2YS51dGlsLkFycmF5TGlzdHiB0h2Zx2GdAwABSQAEc2l6ZXhwAAAAAHcEAAAAAHh0AAdp' +
  'bnRlZ2Vyc3IAEWphdmEubGFuZy5JbnRlZ2VyEuKgpPeBhzgCAAFJAAV2YWx1ZXhyABBqYXZhLmxhbmcuTnVtYmVyhqyVHQuU4IsCAAB4cAAAAAF0' +
  'AARsb25nc3IADmphdmEubGFuZy5Mb25nO4vkkMyPI98CAAFKAAV2YWx1ZXhxAH4ADAAAAQAAAAAAdAAGZG91Ymxlc3IAEGphdmEubGFuZy5Eb3Vi' +
  'bGWAs8JKKWv7BAIAAUQABXZhbHVleHEAfgAMP+AAAAAAAAB0AAdib29sZWFuc3IAEWphdmEubGFuZy5Cb29sZWFuzSBygNWc+u4CAAFaAAV2YWx1' +
  'ZXhwAXgA';

const JOB_DATA_MAP = shaped('wrapper', readJavaStream(Buffer.from(EXAMPLE, 'base64')));
const MAP = shaped('map', JOB_DATA_MAP.inner);
const EXAMPLES = new Map(MAP.entries.map(([key, node]) => [textOf(key), node]));

/** Makes nodes of plain values, as Java would write them. Each text is made once and then referred to. */
export class NewNodes {
  readonly #texts = new Map<string, JavaString>();

  valueOf(value: JsonValue): JavaNode {
    if (value === null) return JAVA_NULL;
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'boolean') return scalar('boolean', value);
    if (typeof value === 'number') return scalar(numberClassOf(value), value);
    if (isList(value)) return this.list(value.map((element) => this.valueOf(element)));
    return this.map(Object.entries(value).map(([key, inner]) => [key, this.valueOf(inner)]));
  }

  text(text: string): JavaString {
    const bytes = encodeModifiedUtf8(text);
    const made = this.#texts.get(text) ?? { kind: 'string', bytes, isLong: bytes.length > 0xffff };
    this.#texts.set(text, made);
    return made;
  }

  map(entries: readonly (readonly [string, JavaNode])[]): JavaNode {
    return required(MAP.with?.(entries.map(([key, value]): JavaEntry => [this.text(key), value])));
  }

  list(elements: readonly JavaNode[]): JavaNode {
    return required(shaped('list', EXAMPLES.get('list')).with?.(elements));
  }

  /** The data of a job, as Quartz keeps it. */
  jobDataMap(data: JobData): JavaNode {
    return JOB_DATA_MAP.with(this.valueOf(data));
  }
}

export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function numberClassOf(value: number): string {
  if (PRIMITIVES.I?.holds(value)) return 'integer';
  return PRIMITIVES.J?.holds(value) ? 'long' : 'double';
}

function scalar(example: string, value: JsonValue): JavaNode {
  return required(shaped('scalar', EXAMPLES.get(example)).with?.(value));
}

function shaped<Is extends Shape['is']>(is: Is, node: JavaNode | undefined): Extract<Shape, { readonly is: Is }> {
  const shape = shapeOf(required(node));
  if (shape.is !== is) throw new TypeError(`Expected a ${is} in the example, found a ${shape.is}.`);
  return shape as Extract<Shape, { readonly is: Is }>;
}

function required(node: JavaNode | null | undefined): JavaNode {
  if (node == null) throw new TypeError('Expected the example to hold every class of new values.');
  return node;
}
