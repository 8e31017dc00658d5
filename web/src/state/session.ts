import { computed, signal } from '@preact/signals';
import { mayDo, type Role } from '../../../src/operations/role';

/** Session of the user, as `GET /api/session` returns it. */
export interface Session {
  readonly name: string;
  readonly role: Role;
  readonly isReadOnly: boolean;
  readonly schedulers: readonly string[];
  /** Token to send with every change. */
  readonly csrf: string | null;
}

/** Undefined while it loads; null if no user has logged in. */
export const session = signal<Session | null | undefined>(undefined);
/** True if the server has ended a session of this page. */
export const ended = signal(false);
const chosen = signal<string | null>(null);

/** Name of the scheduler shown. */
export const scheduler = computed(() => chosen.value ?? session.value?.schedulers[0] ?? '');

export function choose(name: string): void {
  chosen.value = name;
}

/** True if the user has the role. The server checks again. */
export function may(role: Role): boolean {
  const user = session.value;
  if (user === null || user === undefined) return false;
  return role === 'viewer' || (!user.isReadOnly && mayDo(user.role, role));
}
