/** `viewer` reads. `operator` also controls existing definitions (pause, fire, interrupt, …). `admin` also changes the schedule and the cluster. */
export type Role = 'viewer' | 'operator' | 'admin';

const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

export function mayDo(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed];
}
