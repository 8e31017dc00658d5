import type { Operation } from '../operations/operation';
import type { Actor } from '../operations/operation-context';
import { allOperations, type OperationName } from '../operations/operations';
import { perform } from '../operations/perform';
import { Problem } from '../operations/problem';
import { etagOf, inputReader } from './read-input';
import type { ServedScheduler } from './served-schedulers';
import { acceptsShared, type SharedAnswers } from './shared-answers';

/** Below this path are a scheduler's operations. */
export const SCHEDULER_PATH = '/api/schedulers/:scheduler';

/** Something that can be asked for. */
export interface OperationRoute {
  readonly name: OperationName;
  readonly method: Operation['http']['method'];
  /** With `:name` for what varies. */
  readonly path: string;
  answer(call: OperationCall): Promise<Response>;
}

export interface OperationCall {
  readonly served: ServedScheduler;
  readonly actor: Actor;
  readonly request: Request;
  /** The values of the path, without the scheduler's. */
  readonly path: Readonly<Record<string, string>>;
}

interface RouteOptions {
  readonly isReadOnly: boolean;
  readonly shared: SharedAnswers;
}

/** A route for every operation of the table; paths without variables before those they might be taken for. */
export function operationRoutes(options: RouteOptions): readonly OperationRoute[] {
  const routes = allOperations().map(([name, operation]) => routeOf(name, operation, options));
  return routes.sort((a, b) => (shape(a.path) < shape(b.path) ? -1 : 1));
}

/** Sorts variables behind words: `/jobs/!` before `/jobs/~`. */
function shape(path: string): string {
  return path.replace(/:\w+/g, '~');
}

function routeOf(name: OperationName, operation: Operation, { isReadOnly, shared }: RouteOptions): OperationRoute {
  const read = inputReader(operation);
  return {
    name,
    method: operation.http.method,
    path: `${SCHEDULER_PATH}${operation.http.path}`,
    async answer({ served, actor, request, path }) {
      if (isReadOnly && operation.effect !== 'reads') {
        throw new Problem('FORBIDDEN', `${name} changes something, and this console is read-only.`);
      }
      const input = await read(request, path);
      const { scheduler, control } = served;
      const ask = (signal: AbortSignal) => perform({ name, operation, input }, { scheduler, control, actor, signal });
      const { signal } = request;
      const isShared = operation.effect === 'reads' && acceptsShared(request.headers);
      // What a role may see is the same for all who have it. Others wait for it too: it goes on when one of them is gone.
      const question = JSON.stringify([served.name, name, actor.role, input]);
      const asked = isShared ? shared.take(question, () => ask(NEVER)) : ask(signal);
      const output = await asked.catch((error) => {
        // Nobody reads the answer: what gave up because of that is no failure.
        throw signal.aborted
          ? new Problem('CANCELLED', 'The client disconnected before the answer.', { cause: error })
          : error;
      });
      return answerWith(output);
    },
  };
}

const NEVER = new AbortController().signal;

function answerWith(output: unknown): Response {
  const etag = etagOf(output);
  return new Response(JSON.stringify(output), {
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(etag === null ? {} : { etag }),
    },
  });
}

/** The methods by which a path can be asked for; what is done before every route is for `ALL`, and leads nowhere. */
export function methodsAt(
  routes: readonly { readonly method: string; readonly path: string }[],
  path: string,
): readonly string[] {
  const segments = path.split('/');
  const isAt = (pattern: string) => {
    const parts = pattern.split('/');
    const fits = (part: string, at: number) => (part.startsWith(':') ? segments[at] !== '' : part === segments[at]);
    return parts.length === segments.length && parts.every(fits);
  };
  const found = routes.filter((route) => route.method !== 'ALL' && isAt(route.path));
  return [...new Set(found.map(({ method }) => method))];
}
