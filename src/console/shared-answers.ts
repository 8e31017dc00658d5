import type { Clock } from '../base/clock';

/** Time in milliseconds for which an answer is shared. After a change event, pages wait longer, so that no answer was computed before the change. */
const SHARED_MS = 900;

/** Maximum number of stored answers. Further answers are not shared. */
const MAX_KEPT = 100;

/** Answers that several clients request at about the same time and that are computed only once. */
export class SharedAnswers {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #given = new Map<string, { readonly startedAt: number; readonly answer: Promise<unknown> }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Returns a recent answer to the same `question`. If there is none, calls `compute` and shares its answer. */
  take(question: string, compute: () => Promise<unknown>): Promise<unknown> {
    const now = this.#clock.monotonic();
    for (const [each, { startedAt }] of this.#given) if (now - startedAt > SHARED_MS) this.#given.delete(each);
    const known = this.#given.get(question);
    if (known !== undefined) return known.answer;
    const answer = compute();
    if (this.#given.size >= MAX_KEPT) return answer;
    this.#given.set(question, { startedAt: now, answer });
    // A failure is returned to all clients that are waiting for the answer, but is not stored.
    answer.catch(() => this.#given.delete(question));
    return answer;
  }
}

/** True if the client accepts a recent answer: its `Cache-Control` contains `max-age` with at least 1 second. */
export function acceptsShared(headers: Headers): boolean {
  const [, seconds = '0'] = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/.exec(headers.get('cache-control') ?? '') ?? [];
  return Number(seconds) >= 1;
}
