import { createHmac } from 'node:crypto';

const CHARACTERS = 22;

/** Returns a short digest of a text, the same for equal texts. Without the key, a guess of the text cannot be checked against the digest. */
export function keyedDigest(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, CHARACTERS);
}
