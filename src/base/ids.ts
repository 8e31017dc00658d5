import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** Source of all randomness, so that tests can replace it with a seeded source. */
export interface RandomSource {
  /** Returns `length` random characters of base 36: digits and lower-case letters. */
  token(length: number): string;
}

const FRACTION_CHARACTERS = 8;

/** Returns a random number from 0 (inclusive) to 1 (exclusive). */
export function randomFraction(random: RandomSource): number {
  return Number.parseInt(random.token(FRACTION_CHARACTERS), 36) / 36 ** FRACTION_CHARACTERS;
}

/** Number of base-36 digits of a 64-bit number. The first two are discarded, because they are not uniformly distributed: the first is at most 3. */
const DIGITS = 13;
const UNEVEN_DIGITS = 2;

/** Random source of the operating system. All characters are equally likely. */
export const systemRandom: RandomSource = {
  token(length) {
    let text = '';
    while (text.length < length) {
      text += randomBytes(8).readBigUInt64BE().toString(36).padStart(DIGITS, '0').slice(UNEVEN_DIGITS);
    }
    return text.slice(0, length);
  },
};

export function newInstanceId(random: RandomSource): string {
  return `${hostname()}-${process.pid}-${random.token(10)}`;
}

/** Returns a generator of unique run ids. An id consists of a random prefix per process and a counter, and does not depend on a clock. */
export function runIdSource(random: RandomSource): () => string {
  const epoch = random.token(10);
  let count = 0;
  return () => `${epoch}.${(++count).toString(36)}`;
}

/** Number of bytes of a hash that a JavaScript number can represent exactly. */
const NUMBER_BYTES = 6;

/** Hashes a string to a whole number below 2^48: the first bytes of its SHA-256. The number is the same on every machine and in every version. */
export function numberDrawnFrom(text: string): number {
  return createHash('sha256').update(text, 'utf8').digest().readUIntBE(0, NUMBER_BYTES);
}
