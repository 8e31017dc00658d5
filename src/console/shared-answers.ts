import type { Clock } from '../base/clock';

/** So long an answer is given to others who ask the same. Less than a page waits after it was told of a change, so that it sees that change. */
const SHARED_MS = 900;

/** So many answers are kept at a time. */
const MAX_KEPT = 100;

interface Given {
  readonly begun: number;
  readonly answer: Promise<unknown>;
}

/** Answers that many ask for at a time: they are worked out once. */
export class SharedAnswers {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #given = new Map<string, Given>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** The answer to a question by what it asks: that of a moment ago, or what `ask` answers now. */
  take(question: string, ask: () => Promise<unknown>): Promise<unknown> {
    const now = this.#clock.monotonic();
    for (const [each, { begun }] of this.#given) if (now - begun > SHARED_MS) this.#given.delete(each);
    const known = this.#given.get(question);
    if (known !== undefined) return known.answer;
    const answer = ask();
    if (this.#given.size >= MAX_KEPT) return answer;
    this.#given.set(question, { begun: now, answer });
    // Whoever waits for it is told why it failed; the next one asks anew.
    answer.catch(() => this.#given.delete(question));
    return answer;
  }
}

/** Whether whoever asks may be given an answer of a moment ago: `Cache-Control: max-age=1`, or more. */
export function acceptsShared(headers: Headers): boolean {
  const [, seconds = '0'] = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/.exec(headers.get('cache-control') ?? '') ?? [];
  return Number(seconds) >= 1;
}
