import type { Clock } from '../base/clock';

/** Time in milliseconds for which an answer is shared. Shorter than a page waits after a change event, so that the page sees the change. */
const SHARED_MS = 900;

/** Maximum number of answers kept at the same time. */
const MAX_KEPT = 100;

interface Given {
  readonly begun: number;
  readonly answer: Promise<unknown>;
}

/** Answers that several clients request at the same time, computed once. */
export class SharedAnswers {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #given = new Map<string, Given>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Returns a recent answer to the same `question`, or calls `ask` for a new one. */
  take(question: string, ask: () => Promise<unknown>): Promise<unknown> {
    const now = this.#clock.monotonic();
    for (const [each, { begun }] of this.#given) if (now - begun > SHARED_MS) this.#given.delete(each);
    const known = this.#given.get(question);
    if (known !== undefined) return known.answer;
    const answer = ask();
    if (this.#given.size >= MAX_KEPT) return answer;
    this.#given.set(question, { begun: now, answer });
    // A failure reaches the clients that wait for it, and is not kept.
    answer.catch(() => this.#given.delete(question));
    return answer;
  }
}

/** True if the client accepts a recent answer: `Cache-Control: max-age=1` or more. */
export function acceptsShared(headers: Headers): boolean {
  const [, seconds = '0'] = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/.exec(headers.get('cache-control') ?? '') ?? [];
  return Number(seconds) >= 1;
}
