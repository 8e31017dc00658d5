import { createHmac } from 'node:crypto';
import type { Clock } from '../../base/clock';
import { Problem } from '../../operations/problem';

/** Failures that are forgiven, of one address and of one name, within a window. */
const MOST = { address: 10, name: 30 } as const;
const WINDOW_MS = 5 * 60_000;
/** What is counted is told apart by so many places: memory has a bound, whatever is tried. */
const PLACES = 8_192;

/** Counts who has failed to log in. An address that does so again and again waits; so does whoever is guessed at, after more attempts. */
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

  /** Throws TOO_MANY_REQUESTS, before anything is compared. */
  check(from: string | null, name: string | null): void {
    const now = this.#clock.monotonic();
    for (const [kind, place] of this.#places(from, name)) {
      const failures = this.#failures.get(place);
      if (failures === undefined || failures.until <= now || failures.count < MOST[kind]) continue;
      const retryAfterS = Math.ceil((failures.until - now) / 1_000);
      throw new Problem('TOO_MANY_REQUESTS', `Too many failed attempts. Try again in ${retryAfterS} s.`, {
        retryAfterS,
      });
    }
  }

  failed(from: string | null, name: string | null): void {
    const now = this.#clock.monotonic();
    for (const [, place] of this.#places(from, name)) {
      const failures = this.#failures.get(place);
      if (failures !== undefined && failures.until > now) failures.count++;
      else this.#failures.set(place, { count: 1, until: now + WINDOW_MS });
    }
  }

  #places(from: string | null, name: string | null): readonly (readonly ['address' | 'name', number])[] {
    const address = ['address', this.#place(`address ${networkOf(from ?? 'none')}`)] as const;
    return name === null ? [address] : [address, ['name', this.#place(`name ${name}`) + PLACES]];
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
