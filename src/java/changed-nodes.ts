import type { JobData, JsonValue } from '../domain/job-data';
import { sameData } from '../domain/same-data';
import { isList, type NewNodes } from './new-nodes';
import { keyText, plainValueOf } from './plain-values';
import { classNameOf, type JavaEntry, type ListShape, type MapShape, type Shape } from './shape';
import { shapeOf } from './shapes';
import type { JavaNode } from './stream-format';

/*
 * The nodes of changed data. A node whose value did not change stays as it is. One whose value changed keeps its class where that class can
 * hold the new value; otherwise it becomes what a new value is: text, a number, a boolean, an ArrayList or a HashMap.
 */
export class ChangedNodes {
  readonly #new: NewNodes;

  constructor(made: NewNodes) {
    this.#new = made;
  }

  /** The node that holds the value in the place of `stored`. */
  nodeFor(value: JsonValue, stored: JavaNode | undefined): JavaNode {
    if (stored === undefined || stored.kind === 'null') return this.#new.valueOf(value);
    return sameData(plainValueOf(stored), value) ? stored : this.#changed(value, shapeOf(stored));
  }

  #changed(value: JsonValue, shape: Shape): JavaNode {
    if (shape.is === 'wrapper') {
      const inner = this.nodeFor(value, shape.inner);
      // A wrapper may need the very class that it wraps.
      return classNameOf(inner) === classNameOf(shape.inner) ? shape.with(inner) : inner;
    }
    if (shape.is === 'scalar') return shape.with?.(value) ?? this.#new.valueOf(value);
    if (shape.is === 'list' && isList(value)) {
      const elements = this.#elements(value, shape);
      return shape.with?.(elements) ?? this.#new.list(elements);
    }
    if (shape.is === 'map' && isObject(value)) return this.#map(value, shape);
    return this.#new.valueOf(value);
  }

  /** Elements at the start and at the end that did not change stay, wherever something was added or removed between them. */
  #elements(values: readonly JsonValue[], { elements }: ListShape): readonly JavaNode[] {
    const plain = elements.map((element) => plainValueOf(element));
    const shift = elements.length - values.length;
    return values.map((value, index) => {
      const same = [index, index + shift].find((at) => at in elements && sameData(plain[at], value));
      return this.nodeFor(value, elements[same ?? index] ?? elements.at(-1));
    });
  }

  #map(value: JobData, shape: MapShape): JavaNode {
    const stored = new Map(shape.entries.map((entry) => [keyText(entry[0]), entry]));
    const values = Object.entries(value).map(
      ([key, inner]) => [key, this.nodeFor(inner, stored.get(key)?.[1])] as const,
    );
    const entries = values.flatMap(([key, node]): JavaEntry[] => {
      const keyNode = stored.get(key)?.[0] ?? this.#key(key, shape);
      return keyNode === null ? [] : [[keyNode, node]];
    });
    const kept = entries.length === values.length ? shape.with?.(entries) : null;
    return kept ?? this.#new.map(values);
  }

  /** A new key, of the class of the stored ones; null when it cannot hold the text. */
  #key(text: string, { entries }: MapShape): JavaNode | null {
    const example = entries.at(-1)?.[0];
    if (example === undefined || example.kind === 'string') return this.#new.text(text);
    const shape = shapeOf(example);
    if (shape.is !== 'scalar') return null;
    const asText = shape.with?.(text) ?? null;
    return asText ?? (String(Number(text)) === text ? (shape.with?.(Number(text)) ?? null) : null);
  }
}

function isObject(value: JsonValue): value is JobData {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
