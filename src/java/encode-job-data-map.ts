import { isRecord } from '../base/is-record';
import type { JobData, JsonValue } from '../domain/job-data';
import { sameData } from '../domain/same-data';
import { dataIn, keyText, plainValueOf } from './decode-job-data-map';
import { encodeModifiedUtf8, PRIMITIVES } from './java-bytes';
import { classNameOf, type JavaEntry, type ListShape, type MapShape, type Shape, textOf } from './shape';
import { shapeOf } from './shapes';
import { JAVA_NULL, type JavaNode, type JavaString } from './stream-format';
import { readJavaStream } from './stream-reader';
import { writeJavaStream } from './stream-writer';

/** Serialises data as a Java JobDataMap. Unchanged values keep their bytes, and changed values keep their Java class if it can represent them. */
export function encodeJavaSerialized(data: JobData, stored: Uint8Array | null = null): Uint8Array {
  const nodes = new NodeMaker();
  const before = stored === null ? null : readable(stored);
  if (before === null || stored === null) return writeJavaStream(nodes.jobDataMap(data));
  const root = nodes.nodeFor(data, before);
  if (root === before) return stored;
  return writeJavaStream(classNameOf(root) === classNameOf(before) ? root : nodes.jobDataMap(data));
}

/** Returns null if the stored data cannot be read and must be replaced completely. */
function readable(stored: Uint8Array): JavaNode | null {
  try {
    const root = readJavaStream(stored);
    dataIn(root);
    return root;
  } catch {
    return null;
  }
}

/** JobDataMap of Quartz 2.3.2 on Java 17: { list: [], integer: 1, long: 1099511627776, double: 0.5, boolean: true }. New values are copies. */
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

/** Creates nodes from plain values. A new value becomes a String, number, Boolean, ArrayList or HashMap, as Java would write it. */
class NodeMaker {
  /** Equal strings share a node, which the stream contains once. */
  readonly #texts = new Map<string, JavaString>();

  jobDataMap(data: JobData): JavaNode {
    return JOB_DATA_MAP.with(this.#newNode(data));
  }

  /** Returns the node to write for `value`: the stored node if its value is equal, otherwise a changed or new node. */
  nodeFor(value: JsonValue, stored: JavaNode | undefined): JavaNode {
    if (stored === undefined || stored.kind === 'null') return this.#newNode(value);
    return sameData(plainValueOf(stored), value) ? stored : this.#changed(value, shapeOf(stored));
  }

  #newNode(value: JsonValue): JavaNode {
    if (value === null) return JAVA_NULL;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'boolean') return scalar('boolean', value);
    if (typeof value === 'number') return scalar(numberClassOf(value), value);
    if (isList(value)) return this.#newList(value.map((element) => this.#newNode(element)));
    return this.#newMap(Object.entries(value).map(([key, inner]) => [key, this.#newNode(inner)]));
  }

  #text(text: string): JavaString {
    const bytes = encodeModifiedUtf8(text);
    const made = this.#texts.get(text) ?? { kind: 'string', bytes, isLong: bytes.length > 0xffff };
    this.#texts.set(text, made);
    return made;
  }

  #newMap(entries: readonly (readonly [string, JavaNode])[]): JavaNode {
    return required(MAP.with?.(entries.map(([key, value]): JavaEntry => [this.#text(key), value])));
  }

  #newList(elements: readonly JavaNode[]): JavaNode {
    return required(shaped('list', EXAMPLES.get('list')).with?.(elements));
  }

  #changed(value: JsonValue, shape: Shape): JavaNode {
    if (shape.is === 'wrapper') {
      const inner = this.nodeFor(value, shape.inner);
      // A wrapper may accept only the class of the value that it originally contained.
      return classNameOf(inner) === classNameOf(shape.inner) ? shape.with(inner) : inner;
    }
    if (shape.is === 'scalar') return shape.with?.(value) ?? this.#newNode(value);
    if (shape.is === 'list' && isList(value)) {
      const elements = this.#changedElements(value, shape);
      return shape.with?.(elements) ?? this.#newList(elements);
    }
    if (shape.is === 'map' && isRecord(value)) return this.#changedMap(value as JobData, shape);
    return this.#newNode(value);
  }

  /** Equal elements at the start and the end keep their stored nodes, even if elements were inserted or removed between them. */
  #changedElements(values: readonly JsonValue[], { elements }: ListShape): readonly JavaNode[] {
    const plain = elements.map((element) => plainValueOf(element));
    const shift = elements.length - values.length;
    return values.map((value, index) => {
      const same = [index, index + shift].find((at) => at in elements && sameData(plain[at], value));
      return this.nodeFor(value, elements[same ?? index] ?? elements.at(-1));
    });
  }

  #changedMap(value: JobData, shape: MapShape): JavaNode {
    const stored = new Map(shape.entries.map((entry) => [keyText(entry[0]), entry]));
    const values = Object.entries(value).map(
      ([key, inner]) => [key, this.nodeFor(inner, stored.get(key)?.[1])] as const,
    );
    const entries = values.flatMap(([key, node]): JavaEntry[] => {
      const keyNode = stored.get(key)?.[0] ?? this.#newKey(key, shape);
      return keyNode === null ? [] : [[keyNode, node]];
    });
    const kept = entries.length === values.length ? shape.with?.(entries) : null;
    return kept ?? this.#newMap(values);
  }

  /** Returns null if the class of the stored keys cannot represent `text`. */
  #newKey(text: string, { entries }: MapShape): JavaNode | null {
    const example = entries.at(-1)?.[0];
    if (example === undefined || example.kind === 'string') return this.#text(text);
    const shape = shapeOf(example);
    if (shape.is !== 'scalar') return null;
    const asText = shape.with?.(text) ?? null;
    return asText ?? (String(Number(text)) === text ? (shape.with?.(Number(text)) ?? null) : null);
  }
}

function isList(value: JsonValue): value is readonly JsonValue[] {
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
  if (shape.is !== is) throw new TypeError(`Expected a ${is} in the stored data, found a ${shape.is}.`);
  return shape as Extract<Shape, { readonly is: Is }>;
}

function required(node: JavaNode | null | undefined): JavaNode {
  if (node == null) throw new TypeError('Expected the stored data to contain every class of the new values.');
  return node;
}
