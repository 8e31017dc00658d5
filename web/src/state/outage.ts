import { signal } from '@preact/signals';
import { Problem } from '../../../src/operations/problem';
import { serverNow } from './clock';

/** Why the figures on the page may be old. */
export interface Outage {
  /** Which side does not answer. */
  readonly of: 'console' | 'database';
  /** Time of the last answer. Epoch milliseconds. */
  readonly since: number;
  /** What the server said, such as an error code; null: it said nothing. */
  readonly reason: string | null;
}

/** Null while the console and its database answer. */
export const outage = signal<Outage | null>(null);

/** Requests without an answer for this long count as an outage until any request is answered. Milliseconds. */
const MAX_SILENCE = 5_000;
let lastAnswerAt = serverNow();
/** Time of the last sign of the console's event stream, which needs no database. Epoch milliseconds. */
let lastEventAt = 0;

let pending = 0;
/** Runs from the first request after the last answer: a page that asks again and again gives up its requests before they are old. */
let silence: ReturnType<typeof setTimeout> | null = null;

/** Watches one request. Resolves and rejects as it does. */
export async function watched<T>(request: Promise<T>): Promise<T> {
  pending++;
  silence ??= setTimeout(() => begins(lastEventAt > lastAnswerAt ? 'database' : 'console', null), MAX_SILENCE);
  try {
    const answer = await request;
    ends();
    return answer;
  } catch (error) {
    if (isOfDatabase(error)) begins('database', error.message);
    else if (error instanceof TypeError) begins('console', null);
    else if (error instanceof Problem) ends();
    throw error;
  } finally {
    if (--pending === 0) forgetSilence();
  }
}

/** The console has sent an event: what does not answer is its database. */
export function heard(): void {
  lastEventAt = serverNow();
  if (outage.peek()?.of === 'console') begins('database', null);
}

/** Whether an error says only that the console or its database does not answer: the bar at the top of the page shows it once for all. */
export function isOutage(error: unknown): boolean {
  return error instanceof TypeError || isOfDatabase(error);
}

function isOfDatabase(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'STORE_FAILURE';
}

function begins(of: Outage['of'], reason: string | null): void {
  if (outage.peek()?.of === of) return;
  outage.value = { of, since: lastAnswerAt, reason };
}

function ends(): void {
  lastAnswerAt = serverNow();
  outage.value = null;
  forgetSilence();
}

function forgetSilence(): void {
  if (silence !== null) clearTimeout(silence);
  silence = null;
}
