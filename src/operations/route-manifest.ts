import type { Effect, HttpPlace } from './operation';
import { allOperations, type OperationName } from './operations';
import type { Role } from './role';

/** Description of an operation for its clients. */
export interface Route extends HttpPlace {
  readonly role: Role;
  readonly effect: Effect;
  readonly summary: string;
}

export type RouteManifest = Readonly<Record<OperationName, Route>>;

/** Returns the routes of all operations, for clients without the operations' code, such as the page. */
export function routeManifest(): RouteManifest {
  const routes = allOperations().map(([name, { http, role, effect, summary }]) => [
    name,
    { ...http, role, effect, summary },
  ]);
  return Object.fromEntries(routes) as RouteManifest;
}
