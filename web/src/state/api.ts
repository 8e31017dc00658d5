import { ROUTES } from 'quartz-ts:routes';
import { createClient, readAnswer } from '../../../src/operations/client';
import type { InputOf, OperationName, OutputOf } from '../../../src/operations/operations';
import { Problem } from '../../../src/operations/problem';
import { learnServerTime } from './clock';
import { watched } from './outage';
import { ended, type Session, scheduler, session } from './session';

/** Where the console is: the page lies at its root. */
const consoleUrl = () => new URL('.', document.baseURI);

/** Asks for an operation of the table. Rejects with a `Problem`, or a TypeError when the server cannot be reached. */
export async function call<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  options: { readonly signal?: AbortSignal; readonly maxAge?: number } = {},
): Promise<OutputOf<Name>> {
  const csrf = session.value?.csrf ?? null;
  const client = createClient({
    url: consoleUrl(),
    scheduler: scheduler.value,
    routes: ROUTES,
    fetch: fetchWithTime,
    ...(csrf === null ? {} : { headers: { 'x-csrf-token': csrf } }),
  });
  try {
    return await watched(client.call(name, input, options));
  } catch (error) {
    if (isUnknown(error)) {
      ended.value = session.value !== null;
      session.value = null;
    }
    throw error;
  }
}

/** As `fetch`, and learns the server's time from the answer. */
const fetchWithTime: typeof fetch = async (input, init) => {
  const sentAt = Date.now();
  const response = await fetch(input, init);
  learnServerTime(response, sentAt);
  return response;
};

/** Begins a session, by a token or by a name and its password. */
export async function logIn(credentials: { readonly name?: string; readonly secret: string }): Promise<void> {
  const body = JSON.stringify(credentials);
  const response = await fetch(sessionUrl(), { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (!response.ok) await readAnswer(response);
}

/** Ends the session. */
export async function logOut(): Promise<void> {
  const headers = { 'x-csrf-token': session.value?.csrf ?? '' };
  const response = await fetch(sessionUrl(), { method: 'DELETE', headers });
  if (!response.ok) await readAnswer(response);
  session.value = null;
}

/** Finds out who looks. */
export async function askWho(): Promise<void> {
  try {
    session.value = await readAnswer<Session>(await fetch(sessionUrl()));
  } catch (error) {
    if (!isUnknown(error)) throw error;
    session.value = null;
  }
}

const sessionUrl = () => new URL('api/session', consoleUrl());

function isUnknown(error: unknown): boolean {
  return error instanceof Problem && error.code === 'UNAUTHENTICATED';
}
