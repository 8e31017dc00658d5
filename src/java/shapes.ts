import { COLLECTIONS, readImmutable, readVector } from './collections';
import { notRead, shownClass } from './java-input';
import { readJavaTime } from './java-time';
import { readPrimitives, writePrimitives } from './primitives';
import { SCALARS } from './scalars';
import { classNameOf, intOf, malformed, nodeOf, type Shape, type ShapeReader, textOf, withNode } from './shape';
import type { JavaArray, JavaClass, JavaNode, JavaObject } from './stream-format';

/** More copies of one value than data can hold. */
const MOST_COPIES = 65_536;

/** What the field of that name holds. */
const wrapper =
  (field: string): ShapeReader =>
  (object, className) => {
    const inner = nodeOf(object, className, field);
    return { is: 'wrapper', inner, with: (changed) => withNode(object, inner, changed) };
  };

/** A set in front of a map: its keys. */
const keysOf =
  (field: string): ShapeReader =>
  (object, className) => {
    const inner = shapeOf(nodeOf(object, className, field));
    if (inner.is !== 'map') throw malformed(object);
    return { is: 'list', elements: inner.entries.map(([key]) => key) };
  };

const fieldsAsList =
  (...fields: readonly string[]): ShapeReader =>
  (object, className) => ({ is: 'list', elements: fields.map((field) => nodeOf(object, className, field)) });

const readCopies: ShapeReader = (object, className) => {
  const count = intOf(object, className, 'n');
  if (count < 0 || count > MOST_COPIES) throw notRead(`${count} copies of one value`);
  return { is: 'list', elements: Array<JavaNode>(count).fill(nodeOf(object, className, 'element')) };
};

const COLLECTIONS_CLASS = 'java.util.Collections$';

const CLASSES: ReadonlyMap<string, ShapeReader> = new Map<string, ShapeReader>([
  ...Object.entries(COLLECTIONS),
  ...Object.entries(SCALARS),
  ['org.quartz.utils.DirtyFlagMap', wrapper('map')],
  ['java.time.Ser', readJavaTime],
  ['java.util.CollSer', readImmutable],
  ['java.util.Vector', readVector],
  ['java.util.EnumSet$SerializationProxy', wrapper('elements')],
  ['java.util.Arrays$ArrayList', wrapper('a')],
  ['java.util.concurrent.CopyOnWriteArraySet', wrapper('al')],
  ['java.util.concurrent.ConcurrentSkipListSet', keysOf('m')],
  ['java.util.concurrent.ConcurrentHashMap$CollectionView', keysOf('map')],
  ['java.util.concurrent.atomic.AtomicReference', wrapper('value')],
  ...['UnmodifiableCollection', 'SynchronizedCollection', 'CheckedCollection'].map(
    (name) => [COLLECTIONS_CLASS + name, wrapper('c')] as const,
  ),
  ...['UnmodifiableMap', 'SynchronizedMap', 'CheckedMap'].map(
    (name) => [COLLECTIONS_CLASS + name, wrapper('m')] as const,
  ),
  [`${COLLECTIONS_CLASS}SetFromMap`, keysOf('m')],
  [`${COLLECTIONS_CLASS}AsLIFOQueue`, wrapper('q')],
  [`${COLLECTIONS_CLASS}EmptyList`, fieldsAsList()],
  [`${COLLECTIONS_CLASS}EmptySet`, fieldsAsList()],
  [`${COLLECTIONS_CLASS}EmptyMap`, () => ({ is: 'map', entries: [] })],
  [`${COLLECTIONS_CLASS}SingletonList`, fieldsAsList('element')],
  [`${COLLECTIONS_CLASS}SingletonSet`, fieldsAsList('element')],
  [
    `${COLLECTIONS_CLASS}SingletonMap`,
    (object, name) => ({ is: 'map', entries: [[nodeOf(object, name, 'k'), nodeOf(object, name, 'v')]] }),
  ],
  [`${COLLECTIONS_CLASS}CopiesList`, readCopies],
]);

/** Objects are taken apart once: a stream may refer to one of them any number of times. */
const taken = new WeakMap<JavaNode, Shape>();

/** What a node holds. Throws a TypeError for an object of a class that is not known here. */
export function shapeOf(node: JavaNode): Shape {
  if (node.kind !== 'object') return shapeOfOther(node);
  const shape = taken.get(node) ?? objectShape(node);
  taken.set(node, shape);
  return shape;
}

function shapeOfOther(node: Exclude<JavaNode, JavaObject>): Shape {
  switch (node.kind) {
    case 'null':
      return { is: 'scalar', value: null };
    case 'string':
      return { is: 'scalar', value: textOf(node) };
    case 'enum':
      return { is: 'scalar', value: textOf(node.constant) };
    case 'array':
      return arrayShape(node);
    case 'classValue':
      throw notRead(`the class ${shownClass(node.type.name)} as a value`);
  }
}

/** A class that is not known is read as the one above it: whoever extends ArrayList keeps elements. */
function objectShape(object: JavaObject): Shape {
  for (let type: JavaClass | null = object.type; type !== null; type = type.parent) {
    const read = CLASSES.get(type.name);
    if (read !== undefined) return read(object, type.name);
  }
  throw notRead(`an object of the class ${shownClass(object.type.name)}`);
}

function arrayShape(array: JavaArray): Shape {
  const { type, elements } = array;
  if (!type.name.startsWith('[')) throw notRead(`an array of the class ${shownClass(type.name)}`);
  if (!(elements instanceof Uint8Array))
    return { is: 'list', elements, with: (changed) => withElements(array, changed) };
  if (type.name === '[B') {
    return {
      is: 'scalar',
      value: Buffer.from(elements.buffer, elements.byteOffset, elements.length).toString('base64'),
      with: (value) => (typeof value === 'string' ? withBase64(array, value) : null),
    };
  }
  return primitivesShape(array, elements);
}

function withElements(array: JavaArray, elements: readonly JavaNode[]): JavaNode | null {
  const component = array.type.name.replace(/^\[L(.*);$/, '$1').replace(/^\[/, '');
  const fits = ({ kind }: JavaNode, name: string) =>
    kind === 'null' || component === 'java.lang.Object' || component === name;
  return elements.every((element) => fits(element, classNameOf(element)))
    ? { ...array, elements, length: elements.length }
    : null;
}

function withBase64(array: JavaArray, text: string): JavaNode | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? { ...array, elements: bytes, length: bytes.length } : null;
}

/** Each element stands for itself: there is no node of its own for it. */
function primitivesShape(array: JavaArray, bytes: Uint8Array): Shape {
  const type = array.type.name.charAt(1);
  return {
    is: 'scalar',
    value: readPrimitives(type, bytes),
    with: (value) => {
      const changed = Array.isArray(value) ? writePrimitives(type, value) : null;
      return changed && { ...array, elements: changed, length: (value as readonly unknown[]).length };
    },
  };
}
