import { type GroupMatcher, matchesGroup } from '../../../domain/keys';
import { ALL_GROUPS_PAUSED } from '../../job-store';
import type { NodeTransaction } from '../rows/node-transaction';
import { writeEveryRow, writeRows } from '../runtime/row-batches';

export const EVERY_GROUP: GroupMatcher = { operator: 'any', value: '' };

/** Returns the paused groups. The set may contain `ALL_GROUPS_PAUSED`. */
export async function selectPausedGroups(tx: NodeTransaction): Promise<ReadonlySet<string>> {
  const rows = await tx.all<{ TRIGGER_GROUP: string }>('selectPausedGroups');
  return new Set(rows.map(({ TRIGGER_GROUP }) => TRIGGER_GROUP));
}

/** True if triggers that are added to the group start paused. */
export function isGroupPaused(paused: ReadonlySet<string>, group: string): boolean {
  return paused.has(group) || paused.has(ALL_GROUPS_PAUSED);
}

/** Marks groups as paused. The groups must not be marked yet. */
export async function insertPausedGroups(tx: NodeTransaction, groups: readonly string[]) {
  const rows = groups.map((triggerGroup) => ({ triggerGroup }));
  await writeEveryRow(tx, 'insertPausedGroups', rows);
}

export async function deletePausedGroups(tx: NodeTransaction, groups: readonly string[]) {
  const rows = groups.map((triggerGroup) => ({ triggerGroup }));
  await writeRows(tx, 'deletePausedGroups', rows);
}

/** Returns the sorted names of matching groups that have triggers. */
export async function selectTriggerGroups(tx: NodeTransaction, matcher: GroupMatcher): Promise<readonly string[]> {
  const rows = await tx.all<{ TRIGGER_GROUP: string }>('selectTriggerGroups');
  const groups = rows.map(({ TRIGGER_GROUP }) => TRIGGER_GROUP);
  return matching(groups, matcher);
}

/** Returns the sorted names of matching groups that have jobs. */
export async function selectJobGroups(tx: NodeTransaction, matcher: GroupMatcher): Promise<readonly string[]> {
  const rows = await tx.all<{ JOB_GROUP: string }>('selectJobGroups');
  const groups = rows.map(({ JOB_GROUP }) => JOB_GROUP);
  return matching(groups, matcher);
}

function matching(groups: readonly string[], matcher: GroupMatcher): readonly string[] {
  return groups.filter((group) => matchesGroup(matcher, group)).sort();
}

/** Trigger groups whose names begin with `prefix` and are longer, in order. Each query finds one group, so the number of triggers does not matter. */
export async function selectTriggerGroupsFrom(tx: NodeTransaction, prefix: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let afterGroup = prefix; ; ) {
    type Row = { readonly TRIGGER_GROUP: string };
    const [row] = await tx.all<Row>('selectTriggerGroupBehind', { afterGroup });
    if (row === undefined || !row.TRIGGER_GROUP.startsWith(prefix)) return found;
    afterGroup = row.TRIGGER_GROUP;
    found.push(afterGroup);
  }
}
