import { planFiring } from '../../../domain/firing';
import type { TriggerKey } from '../../../domain/keys';
import type { UnreadableRow } from '../../../domain/scheduler-event';
import type { NodeTransaction } from '../rows/node-transaction';
import { computed, readPlainCalendar, readPlainJob, readTrigger } from '../rows/read-rows';
import { triggerKeyOf } from '../rows/rows';
import { rulesOf } from '../rows/sql-node';
import type { RowTarget } from '../rows/unreadable-rows';
import { EVERY_GROUP, selectJobGroups } from './paused-groups';
import { getCalendarNames } from './read-schedule';
import { selectCalendars, selectEachJob, selectEachTrigger, selectJobKeys } from './select-definitions';
import { findWithoutTypeRow } from './sweep';

/** Number of rows to read per query. A row may have 130 kB. */
const PAGE = 100;

/** Reads the known unreadable rows of this node again, and returns the rows that are still unreadable. Repaired and deleted rows leave the list. */
export async function listUnreadable(tx: NodeTransaction): Promise<readonly UnreadableRow[]> {
  const targets = tx.node.unreadable.rows;
  const examine = { job: examineJobs, calendar: examineCalendars, trigger: examineTriggers } as const;
  for (const what of ['job', 'calendar', 'trigger'] as const) {
    const ofKind = targets.filter((target) => target.what === what);
    for (let start = 0; start < ofKind.length; start += PAGE) {
      await examine[what](tx, ofKind.slice(start, start + PAGE));
    }
  }
  return tx.node.unreadable.rows;
}

/** Reads the triggers and computes their next firing, so that errors are reported. Removes deleted triggers from the list of unreadable rows. */
async function examineTriggers(tx: NodeTransaction, targets: readonly RowTarget[]): Promise<void> {
  const found = await selectEachTrigger(tx, targets.map(keyOf));
  for (const [index, row] of found.entries()) {
    if (row === null) tx.node.unreadable.forget(targets[index] as RowTarget);
    const read = row === null ? null : readTrigger(row, tx.node);
    if (read !== null && read.trigger.nextFireTime !== null) {
      computed(read.row, tx.node, () => planFiring(read, '', { now: tx.node.clock.now(), ...rulesOf(tx.node) }));
    }
  }
}

async function examineJobs(tx: NodeTransaction, targets: readonly RowTarget[]): Promise<void> {
  const found = await selectEachJob(tx, targets.map(keyOf));
  for (const [index, row] of found.entries()) {
    if (row === null) tx.node.unreadable.forget(targets[index] as RowTarget);
    else readPlainJob(row, tx.node);
  }
}

/** Reads the calendars. Removes deleted calendars from the list of unreadable rows. */
async function examineCalendars(tx: NodeTransaction, targets: readonly RowTarget[]): Promise<void> {
  const names = targets.map(({ name }) => name);
  const stored = await selectCalendars(tx, names);
  for (const target of targets) {
    const bytes = stored.get(target.name);
    if (bytes === undefined) tx.node.unreadable.forget(target);
    else readPlainCalendar(target.name, bytes, tx.node);
  }
}

const keyOf = ({ group, name }: RowTarget) => ({ group: group ?? '', name });

/** Reads every row of the schedule, and computes the next firing of each trigger. Returns the rows that this node cannot read. */
export async function examineSchedule(tx: NodeTransaction): Promise<readonly UnreadableRow[]> {
  for (const group of await selectJobGroups(tx, EVERY_GROUP)) {
    const keys = await selectJobKeys(tx, 'selectJobsOfGroups', [group]);
    for (let start = 0; start < keys.length; start += PAGE) {
      const targets = keys.slice(start, start + PAGE).map((key) => ({ what: 'job', ...key }) as const);
      await examineJobs(tx, targets);
    }
  }
  const names = await getCalendarNames(tx);
  const calendars = names.map((name) => ({ what: 'calendar', group: null, name }) as const);
  await examineCalendars(tx, calendars);
  for (let after: TriggerKey | null | undefined; after !== null; ) {
    const { rows, next } = await findWithoutTypeRow(tx, { after: after ?? null, maxCount: PAGE });
    const targets = rows.map((row) => ({ what: 'trigger', ...triggerKeyOf(row) }) as const);
    await examineTriggers(tx, targets);
    after = next;
  }
  return tx.node.unreadable.rows;
}
