import { signal } from '@preact/signals';
import { Problem } from '../../../src/operations/problem';
import { serverNow } from './clock';

/** Outage of the console or its database. While it lasts, the page shows outdated data. */
export interface Outage {
  readonly of: 'console' | 'database';
  /** Time of the last response, in epoch milliseconds. */
  readonly since: number;
  /** Error message of the server, or null if it sent none. */
  readonly reason: string | null;
}

export const outage = signal<Outage | null>(null);

/** Time without any response, although requests are pending, after which an outage begins. In milliseconds. */
const MAX_SILENCE = 5_000;
let lastAnswerAt = serverNow();
/** Time of the last event of the event stream, in epoch milliseconds. The stream works without the database. */
let lastEventAt = 0;

let pending = 0;
/** Timer that begins an outage. Starts with the first request after the last response, as a refreshing page aborts requests before `MAX_SILENCE`. */
let silenceTimer: ReturnType<typeof setTimeout> | null = null;

/** Tracks whether a request is answered, and begins or ends an outage accordingly. Resolves or rejects as `request` does. */
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

/** Records an event of the event stream. If requests fail while events arrive, the database is the cause of the outage. */
export function noteEvent(): void {
  lastEventAt = serverNow();
  if (outage.peek()?.of === 'console') beginOutage('database', null);
}

/** Returns true for errors that only show an outage of the console or its database, which the outage bar reports once for the whole page. */
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
