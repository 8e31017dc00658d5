import type { JobKey, TriggerKey } from '../../../../domain/keys';
import type { SqlNode } from '../../rows/sql-node';
import { partsOf } from '../../runtime/row-batches';
import type { SqlTransaction } from '../../runtime/sql-driver';
import type { NamesInChanges } from './names-in-changes';

/** Names of which nothing is expected that are stored all the same, and what is paused. */
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
 * Asks for the names of what should be new, before anything is read as a whole. As a rule none is stored, and this is all
 * that has to be read.
 */
export async function selectStored(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  { newTriggers, newJobs }: Pick<NamesInChanges, 'newTriggers' | 'newJobs'>,
): Promise<StoredNames> {
  const stored = { triggers: [] as TriggerKey[], jobs: [] as JobKey[], pausedGroups: new Set<string>() };
  const longest = tx.longestSet / 2; // one statement takes both
  const triggerParts = [...partsOf(newTriggers.map(listed), longest)];
  const jobParts = [...partsOf(newJobs.map(listed), longest)];
  for (let part = 0; part === 0 || part < Math.max(triggerParts.length, jobParts.length); part++) {
    const [triggers, jobs] = [triggerParts[part] ?? NO_ROWS, jobParts[part] ?? NO_ROWS];
    const params = { schedName, triggers: triggers.json, jobs: jobs.json };
    for (const row of await tx.all<Row>('selectStored', params)) {
      if (row.KIND === 'pausedGroup') stored.pausedGroups.add(row.TRIGGER_GROUP);
      else if (row.KIND === 'job') stored.jobs.push(newJobs[jobs.first + row.POSITION] as JobKey);
      else stored.triggers.push(newTriggers[triggers.first + row.POSITION] as TriggerKey);
    }
  }
  return stored;
}

const listed = ({ group, name }: JobKey | TriggerKey) => [name, group];
