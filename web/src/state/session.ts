import { computed, signal } from '@preact/signals';
import { mayDo, type Role } from '../../../src/operations/role';

/** Who looks at the page, as `GET /api/session` says. */
export interface Session {
  readonly name: string;
  readonly role: Role;
  readonly isReadOnly: boolean;
  readonly schedulers: readonly string[];
  /** To be sent with every change. */
  readonly csrf: string | null;
}

/** Undefined: not asked yet; null: nobody has logged in. */
export const session = signal<Session | null | undefined>(undefined);
/** Whether the server ended a session of this page. */
export const ended = signal(false);
const chosen = signal<string | null>(null);

/** The scheduler that is shown. */
export const scheduler = computed(() => chosen.value ?? session.value?.schedulers[0] ?? '');

export function choose(name: string): void {
  chosen.value = name;
}

/** Whether who looks may do what needs the role. The server decides again. */
export function may(role: Role): boolean {
  const who = session.value;
  if (who === null || who === undefined) return false;
  return role === 'viewer' || (!who.isReadOnly && mayDo(who.role, role));
}
