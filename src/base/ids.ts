import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** The only source of randomness, so that tests can replace it by a seeded one. */
export interface RandomSource {
  /** Returns `length` random characters of lower-case base 36. */
  token(length: number): string;
}

/** Number of base-36 digits of a 64-bit number. The first two are not uniformly distributed: the first is at most 3. */
const DIGITS = 13;
const UNEVEN_DIGITS = 2;

/** Randomness of the operating system. All characters are equally likely. */
export const systemRandom: RandomSource = {
  token(length) {
    let text = '';
    while (text.length < length) {
      text += randomBytes(8).readBigUInt64BE().toString(36).padStart(DIGITS, '0').slice(UNEVEN_DIGITS);
    }
    return text.slice(0, length);
  },
};

/** Returns an instance id that no other process has: host, process id and ten random characters. */
export function newInstanceId(random: RandomSource): string {
  return `${hostname()}-${process.pid}-${random.token(10)}`;
}

/**
 * Returns a generator of run ids. An id has a random prefix per process and a counter, and never depends on a clock.
 */
export function runIdSource(random: RandomSource): () => string {
  const epoch = random.token(10);
  let count = 0;
  return () => `${epoch}.${(++count).toString(36)}`;
}

/** Number of hash bytes that a JavaScript number represents exactly. */
const NUMBER_BYTES = 6;

/**
 * Returns a number below 2^48 that depends only on the text, on every machine and in every version: the start of its
 * SHA-256 as UTF-8.
 */
export function numberDrawnFrom(text: string): number {
  return createHash('sha256').update(text, 'utf8').digest().readUIntBE(0, NUMBER_BYTES);
}
