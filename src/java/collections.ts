import { int32, viewOf } from './primitives';
import {
  blockIn,
  intOf,
  type JavaEntry,
  malformed,
  nodeOf,
  partOf,
  type ShapeReader,
  textOf,
  withField,
  withPart,
  writtenBy,
} from './shape';
import { JAVA_NULL, type JavaBlock, type JavaContent, type JavaNode, type JavaObject } from './stream-format';

/*
 * The maps and collections of java.util that write themselves: a comparator, a block that begins with numbers, the elements one by one, and nulls
 * behind them where no number says how many there are.
 */

interface Layout {
  /** Where the number of elements or entries stands in the block. */
  readonly countAt?: number;
  /** A field that holds it, too. */
  readonly countField?: string;
  /** In the order of a comparator, which stands in front or in a field. */
  readonly sortedBy?: 'content' | 'field';
  /** Nulls that end it. */
  readonly ends?: number;
  /** It holds nulls. */
  readonly holdsNull?: boolean;
  /** Read, but not written with other contents. */
  readonly isFixed?: boolean;
}

/** A collection of that class and layout. */
interface Stored {
  readonly object: JavaObject;
  readonly className: string;
  readonly layout: Layout;
}

const LISTS: Readonly<Record<string, Layout>> = {
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
};

const MAPS: Readonly<Record<string, Layout>> = {
  'java.util.HashMap': { countAt: 4, holdsNull: true },
  'java.util.Hashtable': { countAt: 4 },
  'java.util.TreeMap': { countAt: 0, sortedBy: 'field', holdsNull: true },
  'java.util.EnumMap': { countAt: 0, holdsNull: true },
  'java.util.concurrent.ConcurrentHashMap': { ends: 2 },
  'java.util.concurrent.ConcurrentSkipListMap': { ends: 1, sortedBy: 'field' },
};

const readList =
  (layout: Layout): ShapeReader =>
  (object, className) => {
    const stored = { object, className, layout };
    const elements = nodesIn(stored);
    return {
      is: 'list',
      elements,
      with: (changed) => {
        if (layout.isFixed || (!layout.holdsNull && changed.includes(JAVA_NULL))) return null;
        const entries = changed.map((element): JavaEntry => [element, JAVA_NULL]);
        const ordered = inOrder(stored, entries, elements)?.map(([element]) => element);
        return ordered === undefined ? null : withNodes(stored, ordered);
      },
    };
  };

const readMap =
  (layout: Layout): ShapeReader =>
  (object, className) => {
    const stored = { object, className, layout };
    const nodes = nodesIn(stored);
    if (nodes.length % 2 !== 0) throw malformed(object);
    const entries = Array.from(
      { length: nodes.length / 2 },
      (_, index): JavaEntry => [nodes[2 * index] as JavaNode, nodes[2 * index + 1] as JavaNode],
    );
    return {
      is: 'map',
      entries,
      with: (changed) => {
        if (!layout.holdsNull && changed.some((entry) => entry.includes(JAVA_NULL))) return null;
        const keys = entries.map(([key]) => key);
        const ordered = inOrder(stored, changed, keys);
        return ordered && withNodes(stored, ordered.flat());
      },
    };
  };

/** The classes that write themselves so. */
export const COLLECTIONS: Readonly<Record<string, ShapeReader>> = Object.fromEntries([
  ...Object.entries(LISTS).map(([name, layout]) => [name, readList(layout)] as const),
  ...Object.entries(MAPS).map(([name, layout]) => [name, readMap(layout)] as const),
]);

function nodesIn({ object, className, layout }: Stored): readonly JavaNode[] {
  const written = writtenBy(object, className).filter(
    (content, index) => index > 0 || layout.sortedBy !== 'content' || content.kind === 'block',
  );
  const nodes = written.filter((content): content is JavaNode => content.kind !== 'block');
  const { countAt, countField, ends = 0 } = layout;
  const isMap = MAPS[className] !== undefined;
  if (countAt !== undefined) {
    const count = viewOf(blockIn(object, written, 0, countAt + 4).bytes).getInt32(countAt);
    const announced = countField === undefined ? count : intOf(object, className, countField);
    if (nodes.length !== (isMap ? 2 : 1) * announced) throw malformed(object);
  }
  if (nodes.slice(nodes.length - ends).some(({ kind }) => kind !== 'null')) throw malformed(object);
  return nodes.slice(0, nodes.length - ends);
}

/** The contents in the order in which the class writes them; null when nobody here knows it. */
function inOrder(
  { object, className, layout: { sortedBy } }: Stored,
  entries: readonly JavaEntry[],
  before: readonly JavaNode[],
): readonly JavaEntry[] | null {
  if (sortedBy === undefined) return entries;
  if (entries.length === before.length && entries.every(([key], index) => key === before[index])) return entries;
  const comparator = sortedBy === 'field' ? nodeOf(object, className, 'comparator') : writtenBy(object, className)[0];
  if (comparator?.kind !== 'null' || entries.some(([key]) => key.kind !== 'string')) return null;
  // Java compares UTF-16 units, as JavaScript does.
  const keyed = entries.map((entry) => ({ text: textOf(entry[0]), entry }));
  if (new Set(keyed.map(({ text }) => text)).size < keyed.length) return null;
  return keyed.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ entry }) => entry);
}

function withNodes({ object, className, layout }: Stored, nodes: readonly JavaNode[]): JavaObject {
  const { countAt, countField, ends = 0 } = layout;
  const count = MAPS[className] === undefined ? nodes.length : nodes.length / 2;
  const written = writtenBy(object, className);
  const blocks = written.flatMap((content, index): JavaContent[] => {
    if (content.kind === 'block') return [countAt === undefined ? content : counted(content, countAt, count)];
    return index === 0 && layout.sortedBy === 'content' ? [content] : [];
  });
  const after = [...blocks, ...nodes, ...Array<JavaNode>(ends).fill(JAVA_NULL)];
  return withPart(object, className, (part) => ({
    written: after,
    fields: countField === undefined ? part.fields : withField(part, countField, int32(count)),
  }));
}

function counted(block: JavaBlock, at: number, count: number): JavaBlock {
  const bytes = Uint8Array.from(block.bytes);
  viewOf(bytes).setInt32(at, count);
  return { ...block, bytes };
}

/** `List.of`, `Set.of`, `Map.of` and `Stream.toList`: a tag, and the elements in a block of their own. */
export const readImmutable: ShapeReader = (object, className) => {
  const tag = intOf(object, className, 'tag') & 0xff;
  const [, ...contents] = writtenBy(object, className);
  const count = viewOf(blockIn(object, writtenBy(object, className), 0, 4).bytes).getInt32(0);
  const elements = contents.filter((content): content is JavaNode => content.kind !== 'block');
  if (tag < 1 || tag > 4 || count !== elements.length || (tag === 3 && count % 2 !== 0)) throw malformed(object);
  const remade = (changed: readonly JavaNode[]) => {
    if (tag !== 4 && changed.includes(JAVA_NULL)) return null;
    // Java refuses to read a set that holds something twice.
    if (tag === 2 && new Set(changed.map((node) => (node.kind === 'string' ? textOf(node) : ''))).size < changed.length)
      return null;
    const block = counted(blockIn(object, partOf(object, className).written ?? [], 0, 4), 0, changed.length);
    return withPart(object, className, () => ({ written: [block, ...changed] }));
  };
  if (tag !== 3) return { is: 'list', elements, with: remade };
  const entries = Array.from(
    { length: count / 2 },
    (_, i): JavaEntry => [elements[2 * i] as JavaNode, elements[2 * i + 1] as JavaNode],
  );
  return { is: 'map', entries, with: (changed) => remade(changed.flat()) };
};

/** A vector keeps its elements in an array with room behind them. */
export const readVector: ShapeReader = (object, className) => {
  const count = intOf(object, className, 'elementCount');
  const array = nodeOf(object, className, 'elementData');
  if (array.kind !== 'array' || array.elements instanceof Uint8Array || count < 0 || count > array.length)
    throw malformed(object);
  const elements = array.elements.slice(0, count);
  return {
    is: 'list',
    elements,
    with: (changed) =>
      withPart(object, className, (part) => {
        const data: JavaNode = { ...array, elements: changed, length: changed.length };
        const fields = withField(part, 'elementData', data);
        return { fields: withField({ ...part, fields }, 'elementCount', int32(changed.length)) };
      }),
  };
};
