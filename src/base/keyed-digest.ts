import { createHmac } from 'node:crypto';

const CHARACTERS = 22;

/** A short digest of a text: equal for equal texts, and of no use to anyone without the key who tries guesses at the text. */
export function keyedDigest(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, CHARACTERS);
}
