import { ROUTES } from 'quartz-ts:routes';
import { createClient, readAnswer } from '../../../src/operations/client';
import type { InputOf, OperationName, OutputOf } from '../../../src/operations/operations';
import { Problem } from '../../../src/operations/problem';
import { updateServerTime } from './clock';
import { trackRequest } from './outage';
import { ended, type Session, scheduler, session } from './session';

/** Returns the URL of the console. This page is served at its root. */
const consoleUrl = () => new URL('.', document.baseURI);

/** Performs an operation. Rejects with a `Problem`, or with a TypeError if the server cannot be reached. */
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
    return await trackRequest(client.call(name, input, options));
  } catch (error) {
    if (isUnauthenticated(error)) {
      ended.value = session.value !== null;
      session.value = null;
    }
    throw error;
  }
}

/** Calls `fetch`, and updates the server's time from the response. */
const fetchWithTime: typeof fetch = async (input, init) => {
  const sentAt = Date.now();
  const response = await fetch(input, init);
  updateServerTime(response, sentAt);
  return response;
};

/** Begins a session, with a token or with a name and password. Rejects with a `Problem` if the login fails. */
export async function logIn(credentials: { readonly name?: string; readonly secret: string }): Promise<void> {
  const body = JSON.stringify(credentials);
  const response = await fetch(sessionUrl(), { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (!response.ok) await readAnswer(response);
}

export async function logOut(): Promise<void> {
  const headers = { 'x-csrf-token': session.value?.csrf ?? '' };
  const response = await fetch(sessionUrl(), { method: 'DELETE', headers });
  if (!response.ok) await readAnswer(response);
  session.value = null;
}

/** Loads the user's session into `session`, which is null if the user is not logged in. Rejects if the request fails for another reason. */
export async function loadSession(): Promise<void> {
  try {
    session.value = await readAnswer<Session>(await fetch(sessionUrl()));
  } catch (error) {
    if (!isUnauthenticated(error)) throw error;
    session.value = null;
  }
}

const sessionUrl = () => new URL('api/session', consoleUrl());

function isUnauthenticated(error: unknown): boolean {
  return error instanceof Problem && error.code === 'UNAUTHENTICATED';
}
