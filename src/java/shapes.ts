import { COLLECTIONS } from './collections';
import { notRead, shownClass } from './java-input';
import { readPrimitives, writePrimitives } from './primitives';
import { SCALARS } from './scalars';
import { ClassPart, classNameOf, type Shape, type ShapeReader, textOf } from './shape';
import type { JavaArray, JavaClass, JavaNode, JavaObject } from './stream-format';

/** More copies of one value than data can hold. */
const MOST_COPIES = 65_536;

/** An object that means the same as the one in that field. */
const wrapper =
  (field: string): ShapeReader =>
  (part) => ({ is: 'wrapper', inner: part.node(field), with: (inner) => part.with({ [field]: inner }) });

/** A set that a map in that field holds: its keys. */
const keysOf =
  (field: string): ShapeReader =>
  (part) => {
    const inner = shapeOf(part.node(field));
    return inner.is === 'map' ? { is: 'list', elements: inner.entries.map(([key]) => key) } : part.fail();
  };

const fieldsAsList =
  (...fields: readonly string[]): ShapeReader =>
  (part) => ({ is: 'list', elements: fields.map((field) => part.node(field)) });

const readCopies: ShapeReader = (part) => {
  const count = part.int('n');
  if (count < 0 || count > MOST_COPIES) throw notRead(`${count} copies of one value`);
  return { is: 'list', elements: Array<JavaNode>(count).fill(part.node('element')) };
};

const CLASSES: ReadonlyMap<string, ShapeReader> = new Map<string, ShapeReader>([
  ...Object.entries(COLLECTIONS),
  ...Object.entries(SCALARS),
  ['org.quartz.utils.DirtyFlagMap', wrapper('map')],
  ['java.util.EnumSet$SerializationProxy', wrapper('elements')],
  ['java.util.Arrays$ArrayList', wrapper('a')],
  ['java.util.concurrent.CopyOnWriteArraySet', wrapper('al')],
  ['java.util.concurrent.ConcurrentSkipListSet', keysOf('m')],
  ['java.util.concurrent.ConcurrentHashMap$CollectionView', keysOf('map')],
  ['java.util.concurrent.atomic.AtomicReference', wrapper('value')],
  ['java.util.Collections$UnmodifiableCollection', wrapper('c')],
  ['java.util.Collections$SynchronizedCollection', wrapper('c')],
  ['java.util.Collections$CheckedCollection', wrapper('c')],
  ['java.util.Collections$UnmodifiableMap', wrapper('m')],
  ['java.util.Collections$SynchronizedMap', wrapper('m')],
  ['java.util.Collections$CheckedMap', wrapper('m')],
  ['java.util.Collections$SetFromMap', keysOf('m')],
  ['java.util.Collections$AsLIFOQueue', wrapper('q')],
  ['java.util.Collections$EmptyList', fieldsAsList()],
  ['java.util.Collections$EmptySet', fieldsAsList()],
  ['java.util.Collections$EmptyMap', () => ({ is: 'map', entries: [] })],
  ['java.util.Collections$SingletonList', fieldsAsList('element')],
  ['java.util.Collections$SingletonSet', fieldsAsList('element')],
  ['java.util.Collections$SingletonMap', (part) => ({ is: 'map', entries: [[part.node('k'), part.node('v')]] })],
  ['java.util.Collections$CopiesList', readCopies],
]);

/** Objects are read once: a stream may refer to one of them any number of times. */
const shapes = new WeakMap<JavaNode, Shape>();

/** What a node holds. Throws a TypeError for an object of a class that is not known here. */
export function shapeOf(node: JavaNode): Shape {
  if (node.kind !== 'object') return shapeOfOther(node);
  const shape = shapes.get(node) ?? objectShape(node);
  shapes.set(node, shape);
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
    if (read !== undefined) return read(new ClassPart(object, type.name));
  }
  throw notRead(`an object of the class ${shownClass(object.type.name)}`);
}

function arrayShape(array: JavaArray): Shape {
  const { type, elements } = array;
  if (!type.name.startsWith('[')) throw notRead(`an array of the class ${shownClass(type.name)}`);
  if (!Buffer.isBuffer(elements)) return { is: 'list', elements, with: (changed) => withElements(array, changed) };
  if (type.name === '[B') {
    return {
      is: 'scalar',
      value: elements.toString('base64'),
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
function primitivesShape(array: JavaArray, bytes: Buffer): Shape {
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
