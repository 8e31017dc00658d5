import { isScalar, type Node, type Scalar } from 'yaml';
import type { JsonValue } from '../domain/job-data';
import { quoted } from './source-document';

/** A scalar as plain data, or what is wrong with it. */
export type ReadScalar = { readonly data: JsonValue } | { readonly fault: string };

/** Texts, numbers, true, false and null: what JSON has too. */
export function readScalar({ value, source = '' }: Scalar): ReadScalar {
  if (typeof value === 'number' && isRounded(value, source)) return { fault: ROUNDED };
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return { data: value };
  return { fault: 'expected a plain value, found a tag (`!!name`) that asks for another; leave it out' };
}

const ROUNDED = 'expected a number that can be kept as it is, found a larger one; put it in quotes to keep it as text';

/** Digits that a number cannot hold would be lost without a word: of an order number, of an account. */
function isRounded(value: number, source: string): boolean {
  if (/^([-+]?\d+|0[xo][\da-f]+)$/i.test(source)) return !Number.isSafeInteger(value);
  return !Number.isFinite(value) && /\d/.test(source);
}

/** The key of a map as text, or what is wrong with it. */
export type ReadKey = { readonly key: string } | { readonly fault: string };

/** Each key once, and only texts; numbers and booleans are taken as the texts they are written as. */
export function readKey(node: Node | null, known: ReadonlyMap<string, unknown>): ReadKey {
  if (!isScalar(node) || node.value === null) return { fault: 'expected a text as key, found something else' };
  const key = String(node.value);
  if (key === '') return { fault: 'expected a text as key, found an empty one' };
  if (key === '__proto__') return { fault: `expected a text as key, found ${quoted(key)}` };
  if (isMergeKey(node)) return { fault: MERGE_KEY };
  return known.has(key) ? { fault: `expected each key once, found ${quoted(key)} again` } : { key };
}

/** Merging is no part of YAML 1.2; taken as a key like others, `<<` would become data. */
function isMergeKey({ value, type }: Scalar): boolean {
  return value === '<<' && type === 'PLAIN';
}

const MERGE_KEY = 'expected the keys themselves, found `<<`; repeat the keys, or share a whole value by `*name`';
