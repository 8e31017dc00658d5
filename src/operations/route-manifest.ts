import type { Effect, HttpPlace } from './operation';
import { allOperations, type OperationName } from './operations';
import type { Role } from './role';

export interface Route extends HttpPlace {
  readonly role: Role;
  readonly effect: Effect;
  readonly summary: string;
}

export type RouteManifest = Readonly<Record<OperationName, Route>>;

/** Returns the routes of all operations, for clients that do not include the operations' code, such as the console's page. */
export function routeManifest(): RouteManifest {
  const routes = allOperations().map(([name, { http, role, effect, summary }]) => [
    name,
    { ...http, role, effect, summary },
  ]);
  return Object.fromEntries(routes) as RouteManifest;
}
