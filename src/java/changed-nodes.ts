import type { JobData, JsonValue } from '../domain/job-data';
import { sameData } from '../domain/same-data';
import type { NewNodes } from './new-nodes';
import { keyText, plainValueOf } from './plain-values';
import { classNameOf, type JavaEntry, type ListShape, type MapShape, type Shape } from './shape';
import { shapeOf } from './shapes';
import type { JavaNode } from './stream-format';

/*
 * What becomes of stored nodes when data changes. A node whose value stays is the node that it was. One whose value changes keeps its class where
 * that class can hold the new value; else it becomes what a new value is: text, a number, a boolean, an ArrayList or a HashMap.
 */
export class ChangedNodes {
  readonly #new: NewNodes;

  constructor(made: NewNodes) {
    this.#new = made;
  }

  /** The node that holds the value, in the place of `stored`. */
  nodeFor(value: JsonValue, stored: JavaNode | undefined): JavaNode {
    if (stored === undefined || stored.kind === 'null') return this.#new.valueOf(value);
    if (sameData(plainValueOf(stored), value)) return stored;
    return this.#changed(value, stored) ?? this.#anew(value, shapeOf(stored));
  }

  /** Of the class that is stored; null when it cannot hold the value. */
  #changed(value: JsonValue, stored: JavaNode): JavaNode | null {
    const shape = shapeOf(stored);
    switch (shape.is) {
      case 'scalar':
        return shape.with?.(value) ?? null;
      case 'list':
        return isList(value) ? (shape.with?.(this.#elements(value, shape)) ?? null) : null;
      case 'map':
        return isObject(value) ? this.#withEntries(value, shape) : null;
      case 'wrapper': {
        const inner = this.nodeFor(value, shape.inner);
        // A wrapper may want the very class that it wraps.
        return classNameOf(inner) === classNameOf(shape.inner) ? shape.with(inner) : null;
      }
    }
  }

  #withEntries(value: JobData, shape: MapShape): JavaNode | null {
    const stored = new Map(shape.entries.map((entry) => [keyText(entry[0]), entry]));
    const entries: JavaEntry[] = [];
    for (const [key, inner] of Object.entries(value)) {
      const [keyNode = this.#key(key, shape), before] = stored.get(key) ?? [];
      if (keyNode === null) return null;
      entries.push([keyNode, this.nodeFor(inner, before)]);
    }
    return shape.with?.(entries) ?? null;
  }

  /** A new key, of the class of those that are there. */
  #key(text: string, { entries }: MapShape): JavaNode | null {
    const example = entries.at(-1)?.[0];
    if (example === undefined || example.kind === 'string') return this.#new.text(text);
    const shape = shapeOf(example);
    if (shape.is !== 'scalar') return null;
    const asText = shape.with?.(text) ?? null;
    return asText ?? (String(Number(text)) === text ? (shape.with?.(Number(text)) ?? null) : null);
  }

  /** Elements in front and behind that did not change stay, wherever something was added or taken away between them. */
  #elements(values: readonly JsonValue[], { elements }: Pick<ListShape, 'elements'>): readonly JavaNode[] {
    const plain = elements.map((element) => plainValueOf(element));
    const shift = elements.length - values.length;
    return values.map((value, index) => {
      const same = [index, index + shift].find((at) => at in elements && sameData(plain[at], value));
      return this.nodeFor(value, elements[same ?? index] ?? elements.at(-1));
    });
  }

  /** As a new value, but what is within may still be as it was. */
  #anew(value: JsonValue, shape: Shape): JavaNode {
    if (shape.is === 'wrapper') return this.#anew(value, shapeOf(shape.inner));
    if (shape.is === 'list' && isList(value)) return this.#new.list(this.#elements(value, shape));
    if (shape.is === 'map' && isObject(value)) {
      const stored = new Map(shape.entries.map(([key, node]) => [keyText(key), node]));
      return this.#new.map(Object.entries(value).map(([key, inner]) => [key, this.nodeFor(inner, stored.get(key))]));
    }
    return this.#new.valueOf(value);
  }
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isObject(value: JsonValue): value is JobData {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
