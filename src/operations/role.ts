/** What somebody may do: `viewer` sees, `operator` steers what is there (pause, fire, interrupt, rerun), `admin` changes the schedule and the cluster. */
export type Role = 'viewer' | 'operator' | 'admin';

const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** Whether somebody with the role may do what needs the other one. */
export function mayDo(role: Role, needed: Role): boolean {
  return RANK[role] >= RANK[needed];
}
