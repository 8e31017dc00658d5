import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** The only source of randomness: everything random asks here, so that tests can give a seeded one. */
export interface RandomSource {
  /** Upper-bounded by `length` characters of lower-case base 36. */
  token(length: number): string;
}

/** 64 bits take so many digits of base 36. The first two are not evenly distributed: the first is a 3 at most. */
const DIGITS = 13;
const UNEVEN_DIGITS = 2;

/** Randomness of the operating system; every character is as likely as any other. */
export const systemRandom: RandomSource = {
  token(length) {
    let text = '';
    while (text.length < length) {
      text += randomBytes(8).readBigUInt64BE().toString(36).padStart(DIGITS, '0').slice(UNEVEN_DIGITS);
    }
    return text.slice(0, length);
  },
};

/** An instance id no other process has: host, process id and ten random characters. */
export function newInstanceId(random: RandomSource): string {
  return `${hostname()}-${process.pid}-${random.token(10)}`;
}

/** Hands out run ids: a random prefix per process start and a counter; never derived from a clock. */
export function runIdSource(random: RandomSource): () => string {
  const epoch = random.token(10);
  let count = 0;
  return () => `${epoch}.${(++count).toString(36)}`;
}

/** Bytes of a hash that a number holds exactly. */
const NUMBER_BYTES = 6;

/** A number below 2^48 that is the same for a text on every machine and in every version: the beginning of its SHA-256, as UTF-8. */
export function numberDrawnFrom(text: string): number {
  return createHash('sha256').update(text, 'utf8').digest().readUIntBE(0, NUMBER_BYTES);
}
