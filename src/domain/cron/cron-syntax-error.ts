import { SchedulerError } from '../../base/errors';
import type { CronFieldName } from './cron-fields';

/** Location of a fault in an expression, and its correction. */
export interface CronFault {
  readonly expression: string;
  /** The field at fault; null if the fault concerns several fields or none. */
  readonly field: CronFieldName | null;
  /** Offset of the faulty text in `expression`, counted from 0. */
  readonly position: number;
  /** Expected and found text. */
  readonly problem: string;
  /** Likely intended meaning, or how to correct the expression. */
  readonly hint?: string;
}

/** Cron expression that does not follow its dialect. The message names field, position and the likely meaning. */
export class CronSyntaxError extends SchedulerError {
  /** Expression as given by the caller. */
  readonly expression: string;
  /** Faulty field, or null if the fault concerns the whole expression. */
  readonly field: CronFieldName | null;
  /** Offset of the faulty text in `expression`, counted from 0. */
  readonly position: number;
  /** Suggested correction; null if there is none. */
  readonly hint: string | null;

  constructor(fault: CronFault) {
    super('CRON_SYNTAX', messageOf(fault));
    this.expression = fault.expression;
    this.field = fault.field;
    this.position = fault.position;
    this.hint = fault.hint ?? null;
  }
}

/** Long enough for any expression that can be stored, short enough for a log line. */
const MAX_QUOTE = 120;

function messageOf({ expression, field, position, problem, hint }: CronFault): string {
  const quoted = expression.length > MAX_QUOTE ? `${expression.slice(0, MAX_QUOTE)}…` : expression;
  const place = field === null ? '' : `${field} (character ${position + 1}): `;
  return `Cron expression '${quoted}': ${place}${problem}${hint === undefined ? '' : ` ${hint}`}`;
}
