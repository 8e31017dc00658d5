import { createHmac } from 'node:crypto';
import type { Clock } from '../../base/clock';
import { Problem } from '../../operations/problem';

/** Maximum number of failed logins per address in 5 minutes. */
const MAX_FAILURES = 10;
const WINDOW_MS = 5 * 60_000;
/** Number of counters. Each address is hashed to one counter, so that memory is limited. */
const PLACES = 8_192;

/** Limits the failed logins of each address per time window. Failures are not counted per user, because an attacker could lock out the user. */
export class Attempts {
  readonly #clock: Clock;
  readonly #key: string;
  /** Number of failures per counter, and the end of the counter's window in monotonic time. */
  readonly #failures = new Map<number, { count: number; readonly until: number }>();

  /** `key`: random secret of this process, which keeps an attacker from computing which addresses share a counter. */
  constructor(clock: Clock, key: string) {
    this.#clock = clock;
    this.#key = key;
  }

  /**
   * Counts an attempt as failed, before the password check, so that concurrent attempts cannot exceed the limit. Returns a function that undoes the
   * count. Throws TOO_MANY_REQUESTS if the address has too many failures.
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

/** Returns the /64 network of an IPv6 address, because one client usually controls all of it, or an IPv4 address without `::ffff:`. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address.replace(/^.*:(?=[\d.]+$)/, '');
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const first = head.split(':').filter((part) => part !== '');
  const last = tail?.split(':').filter((part) => part !== '') ?? [];
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
