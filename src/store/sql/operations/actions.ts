import { type EpochMs, MAX_TIME } from '../../../base/clock';
import {
  type ActionPage,
  type ActionPlace,
  type ActionQuery,
  type ActionRecord,
  matchesAction,
} from '../../../domain/action';
import type { NodeTransaction } from '../rows/node-transaction';

/** One millisecond after the latest time that a Date can hold. Sorts after every action. */
const EVER = MAX_TIME + 1;
/** Earliest time that a Date can hold, in milliseconds. */
const NEVER = -MAX_TIME;
/** Number of actions to read per query if the database cannot apply every filter. */
const SCANNED_AT_ONCE = 500;
/** Maximum number of actions to read for one page. */
const MAX_SCANNED = 5_000;

interface ActionRow {
  readonly ACTION_TIME: number;
  readonly ACTION_ID: string;
  readonly ACTOR_NAME: string;
  readonly ACTOR_ROLE: string;
  readonly VIA: string;
  readonly ADDRESS: string | null;
  readonly OPERATION: string;
  readonly SUBJECT: string;
  readonly INPUT: string;
  readonly CHANGES: string | null;
  readonly ERROR_MESSAGE: string | null;
}

export async function recordAction(tx: NodeTransaction, action: ActionRecord): Promise<void> {
  const { time, id, target, ...columns } = action;
  await tx.run('insertAction', { now: time, actionId: id, subject: target, ...columns });
}

/** Returns one page of matching actions, newest first. It may end without a match, after `MAX_SCANNED` actions. `next` is null on the last page. */
export async function listActions(tx: NodeTransaction, query: ActionQuery): Promise<ActionPage> {
  const { take } = query;
  // True if the database applies every filter.
  const isExact = query.search === undefined && (query.actor === undefined || query.operation === undefined);
  const items: ActionRecord[] = [];
  let place: ActionPlace = query.after ?? { time: EVER, id: '' };
  for (let scanned = 0; scanned < MAX_SCANNED; ) {
    const count = isExact ? take - items.length + 1 : SCANNED_AT_ONCE;
    const actions = await selectBehind(tx, { query, place, count });
    scanned += actions.length;
    for (const action of actions) {
      if (!matchesAction(action, query)) continue;
      if (items.length === take) return { items, next: placeOf(items.at(-1)) };
      items.push(action);
    }
    if (actions.length < count) return { items, next: null };
    place = placeOf(actions.at(-1)) ?? place;
  }
  return { items, next: place };
}

function placeOf(action: ActionRecord | undefined): ActionPlace | null {
  return action === undefined ? null : { time: action.time, id: action.id };
}

async function selectBehind(
  tx: NodeTransaction,
  { query, place, count }: { readonly query: ActionQuery; readonly place: ActionPlace; readonly count: number },
): Promise<readonly ActionRecord[]> {
  const { actor, operation, since = NEVER } = query;
  const params = { since, before: place.time, actionId: place.id, take: count };
  if (actor !== undefined) return (await tx.all<ActionRow>('selectActionsOfActor', { ...params, actor })).map(toAction);
  if (operation !== undefined)
    return (await tx.all<ActionRow>('selectActionsOfOperation', { ...params, operation })).map(toAction);
  return (await tx.all<ActionRow>('selectActions', params)).map(toAction);
}

function toAction(row: ActionRow): ActionRecord {
  return {
    time: row.ACTION_TIME,
    id: row.ACTION_ID,
    actor: row.ACTOR_NAME,
    role: row.ACTOR_ROLE,
    via: row.VIA,
    address: row.ADDRESS,
    operation: row.OPERATION,
    target: row.SUBJECT,
    input: row.INPUT,
    changes: row.CHANGES,
    error: row.ERROR_MESSAGE,
  };
}

export async function pruneActions(tx: NodeTransaction, before: EpochMs, maxCount: number): Promise<number> {
  const { changes } = await tx.run('deleteOldActions', { before, limit: maxCount });
  return changes;
}
