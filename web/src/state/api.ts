import { ROUTES } from 'quartz-ts:routes';
import type { InputOf, OperationName, OutputOf } from '../../../src/operations/operations';
import { type Session, scheduler, session } from './session';

/** What the server said is wrong (RFC 9457). */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: readonly { readonly field: string; readonly message: string }[];

  constructor(
    status: number,
    body: {
      readonly code?: string;
      readonly title?: string;
      readonly detail?: string;
      readonly errors?: Refusal['fields'];
    },
  ) {
    super(body.detail ?? body.title ?? `The server answered ${status}.`);
    this.name = 'Refusal';
    this.status = status;
    this.code = body.code ?? 'UNKNOWN';
    this.fields = body.errors ?? [];
  }
}

/** Asks for an operation of the table. Throws `Refusal`, or a TypeError when the server cannot be reached. */
export async function call<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  signal?: AbortSignal,
): Promise<OutputOf<Name>> {
  const { method, path } = ROUTES[name];
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replace(/:(\w+)/g, (_, field: string) => {
    const value = rest.get(field);
    rest.delete(field);
    return encodeURIComponent(String(value ?? 'DEFAULT'));
  });
  const base = `api/schedulers/${encodeURIComponent(scheduler.value)}${filled}`;
  if (method === 'GET' || method === 'DELETE') return request(method, `${base}${queryOf(rest)}`, undefined, signal);
  return request(method, base, Object.fromEntries(rest), signal);
}

function queryOf(fields: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of fields)
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

export async function request<T>(method: string, address: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const csrf = session.value?.csrf ?? null;
  const response = await fetch(address, {
    method,
    credentials: 'same-origin',
    ...(signal === undefined ? {} : { signal }),
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(csrf === null ? {} : { 'x-csrf-token': csrf }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.status === 204) return undefined as T;
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer as T;
  if (response.status === 401) session.value = null;
  throw new Refusal(response.status, answer as ConstructorParameters<typeof Refusal>[1]);
}

/** Finds out who looks. */
export async function askWho(): Promise<void> {
  try {
    session.value = await request<Session>('GET', 'api/session');
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
  }
}
