import type { BoundStep } from '../runtime/session';
import type { SqlValue } from '../runtime/sql-driver';
import { filledIn } from '../runtime/sql-text';
import { sessionText } from './session-texts';

/** The number of assigned variables is rounded up to a multiple of this, because the server prepares one text for each number. */
const VARIABLES = 10;

/** A script as texts. They are sent together, in this order. */
interface PreparedScript {
  /** Statements that the connection has not prepared yet. */
  readonly unprepared: readonly Unprepared[];
  /** Assigns `values` to variables. */
  readonly assign: string;
  readonly values: readonly SqlValue[];
  /** Runs the prepared statements with the variables, and commits. */
  readonly run: string;
}

interface Unprepared {
  readonly text: string;
  /** Prepares the text that `keepText` has assigned. */
  readonly prepare: string;
}

/**
 * Writes scripts for MySQL, which runs compound statements only in stored procedures. Several statements in one text end with the first error, so the
 * commit is reached only after every step was as expected. The text contains no values: they are bound to variables before.
 */
export class PreparedScripts {
  readonly #names = new Map<string, string>();
  readonly #provesTransactions: boolean;

  /** `provesTransactions`: see `SessionOptions`. */
  constructor(provesTransactions = false) {
    this.#provesTransactions = provesTransactions;
  }

  /** Expects that the unprepared statements are then prepared. */
  of(steps: readonly BoundStep[]): PreparedScript {
    const unprepared: Unprepared[] = [];
    const values: SqlValue[] = [];
    const variable = (value: SqlValue) => `@quartz_ts_${values.push(value)}`;
    const parts = steps.flatMap((step) => {
      const name = this.#nameOf(textOf(step), unprepared);
      const variables = step.values.map(variable).join(', ');
      const execute = filledIn(sessionText(variables === '' ? 'executeStep' : 'executeStepUsing'), { name, variables });
      return step.rows === null ? [execute] : [execute, requireRows(variable(step.rows))];
    });
    if (this.#provesTransactions) {
      parts.unshift(sessionText('beginProof'));
      parts.push(sessionText('endProof'));
    }
    while (values.length % VARIABLES > 0) values.push(null);
    const assignments = values.map((_, index) => `@quartz_ts_${index + 1} = ?`).join(', ');
    const assign = filledIn(sessionText('assignValues'), { assignments });
    return { unprepared, assign, values, run: [...parts, sessionText('commitSteps')].join('; ') };
  }

  /** Must be called after an error: a statement may not be prepared. */
  forget(): void {
    this.#names.clear();
  }

  #nameOf(text: string, unprepared: Unprepared[]): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `quartz_ts_${this.#names.size + 1}`;
    this.#names.set(text, name);
    unprepared.push({ text, prepare: filledIn(sessionText('prepareStep'), { name }) });
    return name;
  }
}

/** Rows that are only counted are not returned. */
function textOf({ statement: { text }, isQuery, rows }: BoundStep): string {
  return isQuery && rows !== null ? filledIn(sessionText('queryStep'), { query: text }) : text;
}

const requireRows = (rows: string) => filledIn(sessionText('requireRowsOfStep'), { rows });
