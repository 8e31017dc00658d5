import { createHash, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { badArgument } from './errors';
import { type RandomSource, systemRandom } from './ids';

/** Maximum length of a password or token, in UTF-16 code units. The limit bounds the time to hash it. */
export const MAX_SECRET = 1_024;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** Cost parameters of new password hashes. A hash takes about 32 MB and a tenth of a second on one core. */
const COST = { N: 32_768, r: 8, p: 1 } as const;
const MAX_MEMORY = 128 * 1_048_576;
const HASH_BYTES = 32;
/** Length of a salt in base-36 characters, which is more than 120 bits. */
const SALT_CHARACTERS = 24;
/** Length of a new token in base-36 characters. With more than 200 bits it cannot be guessed, so that a fast hash is sufficient. */
const TOKEN_CHARACTERS = 40;

const TOKEN_HASH = /^sha256:([0-9a-f]{64})$/;
const PASSWORD_HASH = /^scrypt:(\d{1,7}):(\d{1,2}):(\d{1,2}):([A-Za-z0-9+/=_-]{8,128}):([0-9a-f]{64})$/;

/** Returns a new random token of 40 characters. */
export function newToken(random: RandomSource = systemRandom): string {
  return random.token(TOKEN_CHARACTERS);
}

/** Minimum length of a token whose hash may be stored: 24 base-36 characters have more than 120 bits. */
export const MIN_TOKEN = 24;

/** Returns true if the token is printable ASCII and long enough to be random. A shorter token could be guessed from its hash. */
export function isWorthAHash(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token) && token.length >= MIN_TOKEN && token.length <= MAX_SECRET;
}

/**
 * Hashes a random token for the option `tokens`: `sha256:…`. Throws INVALID_ARGUMENT unless it has 1 to 1,024 characters. Too fast for passwords:
 * use `hashPassword`.
 */
export function hashToken(token: string): string {
  if (typeof token !== 'string' || token === '' || token.length > MAX_SECRET)
    throw badArgument(`Expected a token of 1 to ${MAX_SECRET} characters.`);
  return `sha256:${digest(token).toString('hex')}`;
}

/** Hashes a password for the option `users`, with a random salt: `scrypt:…`. Rejects with INVALID_ARGUMENT unless it has 1 to 1,024 characters. */
export async function hashPassword(password: string, random: RandomSource = systemRandom): Promise<string> {
  if (typeof password !== 'string' || password === '' || password.length > MAX_SECRET)
    throw badArgument(`Expected a password of 1 to ${MAX_SECRET} characters.`);
  const salt = random.token(SALT_CHARACTERS);
  const { N, r, p } = COST;
  const hash = await derive(password, Buffer.from(salt), HASH_BYTES, { N, r, p, maxmem: MAX_MEMORY });
  return `scrypt:${N}:${r}:${p}:${salt}:${hash.toString('hex')}`;
}

export function isTokenHash(text: string): boolean {
  return TOKEN_HASH.test(text);
}

/** Returns false if the cost of the hash needs more than 128 MB. */
export function isPasswordHash(text: string): boolean {
  const [, N, r, p] = (PASSWORD_HASH.exec(text) ?? []).map(Number);
  if (N === undefined || r === undefined || p === undefined) return false;
  const isPower = N > 1 && (N & (N - 1)) === 0;
  return isPower && r >= 1 && p >= 1 && p <= 16 && 128 * N * r + 128 * r * (p + 2) <= MAX_MEMORY;
}

/** Compares in constant time. */
export function isToken(token: string, hash: string): boolean {
  const expected = Buffer.from(TOKEN_HASH.exec(hash)?.[1] ?? '', 'hex');
  const found = digest(token);
  return expected.length === found.length && timingSafeEqual(found, expected);
}

/** Compares in constant time. */
export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, N, r, p, salt = '', expected = ''] = PASSWORD_HASH.exec(hash) ?? [];
  const cost = { N: Number(N), r: Number(r), p: Number(p), maxmem: MAX_MEMORY };
  const found = await derive(password, Buffer.from(salt), HASH_BYTES, cost);
  return timingSafeEqual(found, Buffer.from(expected, 'hex'));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
