import type { IncomingMessage, RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Problem } from '../operations/problem';
import type { Connection } from './place';
import { BODY_CONSUMED } from './read-body';

/**
 * Converts requests of Node's http to `fetch` requests. Does not replace globals such as `Request`, because the program may have replaced them.
 * `answer` must not reject. `onUnreadable` responds to invalid requests, for example without a host, and to requests whose body other code has read
 * and not kept.
 */
export function nodeListener(
  answer: (request: Request, connection: Connection) => Promise<Response>,
  onUnreadable: (error: unknown) => Response,
): RequestListener {
  const listen = getRequestListener(
    async (request, env) => {
      const { incoming, outgoing } = env as Required<Connection>;
      if (!isConsumed(incoming) || keepBody(incoming)) return answer(request, { incoming, outgoing });
      return onUnreadable(new Problem('BODY_CONSUMED', BODY_CONSUMED));
    },
    {
      overrideGlobalObjects: false,
      errorHandler: () =>
        onUnreadable(new Problem('INVALID_INPUT', 'Expected an HTTP request with a valid host and path.')),
    },
  );
  return (incoming, outgoing) => void listen(incoming, outgoing);
}

/** A request as frameworks pass it on: with the body that they parsed, or with its bytes, which the converted request has as its body. */
type Incoming = IncomingMessage & { readonly body?: unknown; rawBody?: unknown };

/** True if other code has begun to read the body. */
function isConsumed({ headers, readableDidRead }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return hasBody && readableDidRead;
}

/** Restores the bytes of a body that a framework has read. Returns false if it has not kept them, nor what it parsed from JSON. */
function keepBody(incoming: Incoming): boolean {
  if (incoming.rawBody instanceof Buffer) return true;
  const text = textOf(incoming);
  if (text === null) return false;
  incoming.rawBody = Buffer.from(text);
  return true;
}

function textOf({ body, headers }: Incoming): string | Uint8Array | null {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (typeof body !== 'object' || !/^application\/json\b/i.test(headers['content-type'] ?? '')) return null;
  try {
    return JSON.stringify(body);
  } catch {
    return null; // such as a cycle, which no parser makes of JSON
  }
}
