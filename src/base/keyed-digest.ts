import { createHmac } from 'node:crypto';

const CHARACTERS = 22;

/** Returns a short HMAC of a string, equal for equal strings. Without the key, a guessed string cannot be compared with the digest. */
export function keyedDigest(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, CHARACTERS);
}
