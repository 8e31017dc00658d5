import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** The only source of randomness: everything random asks here, so that tests can give a seeded one. */
export interface RandomSource {
  /** Upper-bounded by `length` characters of lower-case base 36. */
  token(length: number): string;
}

/** Randomness of the operating system. */
export const systemRandom: RandomSource = {
  token(length) {
    let text = '';
    while (text.length < length) text += randomBytes(8).readBigUInt64BE().toString(36);
    return text.slice(0, length);
  },
};

/** An instance id no other process has: host, process id and ten random characters. */
export function newInstanceId(random: RandomSource): string {
  return `${hostname()}-${process.pid}-${random.token(10)}`;
}

/** Hands out fire instance ids: a random prefix per process start and a counter; never derived from a clock. */
export function fireInstanceIds(random: RandomSource): () => string {
  const epoch = random.token(10);
  let count = 0;
  return () => `${epoch}.${(++count).toString(36)}`;
}
