import { SchedulerError } from '../../base/errors';
import { sharedClass } from '../../base/shared-class';
import type { CronFieldName } from './cron-fields';

export interface CronFault {
  readonly expression: string;
  /** Invalid field; null if the error concerns several fields or the whole expression. */
  readonly field: CronFieldName | null;
  /** Offset of the invalid text in `expression`, from 0. */
  readonly position: number;
  /** States the expected and the found text, as a sentence for the message. */
  readonly problem: string;
  /** Probable intended meaning, or advice on correcting the expression. */
  readonly hint?: string;
}

/** Thrown for a cron expression that is invalid in its dialect. The message states the field, the position and, if known, the probable meaning. */
export class CronSyntaxError extends SchedulerError {
  static {
    sharedClass(CronSyntaxError, 'CronSyntaxError');
  }

  /** The expression as the caller passed it. */
  readonly expression: string;
  /** Invalid field; null if the error concerns several fields or the whole expression. */
  readonly field: CronFieldName | null;
  /** Offset of the invalid text in `expression`, from 0. */
  readonly position: number;
  /** Suggested correction; null if none. */
  readonly hint: string | null;

  constructor(fault: CronFault) {
    super('CRON_SYNTAX', messageOf(fault));
    this.expression = fault.expression;
    this.field = fault.field;
    this.position = fault.position;
    this.hint = fault.hint ?? null;
  }
}

/** Longer than any expression that can be stored, but short enough for a log line. */
const MAX_QUOTE = 120;

function messageOf({ expression, field, position, problem, hint }: CronFault): string {
  const quoted = expression.length > MAX_QUOTE ? `${expression.slice(0, MAX_QUOTE)}…` : expression;
  const place = field === null ? '' : `${field} (character ${position + 1}): `;
  return `Cron expression '${quoted}': ${place}${problem}${hint === undefined ? '' : ` ${hint}`}`;
}
