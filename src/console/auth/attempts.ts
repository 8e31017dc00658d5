import { createHmac } from 'node:crypto';
import type { Clock } from '../../base/clock';
import { Problem } from '../../operations/problem';

/** Number of failed logins that an address may have within a window. */
const MAX_FAILURES = 10;
const WINDOW_MS = 5 * 60_000;
/** Number of counters. Addresses are hashed to them, which bounds the memory. */
const PLACES = 8_192;

/**
 * Counts the failed logins of each address. An address with too many failures has to wait. Failures are not counted by user name, because
 * an attacker could then lock out the user.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #key: string;
  /** Failures of each counter, and the end of their window on the monotonic clock. */
  readonly #failures = new Map<number, { count: number; readonly until: number }>();

  /** `key`: secret of this process, so that an attacker cannot choose to share the counter of another address. */
  constructor(clock: Clock, key: string) {
    this.#clock = clock;
    this.#key = key;
  }

  /**
   * Counts an attempt as failed before the comparison, so that parallel attempts cannot exceed the limit. Returns a function that undoes
   * this. Throws TOO_MANY_REQUESTS.
   */
  begin(from: string | null): () => void {
    const now = this.#clock.monotonic();
    const place = this.#place(`address ${networkOf(from ?? 'none')}`);
    const known = this.#failures.get(place);
    const failures = known === undefined || known.until <= now ? { count: 0, until: now + WINDOW_MS } : known;
    if (failures.count >= MAX_FAILURES) {
      const retryAfterS = Math.ceil((failures.until - now) / 1_000);
      throw new Problem('TOO_MANY_REQUESTS', `Too many failed attempts. Try again in ${retryAfterS} s.`, {
        retryAfterS,
      });
    }
    failures.count++;
    this.#failures.set(place, failures);
    return () => {
      failures.count--;
    };
  }

  #place(text: string): number {
    return createHmac('sha256', this.#key).update(text).digest().readUInt32BE(0) % PLACES;
  }
}

/** Returns the /64 network of an IPv6 address, because the holder of one address has all 2^64 of them. Returns IPv4 addresses unchanged. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address.replace(/^.*:(?=[\d.]+$)/, '');
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const first = head.split(':').filter((part) => part !== '');
  const last = tail?.split(':').filter((part) => part !== '') ?? [];
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
