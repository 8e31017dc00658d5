import { createHash, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { SchedulerError } from './errors';
import { type RandomSource, systemRandom } from './ids';

/** Maximum length of a password or token, in UTF-16 code units. Longer ones only cost time. */
export const MAX_SECRET = 1_024;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** Cost of new password hashes: about 32 MB and a tenth of a second on one core. */
const COST = { N: 32_768, r: 8, p: 1 } as const;
/** Maximum memory for checking a hash: 128 MB. */
const MAX_MEMORY = 128 * 1_048_576;
const HASH_BYTES = 32;
/** Length of a salt. 24 characters of base 36 have more than 120 bits. */
const SALT_CHARACTERS = 24;
/**
 * Length of a new token. 40 characters of base 36 have more than 200 bits and cannot be guessed, so a fast hash
 * suffices.
 */
const TOKEN_CHARACTERS = 40;

const TOKEN_HASH = /^sha256:([0-9a-f]{64})$/;
const PASSWORD_HASH = /^scrypt:(\d{1,7}):(\d{1,2}):(\d{1,2}):([A-Za-z0-9+/=_-]{8,128}):([0-9a-f]{64})$/;

/** Returns a new random token. */
export function newToken(random: RandomSource = systemRandom): string {
  return random.token(TOKEN_CHARACTERS);
}

/** Minimum length of a token that may be stored as a hash: 24 characters of base 36 have more than 120 bits. */
export const MIN_TOKEN = 24;

/** True if the token is long enough to be random. A shorter one could be guessed from its hash. */
export function isWorthAHash(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token) && token.length >= MIN_TOKEN && token.length <= MAX_SECRET;
}

/**
 * Returns the hash of a random token for the option `tokens`: `sha256:…`. This hash is too fast for passwords: see
 * `hashPassword`.
 */
export function hashToken(token: string): string {
  if (typeof token !== 'string' || token === '' || token.length > MAX_SECRET)
    throw new SchedulerError('INVALID_ARGUMENT', `Expected a token of 1 to ${MAX_SECRET} characters.`);
  return `sha256:${digest(token).toString('hex')}`;
}

/** Returns the hash of a password for the option `users`: `scrypt:…`, with a random salt. */
export async function hashPassword(password: string, random: RandomSource = systemRandom): Promise<string> {
  if (typeof password !== 'string' || password === '' || password.length > MAX_SECRET)
    throw new SchedulerError('INVALID_ARGUMENT', `Expected a password of 1 to ${MAX_SECRET} characters.`);
  const salt = random.token(SALT_CHARACTERS);
  const { N, r, p } = COST;
  const hash = await derive(password, Buffer.from(salt), HASH_BYTES, { N, r, p, maxmem: MAX_MEMORY });
  return `scrypt:${N}:${r}:${p}:${salt}:${hash.toString('hex')}`;
}

/** True if the text is a hash from `hashToken`. */
export function isTokenHash(text: string): boolean {
  return TOKEN_HASH.test(text);
}

/** True if the text is a hash from `hashPassword` with an allowed cost. */
export function isPasswordHash(text: string): boolean {
  const [, N, r, p] = (PASSWORD_HASH.exec(text) ?? []).map(Number);
  if (N === undefined || r === undefined || p === undefined) return false;
  const isPower = N > 1 && (N & (N - 1)) === 0;
  return isPower && r >= 1 && p >= 1 && p <= 16 && 128 * N * r + 128 * r * (p + 2) <= MAX_MEMORY;
}

/** True if the token matches the hash. Runs in constant time. */
export function isToken(token: string, hash: string): boolean {
  const expected = Buffer.from(TOKEN_HASH.exec(hash)?.[1] ?? '', 'hex');
  const found = digest(token);
  return expected.length === found.length && timingSafeEqual(found, expected);
}

/** True if the password matches the hash. Runs in constant time. */
export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, N, r, p, salt = '', expected = ''] = PASSWORD_HASH.exec(hash) ?? [];
  const cost = { N: Number(N), r: Number(r), p: Number(p), maxmem: MAX_MEMORY };
  const found = await derive(password, Buffer.from(salt), HASH_BYTES, cost);
  return timingSafeEqual(found, Buffer.from(expected, 'hex'));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
