import { createHmac } from 'node:crypto';

const CHARACTERS = 22;

/** Returns a short digest, equal for equal texts. Without the key, it cannot be used to check guesses of the text. */
export function keyedDigest(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, CHARACTERS);
}
