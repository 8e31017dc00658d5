import type { BoundStep } from '../runtime/session';
import { filledIn } from '../runtime/sql-text';
import { sessionText } from './session-texts';

/** Maximum number of texts per connection. Each one is prepared, and a server grants a limited number of prepared statements. */
const MAX_TEXTS = 32;

/** MariaDB's timeout of a locking read, which a compound statement must set in another way. */
const WAIT = /\/\*M! WAIT (\d+) \*\//;

/**
 * Texts of scripts for MariaDB: compound statements that compare each number of rows and commit at the end. An error ends a compound statement, so
 * the commit is reached only after every step was as expected.
 */
export class CompoundScripts {
  readonly #texts = new Map<string, string>();
  readonly #provesTransactions: boolean;

  /** `provesTransactions`: see `SessionOptions`. */
  constructor(provesTransactions = false) {
    this.#provesTransactions = provesTransactions;
  }

  /** Returns the text, in which each expected number of rows is a parameter after those of its step. Null if there would be too many texts. */
  textOf(steps: readonly BoundStep[]): string | null {
    const names = steps.map(({ statement, rows }) => `${statement.name}${rows === null ? '?' : ''}`).join();
    const known = this.#texts.get(names);
    if (known !== undefined) return known;
    if (this.#texts.size >= MAX_TEXTS) return null;
    const texts = steps.map(textOfStep);
    if (this.#provesTransactions) {
      texts.unshift(`${sessionText('beginProof')};`);
      texts.push(`${sessionText('endProof')};`);
    }
    const text = filledIn(sessionText('script'), { steps: texts.join('\n') });
    this.#texts.set(names, text);
    return text;
  }
}

function textOfStep({ statement, isQuery, rows }: BoundStep): string {
  if (rows === null) return `${statement.text};`;
  const text = isQuery ? queryStep(statement.text) : statement.text;
  return `${text}; ${sessionText('requireRows')};`;
}

function queryStep(text: string): string {
  const seconds = WAIT.exec(text)?.[1];
  const query = filledIn(sessionText('queryStep'), { query: text.replace(WAIT, '') });
  return seconds === undefined ? query : filledIn(sessionText('lockingStep'), { seconds, query });
}
