import { int32, notRead, shownClass } from './java-bytes';
import { primitivesShape, SCALARS } from './scalars';
import { ClassPart, classNameOf, type JavaEntry, type Shape, type ShapeReader, textOf } from './shape';
import {
  JAVA_NULL,
  type JavaArray,
  type JavaBlock,
  type JavaClass,
  type JavaContent,
  type JavaNode,
  type JavaObject,
} from './stream-format';

/** Format of a java.util collection: a comparator, a block that starts with numbers, the elements, and (only without a count) terminating nulls. */
interface Layout {
  readonly isMap?: boolean;
  /** Position of the number of elements or entries in the block, in bytes. Absent if the block does not contain it. */
  readonly countAt?: number;
  /** True if the count includes keys and values separately. */
  readonly countsNodes?: boolean;
  /** Name of a field that also contains the count. */
  readonly countField?: string;
  /** Location of the comparator of a sorted collection: the first content element, or the field `comparator`. */
  readonly sortedBy?: 'content' | 'field';
  /** Number of terminating nulls. */
  readonly ends?: number;
  readonly holdsNull?: boolean;
  /** True if Java rejects duplicate elements while reading. */
  readonly isStrictSet?: boolean;
  /** True if the collection can be read, but not written with different elements. */
  readonly isFixed?: boolean;
}

const LAYOUTS: Readonly<Record<string, Layout>> = {
  'java.util.ArrayList': { countAt: 0, countField: 'size', holdsNull: true },
  'java.util.LinkedList': { countAt: 0, holdsNull: true },
  'java.util.ArrayDeque': { countAt: 0 },
  'java.util.HashSet': { countAt: 8, holdsNull: true },
  'java.util.TreeSet': { countAt: 0, sortedBy: 'content' },
  'java.util.PriorityQueue': { countField: 'size', isFixed: true },
  'java.util.concurrent.CopyOnWriteArrayList': { countAt: 0, holdsNull: true },
  'java.util.concurrent.ConcurrentLinkedQueue': { ends: 1 },
  'java.util.concurrent.ConcurrentLinkedDeque': { ends: 1 },
  'java.util.concurrent.LinkedBlockingQueue': { ends: 1 },
  'java.util.concurrent.LinkedBlockingDeque': { ends: 1 },
  'java.util.HashMap': { isMap: true, countAt: 4, holdsNull: true },
  'java.util.Hashtable': { isMap: true, countAt: 4 },
  'java.util.TreeMap': { isMap: true, countAt: 0, sortedBy: 'field', holdsNull: true },
  'java.util.EnumMap': { isMap: true, countAt: 0, holdsNull: true },
  'java.util.concurrent.ConcurrentHashMap': { isMap: true, ends: 2 },
  'java.util.concurrent.ConcurrentSkipListMap': { isMap: true, ends: 1, sortedBy: 'field' },
};

/** Formats of `List.of`, `Set.of`, `Map.of` and `Stream.toList`, by the tag that `java.util.CollSer` stores. */
const IMMUTABLE: Readonly<Record<number, Layout>> = {
  1: { countAt: 0 },
  2: { countAt: 0, isStrictSet: true },
  3: { countAt: 0, isMap: true, countsNodes: true },
  4: { countAt: 0, holdsNull: true },
};

/** Reads a Vector, whose array may be longer than its number of elements. */
const readVector: ShapeReader = (part) => {
  const count = part.int('elementCount');
  const array = part.node('elementData');
  if (array.kind !== 'array' || Buffer.isBuffer(array.elements) || count < 0 || count > array.length)
    return part.fail();
  return {
    is: 'list',
    elements: array.elements.slice(0, count),
    with: (elements) => {
      const { length } = elements;
      return part.with({ elementData: { ...array, elements, length }, elementCount: int32(length) });
    },
  };
};

/** Maximum size of a list that repeats one value. Valid data contains no larger list of this kind. */
const MAX_COPIES = 65_536;

const wrapper =
  (field: string): ShapeReader =>
  (part) => ({ is: 'wrapper', inner: part.node(field), with: (inner) => part.with({ [field]: inner }) });

/** Reads a set whose elements are the keys of the map in the given field. */
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
  if (count < 0 || count > MAX_COPIES) throw notRead(`${count} copies of one value`);
  return { is: 'list', elements: Array<JavaNode>(count).fill(part.node('element')) };
};

const CLASSES: ReadonlyMap<string, ShapeReader> = new Map<string, ShapeReader>([
  ...Object.entries(LAYOUTS).map(
    ([name, layout]) => [name, (part: ClassPart) => readCollection(part, layout)] as const,
  ),
  ['java.util.CollSer', (part) => readCollection(part, IMMUTABLE[part.int('tag') & 0xff] ?? part.fail())],
  ['java.util.Vector', readVector],
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

/** Cache of shapes, because a stream may refer to the same object many times. */
const shapes = new WeakMap<JavaNode, Shape>();

/** Returns the content of a node. Throws a TypeError if the class is not supported. */
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

/** Reads an object by the nearest supported class among its class and superclasses. A subclass of ArrayList, for example, is read as a list. */
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
  return primitivesShape(array, elements);
}

function withElements(array: JavaArray, elements: readonly JavaNode[]): JavaNode | null {
  const component = array.type.name.replace(/^\[L(.*);$/, '$1').replace(/^\[/, '');
  const fits = elements.every((element) => ['null', component].includes(classNameOf(element)));
  return fits || component === 'java.lang.Object' ? { ...array, elements, length: elements.length } : null;
}

type Nodes = readonly JavaNode[];

function readCollection(part: ClassPart, layout: Layout): Shape {
  const nodes = nodesIn(part, layout);
  const isKey = (_: JavaNode, index: number) => layout.isMap !== true || index % 2 === 0;
  const keys = nodes.filter(isKey);
  const remade = (entries: readonly Nodes[]) => {
    const ordered = canHold(layout, entries) ? inOrder(part, layout, entries, keys) : null;
    return ordered && withEntries(part, layout, ordered);
  };
  if (layout.isMap !== true)
    return { is: 'list', elements: nodes, with: (changed) => remade(changed.map((element) => [element])) };
  if (nodes.length % 2 !== 0) part.fail();
  const entries = keys.map((key, index): JavaEntry => [key, nodes[2 * index + 1] as JavaNode]);
  return { is: 'map', entries, with: remade };
}

/** Returns true for content before the elements of a collection: the comparator, and blocks of numbers. */
const isHead =
  ({ sortedBy }: Layout) =>
  (content: JavaContent, index: number) =>
    content.kind === 'block' || (sortedBy === 'content' && index === 0);

function nodesIn(part: ClassPart, layout: Layout): Nodes {
  const { countAt, countField, ends = 0 } = layout;
  const isBefore = isHead(layout);
  const nodes = part.written.filter((content, index): content is JavaNode => !isBefore(content, index));
  if (countAt !== undefined) {
    const count = countField === undefined ? countIn(part, countAt) : part.int(countField);
    if (nodes.length !== (layout.isMap && !layout.countsNodes ? 2 : 1) * count) part.fail();
  }
  const last = nodes.length - ends;
  if (nodes.slice(last).some(({ kind }) => kind !== 'null')) part.fail();
  return nodes.slice(0, last);
}

function countIn(part: ClassPart, at: number): number {
  const block = part.written.find(({ kind }) => kind === 'block') as JavaBlock | undefined;
  return block === undefined || block.bytes.length < at + 4 ? part.fail() : block.bytes.readInt32BE(at);
}

function canHold({ isFixed, holdsNull, isStrictSet }: Layout, entries: readonly Nodes[]): boolean {
  if (isFixed || (!holdsNull && entries.some((entry) => entry.includes(JAVA_NULL)))) return false;
  return !isStrictSet || entries.length < 2 || textsOf(entries) !== null;
}

/** Returns null if a key is not a string or if two keys are equal. */
function textsOf(entries: readonly Nodes[]): readonly string[] | null {
  const texts = entries.flatMap(([key]) => (key?.kind === 'string' ? [textOf(key)] : []));
  return new Set(texts).size < entries.length ? null : texts;
}

/** Returns null if the order in which the class writes its entries is unknown. */
function inOrder(
  part: ClassPart,
  { sortedBy }: Layout,
  entries: readonly Nodes[],
  before: Nodes,
): readonly Nodes[] | null {
  if (sortedBy === undefined) return entries;
  if (entries.length === before.length && entries.every(([key], index) => key === before[index])) return entries;
  const comparator = sortedBy === 'field' ? part.node('comparator') : part.written[0];
  const texts = textsOf(entries);
  if (comparator?.kind !== 'null' || texts === null) return null;
  // Java compares strings by UTF-16 code units, like JavaScript.
  const keyed = entries.map((entry, index) => ({ text: texts[index] as string, entry }));
  return keyed.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ entry }) => entry);
}

function withEntries(part: ClassPart, layout: Layout, entries: readonly Nodes[]): JavaNode {
  const { countAt, countField, countsNodes, ends = 0 } = layout;
  const nodes = entries.flat();
  const count = countsNodes ? nodes.length : entries.length;
  const head = part.written
    .filter(isHead(layout))
    .map((content) => (content.kind === 'block' && countAt !== undefined ? counted(content, countAt, count) : content));
  const written = [...head, ...nodes, ...Array<JavaNode>(ends).fill(JAVA_NULL)];
  return part.with(countField === undefined ? {} : { [countField]: int32(count) }, written);
}

function counted(block: JavaBlock, at: number, count: number): JavaBlock {
  const bytes = Buffer.from(block.bytes);
  bytes.writeInt32BE(count, at);
  return { ...block, bytes };
}
