import { createHmac } from 'node:crypto';
import type { Clock } from '../../base/clock';
import { Problem } from '../../operations/problem';

/** Failures of one address that are forgiven within a window. */
const MAX_FAILURES = 10;
const WINDOW_MS = 5 * 60_000;
/** What is counted is told apart by so many places: memory has a bound, whatever is tried. */
const PLACES = 8_192;

/**
 * Counts the failed logins of each address. An address that fails too often waits. Nothing is counted by name: whoever fails would lock out the
 * person who has it.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #key: string;
  /** How often, and until when that is remembered, on the monotonic clock. */
  readonly #failures = new Map<number, { count: number; readonly until: number }>();

  /** `key`: of this process alone, so that nobody chooses whose place he shares. */
  constructor(clock: Clock, key: string) {
    this.#clock = clock;
    this.#key = key;
  }

  /**
   * Counts an attempt as failed before anything is compared, so that attempts at the same time cannot outrun the limit. Returns what takes that
   * back. Throws TOO_MANY_REQUESTS.
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

/** Whoever has one address of IPv6 has the 2^64 of its network. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address.replace(/^.*:(?=[\d.]+$)/, '');
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const first = head.split(':').filter((part) => part !== '');
  const last = tail?.split(':').filter((part) => part !== '') ?? [];
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
