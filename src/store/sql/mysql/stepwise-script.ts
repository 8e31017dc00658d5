import type { BoundStep } from '../runtime/session';
import type { SqlValue } from '../runtime/sql-driver';
import { sessionText } from './session-texts';

/** Sends statements without waiting for the answers to earlier ones. An answer is an array of rows, or the number of changed rows. */
export interface StepSender {
  execute(text: string, values: readonly SqlValue[]): Promise<readonly unknown[] | number>;
  /** Sends a statement that the server cannot prepare. */
  query(text: string): Promise<unknown>;
}

/**
 * Runs a script on a server without compound statements, in one round trip: all statements are sent at once, up to the commit. An error does not end
 * the script on the server. After each step the server therefore counts whether the step was as expected, and the last statement commits only if all
 * were. After a deadlock in the middle, later steps belong to another transaction, which is rolled back at the end. Requires `autocommit = 0`.
 *
 * Returns the rows of the query without a required number; null if the script stored nothing. Rejects if its outcome or its result is unknown.
 */
export async function runStepwise(steps: readonly BoundStep[], sender: StepSender): Promise<readonly unknown[] | null> {
  const control = (name: string, ...values: SqlValue[]) => sender.execute(sessionText(name), values);
  const counted: Promise<boolean>[] = [];
  const count = (answer: Promise<readonly unknown[] | number>, rows: number | null, counting: Promise<unknown>) =>
    counted.push(Promise.all([answer, counting]).then(([changes]) => rows === null || changes === rows));
  const started = control('beginSteps');
  let result: Promise<readonly unknown[] | number> = Promise.resolve([]);
  for (const { statement, values, isQuery, rows } of steps) {
    if (isQuery && rows === null) {
      result = sender.execute(statement.text, values);
      result.catch(() => undefined);
      continue;
    }
    const answer = sender.execute(isQuery ? `${statement.text} INTO @quartz_ts` : statement.text, values);
    count(answer, rows, rows === null ? control('countStep') : control('countStepWithRows', rows));
  }
  const decided = control('decideEnd', counted.length);
  const prepared = sender.query(sessionText('prepareEnd'));
  const ended = sender.query(sessionText('endSteps'));
  sender.query(sessionText('releaseEnd')).catch(() => undefined); // the script has ended
  const [end, ...all] = await Promise.allSettled([ended, started, decided, prepared, ...counted]);
  if (end.status === 'rejected') throw end.reason;
  const isAsExpected = all.every((each) => each.status === 'fulfilled' && each.value !== false);
  return isAsExpected ? ((await result) as readonly unknown[]) : null;
}
