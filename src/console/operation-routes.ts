import { NEVER } from '../base/sleep';
import type { Actor, Operation } from '../operations/operation';
import { allOperations, type OperationName } from '../operations/operations';
import { perform } from '../operations/perform';
import { Problem } from '../operations/problem';
import { etagOf, inputReader } from './read-input';
import type { ServedScheduler } from './served-schedulers';
import { acceptsShared, type SharedAnswers } from './shared-answers';

export const SCHEDULER_PATH = '/api/schedulers/:scheduler';

interface OperationRoute {
  readonly name: OperationName;
  readonly method: Operation['http']['method'];
  /** Path pattern, with `:name` for variables. */
  readonly path: string;
  answer(call: OperationCall): Promise<Response>;
}

interface OperationCall {
  readonly served: ServedScheduler;
  readonly actor: Actor;
  readonly request: Request;
  /** Variables of the path, except the scheduler. */
  readonly path: Readonly<Record<string, string>>;
}

interface RouteOptions {
  readonly isReadOnly: boolean;
  readonly shared: SharedAnswers;
}

/** Returns a route for every operation, sorted so that a fixed path precedes a pattern that would also match it. */
export function operationRoutes(options: RouteOptions): readonly OperationRoute[] {
  const routes = allOperations().map(([name, operation]) => routeOf(name, operation, options));
  return routes.sort((a, b) => (shape(a.path) < shape(b.path) ? -1 : 1));
}

/** Returns a sort key for a path. Each variable becomes `~`, which sorts after all fixed words. */
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
        throw new Problem('FORBIDDEN', `This console is read-only, and ${name} makes changes.`);
      }
      const input = await read(request, path);
      const { scheduler, control } = served;
      const performNow = (signal: AbortSignal) =>
        perform({ name, operation, input }, { scheduler, control, actor, signal });
      const { signal } = request;
      const isShared = operation.effect === 'reads' && acceptsShared(request.headers);
      // Shared by actors of the same role, which receive the same output. Not cancelled when one of its clients disconnects.
      const question = JSON.stringify([served.name, name, actor.role, input]);
      const pending = isShared ? shared.take(question, () => performNow(NEVER)) : performNow(signal);
      const output = await pending.catch((error) => {
        // After the client has disconnected, the abort of the operation must not be logged as a failure.
        throw signal.aborted
          ? new Problem('CANCELLED', 'The client disconnected before the response.', { cause: error })
          : error;
      });
      return answerWith(output);
    },
  };
}

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

/** Returns the HTTP methods that the path supports. Ignores middleware, which is registered for `ALL`. */
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
