import type { JobKey, TriggerKey } from '../../../domain/keys';
import { partsOf } from '../row-sets';
import type { SqlTransaction } from '../sql-driver';
import type { SqlNode } from '../sql-node';
import type { NamesInChanges } from './names-in-changes';

/** What of the names in a change set is stored, and what is paused. */
export interface StoredNames {
  readonly triggers: readonly TriggerKey[];
  readonly jobs: readonly JobKey[];
  /** May hold `ALL_GROUPS_PAUSED`. */
  readonly pausedGroups: ReadonlySet<string>;
}

type Row =
  | { readonly KIND: 'trigger' | 'job'; readonly POSITION: number }
  | { readonly KIND: 'pausedGroup'; readonly TRIGGER_GROUP: string };

const NO_ROWS = { json: '[]', first: 0 };

/**
 * Asks for names before anything is read as a whole: most of what is scheduled is new, and a batch of new triggers is then
 * read with one statement.
 */
export async function selectStored(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  names: Pick<NamesInChanges, 'triggers' | 'jobs'>,
): Promise<StoredNames> {
  const stored = { triggers: [] as TriggerKey[], jobs: [] as JobKey[], pausedGroups: new Set<string>() };
  const triggerParts = [...partsOf(names.triggers.map(listed))];
  const jobParts = [...partsOf(names.jobs.map(listed))];
  for (let part = 0; part === 0 || part < Math.max(triggerParts.length, jobParts.length); part++) {
    const [triggers, jobs] = [triggerParts[part] ?? NO_ROWS, jobParts[part] ?? NO_ROWS];
    const params = { schedName, triggers: triggers.json, jobs: jobs.json };
    for (const row of await tx.all<Row>('selectStored', params)) {
      if (row.KIND === 'pausedGroup') stored.pausedGroups.add(row.TRIGGER_GROUP);
      else if (row.KIND === 'job') stored.jobs.push(names.jobs[jobs.first + row.POSITION] as JobKey);
      else stored.triggers.push(names.triggers[triggers.first + row.POSITION] as TriggerKey);
    }
  }
  return stored;
}

const listed = ({ group, name }: JobKey | TriggerKey) => [name, group];
