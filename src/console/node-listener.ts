import type { IncomingMessage, RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Problem } from '../operations/problem';
import type { Connection } from './place';

/**
 * Requests of Node's http as those of `fetch`. Nothing global is replaced: the program around may have its own idea of a `Request`.
 * `answer` never rejects; `onUnreadable` answers what is no request at all, such as one without a host.
 */
export function nodeListener(
  answer: (request: Request, connection: Connection) => Promise<Response>,
  onUnreadable: (error: unknown) => Response,
): RequestListener {
  const listen = getRequestListener(
    async (request, env) => {
      const { incoming, outgoing } = env as Required<Connection>;
      if (!isConsumed(incoming)) return answer(request, { incoming, outgoing });
      return onUnreadable(new Problem('BODY_CONSUMED', EXPLANATION));
    },
    {
      overrideGlobalObjects: false,
      errorHandler: () =>
        onUnreadable(new Problem('INVALID_INPUT', 'Expected an HTTP request with a host and a path.')),
    },
  );
  return (incoming, outgoing) => void listen(incoming, outgoing);
}

const EXPLANATION =
  'The body of this request was read before the console received it. Mount the console before body parsers: in Express before ' +
  'express.json(), in NestJS by app.use(…) before app.init() or app.listen(), in Fastify in a scope whose content type parser leaves ' +
  'the body alone.';

/** Whether somebody has begun to read a body that there is. A framework that keeps its bytes (`rawBody`) has lost nothing. */
function isConsumed(incoming: IncomingMessage & { readonly rawBody?: unknown }): boolean {
  const { headers, readableDidRead, rawBody } = incoming;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return hasBody && readableDidRead && !(rawBody instanceof Buffer);
}
