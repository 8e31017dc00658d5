import { signal } from '@preact/signals';
import { Problem } from '../../../src/operations/problem';
import { serverNow } from './clock';

/** Outage of the console or its database, during which the data on the page is old. */
export interface Outage {
  /** Side that does not answer. */
  readonly of: 'console' | 'database';
  /** Time of the last answer. Epoch milliseconds. */
  readonly since: number;
  /** Message of the server, such as an error code; null if it sent none. */
  readonly reason: string | null;
}

/** Current outage, or null while the console and its database answer. */
export const outage = signal<Outage | null>(null);

/** Requests without an answer for this long count as an outage until any request is answered. Milliseconds. */
const MAX_SILENCE = 5_000;
let lastAnswerAt = serverNow();
/** Time of the last event of the console's stream, which needs no database. Epoch milliseconds. */
let lastEventAt = 0;

let pending = 0;
/** Runs from the first request after the last answer: a page that keeps refreshing aborts its requests before they are this old. */
let silenceTimer: ReturnType<typeof setTimeout> | null = null;

/** Tracks whether a request is answered. Resolves and rejects like the request. */
export async function trackRequest<T>(request: Promise<T>): Promise<T> {
  pending++;
  silenceTimer ??= setTimeout(
    () => beginOutage(lastEventAt > lastAnswerAt ? 'database' : 'console', null),
    MAX_SILENCE,
  );
  try {
    const answer = await request;
    endOutage();
    return answer;
  } catch (error) {
    if (isOfDatabase(error)) beginOutage('database', error.message);
    else if (error instanceof TypeError) beginOutage('console', null);
    else if (error instanceof Problem) endOutage();
    throw error;
  } finally {
    if (--pending === 0) clearSilenceTimer();
  }
}

/** Records an event of the console's stream. If requests get no answer at the same time, the database is the cause. */
export function noteEvent(): void {
  lastEventAt = serverNow();
  if (outage.peek()?.of === 'console') beginOutage('database', null);
}

/** True for an error that only means that the console or its database does not answer. The outage bar shows it once for all. */
export function isOutage(error: unknown): boolean {
  return error instanceof TypeError || isOfDatabase(error);
}

function isOfDatabase(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'STORE_FAILURE';
}

function beginOutage(of: Outage['of'], reason: string | null): void {
  if (outage.peek()?.of === of) return;
  outage.value = { of, since: lastAnswerAt, reason };
}

function endOutage(): void {
  lastAnswerAt = serverNow();
  outage.value = null;
  clearSilenceTimer();
}

function clearSilenceTimer(): void {
  if (silenceTimer !== null) clearTimeout(silenceTimer);
  silenceTimer = null;
}
