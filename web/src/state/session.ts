import { computed, signal } from '@preact/signals';
import { mayDo, type Role } from '../../../src/operations/role';

export interface Session {
  readonly name: string;
  readonly role: Role;
  readonly isReadOnly: boolean;
  readonly schedulers: readonly string[];
  /** Token to send with every request that changes something. Null if none is needed. */
  readonly csrf: string | null;
}

/** Current session. Undefined until it is loaded; null if the user is not logged in. */
export const session = signal<Session | null | undefined>(undefined);
/** True if the server has ended the session of this page. */
export const ended = signal(false);
const chosen = signal<string | null>(null);

export const scheduler = computed(() => chosen.value ?? session.value?.schedulers[0] ?? '');

export function choose(name: string): void {
  chosen.value = name;
}

/** Returns true if the user's role allows operations of this role; in a read-only console, only for `viewer`. The server checks roles too. */
export function may(role: Role): boolean {
  const user = session.value;
  if (user === null || user === undefined) return false;
  return role === 'viewer' || (!user.isReadOnly && mayDo(user.role, role));
}
