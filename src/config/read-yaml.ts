import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from 'yaml';
import type { JsonValue } from '../domain/job-data';
import { parseYaml } from './parse-yaml';
import { ConfigurationError, type Problem, problemAt } from './problem';
import { lineIndex, MAX_NESTING, type Path, type Position, quoted, type SourceDocument } from './source-document';

/** How many values aliases (`*name`) may add to a document: enough for shared blocks, far too few for a bomb. */
const MAX_ALIASED_VALUES = 10_000;

/** How many problems are collected before reading ends. */
const MAX_PROBLEMS = 1_000;

/** Reads YAML 1.2 as plain data. Throws ConfigurationError with every problem of syntax. */
export function readYaml(text: string, file: string): SourceDocument {
  const root = parseYaml(text, file)?.contents as Node | null | undefined;
  const positionOf = lineIndex(text);
  if (!root) return { file, data: null, position: () => positionOf(0) };
  const reading = {
    file,
    positionOf,
    anchors: new Map(),
    targets: new Map(),
    entries: new Map(),
    problems: [],
    aliased: 0,
  };
  const data = readNode(reading, root, { path: [], offset: 0, insideAlias: false });
  if (reading.problems.length > 0) throw new ConfigurationError(reading.problems);
  return { file, data, position: (path, part) => positionOf(offsetOf(reading, root, path, part)) };
}

type Entry = Pair<Node, Node | null>;

/** One reading of a tree, and what its nodes turned out to be. */
interface Reading {
  readonly file: string;
  readonly positionOf: (offset: number) => Position;
  readonly anchors: Map<string, Node>;
  /** By alias: an anchor may be given again further down. */
  readonly targets: Map<Node, Node>;
  readonly entries: Map<YAMLMap, Map<string, Entry>>;
  readonly problems: Problem[];
  aliased: number;
}

interface Place {
  readonly path: Path;
  /** Where the node begins; of one that is empty, where its key does. */
  readonly offset: number;
  readonly insideAlias: boolean;
}

/** Where the part of the tree at `path` begins, as far down as it exists. */
function offsetOf(reading: Reading, root: Node, path: Path, part: 'key' | 'value' = 'value'): number {
  let node: Node | null = root;
  let keyOffset = 0;
  let offset = startOf(root, 0);
  for (const segment of path) {
    const entry: Entry | undefined = isMap(node) ? reading.entries.get(node)?.get(String(segment)) : undefined;
    const child: Node | null | undefined = isSeq(node)
      ? (node.items[Number(segment)] as Node | null | undefined)
      : entry?.value;
    if (child === undefined) return offset;
    keyOffset = startOf(entry === undefined ? child : entry.key, offset);
    node = child === null ? null : (reading.targets.get(child) ?? child);
    offset = startOf(node, keyOffset);
  }
  return part === 'key' ? keyOffset : offset;
}

function startOf(node: Node | null, otherwise: number): number {
  return node?.range?.[0] ?? otherwise;
}

function readNode(reading: Reading, node: Node | null, place: Place): JsonValue {
  if (place.insideAlias && ++reading.aliased > MAX_ALIASED_VALUES)
    throw refused(reading, place, `expected aliases that add at most ${MAX_ALIASED_VALUES} values, found more`);
  if (place.path.length > MAX_NESTING)
    throw refused(reading, place, `expected at most ${MAX_NESTING} nested levels, found more (an alias of itself?)`);
  if (node === null) return null;
  if (isAlias(node)) {
    const target = reading.anchors.get(node.source);
    if (target !== undefined) {
      reading.targets.set(node, target);
      return readNode(reading, target, { ...place, offset: startOf(target, place.offset), insideAlias: true });
    }
    // Without the name: what was meant as a text, such as a password, may begin with `*`.
    const message = 'expected an anchor before its alias, found none; put the value in quotes if `*` begins a text';
    throw refused(reading, place, message);
  }
  if (node.anchor !== undefined && !place.insideAlias) reading.anchors.set(node.anchor, node);
  if (isMap(node)) return readMap(reading, node, place);
  if (isSeq(node)) return node.items.map((item, index) => readChild(reading, item as Node | null, place, index));
  return isScalar(node) ? readScalar(reading, node, place) : null;
}

function readChild(reading: Reading, node: Node | null, parent: Place, key: string | number): JsonValue {
  return readNode(reading, node, { ...parent, path: [...parent.path, key], offset: startOf(node, parent.offset) });
}

function readMap(reading: Reading, map: YAMLMap, place: Place): JsonValue {
  const data: Record<string, JsonValue> = {};
  const entries = new Map<string, Entry>();
  for (const entry of map.items as Entry[]) {
    const offset = startOf(entry.key, place.offset);
    const fault = keyFault(entry.key, entries);
    if (reading.problems.length >= MAX_PROBLEMS) throw new ConfigurationError(reading.problems);
    if (fault !== null) {
      reading.problems.push(problemIn(reading, { ...place, offset }, fault));
      continue;
    }
    const key = String((entry.key as unknown as Scalar).value);
    entries.set(key, entry);
    data[key] = readChild(reading, entry.value, { ...place, offset }, key);
  }
  reading.entries.set(map, entries);
  return data;
}

/** Each key once, and only texts; numbers and booleans are taken as the texts they are written as. */
function keyFault(node: Node | null, known: ReadonlyMap<string, unknown>): string | null {
  if (!isScalar(node) || node.value === null) return 'expected a text as key, found something else';
  const key = String(node.value);
  if (key === '') return 'expected a text as key, found an empty one';
  if (key === '__proto__') return `expected a text as key, found ${quoted(key)}`;
  // Merging is no part of YAML 1.2; taken as a key like others, `<<` would become data.
  if (node.value === '<<' && node.type === 'PLAIN')
    return 'expected the keys themselves, found `<<`; repeat the keys, or share a whole value by `*name`';
  return known.has(key) ? `expected each key once, found ${quoted(key)} again` : null;
}

/** Texts, numbers, true, false and null: what JSON has too. */
function readScalar(reading: Reading, { value, source = '' }: Scalar, place: Place): JsonValue {
  const isPlain = value === null || ['boolean', 'number', 'string'].includes(typeof value);
  if (isPlain && !isRounded(value, source)) return value as JsonValue;
  const message = isPlain
    ? 'expected a number that can be kept as it is, found a larger one; put it in quotes to keep it as text'
    : 'expected a plain value, found a tag (`!!name`) that asks for another; leave it out';
  reading.problems.push(problemIn(reading, place, message));
  return null;
}

/** Digits that a number cannot hold would be lost without a word: of an order number, of an account. */
function isRounded(value: unknown, source: string): boolean {
  if (typeof value !== 'number') return false;
  if (/^([-+]?\d+|0[xo][\da-f]+)$/i.test(source)) return !Number.isSafeInteger(value);
  return !Number.isFinite(value) && /\d/.test(source);
}

function refused(reading: Reading, place: Place, message: string): ConfigurationError {
  const problem = problemIn(reading, { ...place, path: place.path.slice(0, 8) }, message);
  return new ConfigurationError([...reading.problems, problem]);
}

function problemIn({ file, positionOf }: Reading, { path, offset }: Place, message: string): Problem {
  return problemAt({ file, data: null, position: () => positionOf(offset) }, { path, message });
}
