import type { RunRecord } from '../../../src/domain/run';
import { DAY, HOUR, NOW, SECOND } from '../samples';
import type { StoreDriver } from '../store-driver';
import type { Started, SurvivalNode } from './survival-node';
import type { Fate } from './table';

/** Delay of the retry of the kind `retry`. */
export const RETRY_DELAY = 10 * SECOND;
/** Time of each event. */
export const EVENT_TIME = NOW + SECOND;

/** The occurrence whose fate is determined. */
export interface Subject {
  /** Run that began before the event; null: none. */
  readonly runId: string | null;
  /** Id of the occurrence; null if it has none before it runs. */
  readonly occurrenceId: string | null;
  readonly attempt: number;
  readonly job: string;
  /** Index of the part; -1: the whole occurrence. */
  readonly part: number;
}

/** Everything that ran after the event, and what is recorded. */
export interface Aftermath {
  readonly started: readonly Started[];
  readonly runs: readonly RunRecord[];
}

/** Time by which everything that is due at once, and its retries, have run. */
export const SOON = EVENT_TIME + RETRY_DELAY;

/** So late that a trigger no longer belongs to one node (`Beats`). */
const LATE = 200;

/** Lets a node run everything that is due soon; if `isOpen`, also at the next fire time, and when the calendar allows it again. */
export async function aftermath(
  node: SurvivalNode,
  driver: StoreDriver,
  isOpen: (after: Aftermath) => boolean,
): Promise<Aftermath> {
  const read = async () => ({ started: node.started, runs: (await driver.store.listRuns({ take: 100 })).items });
  let after: Aftermath = { started: node.started, runs: [] };
  for (const time of [SOON, NOW + HOUR + LATE, NOW + DAY / 2 + LATE]) {
    await node.runAt(time);
    after = await read();
    if (!isOpen(after)) break;
  }
  return after;
}

/** Fate of an occurrence of which a run was executing. */
export function fateOf(subject: Subject, { started, runs }: Aftermath): Fate | 'twice' {
  const { runId, occurrenceId, attempt, part, job } = subject;
  const again = started.filter((each) => each.occurrenceId === occurrenceId && each.part === part);
  if (again.length > 1) return 'twice';
  const [next] = again;
  if (next !== undefined) return next.attempt === attempt ? 'runs again' : 'retry';
  const record = runs.find((run) => run.runId === runId);
  if (record?.outcome === 'succeeded') return 'goes on';
  if (runs.some((run) => run.occurrenceId === occurrenceId && run.isDeadLetter)) return 'dead letter';
  return started.some((each) => each.job === job) ? 'next time' : 'ends';
}
