import { SchedulerError } from '../../../base/errors';
import { isWellFormed } from '../../../domain/check-text';
import type { SqlParams, SqlValue } from './sql-driver';
import { type Dialect, readQueries, readSql } from './sql-files';
import type { SqlText } from './sql-text';
import type { StatementName } from './statement-names';

/** One statement ready to be prepared, with `?` for every parameter, and the parameters' order. */
export interface Statement {
  readonly name: StatementName;
  readonly text: string;
  /** Parameter names in the order of the question marks. A parameter that the text uses twice is listed twice. */
  readonly parameters: readonly string[];
  /** True if the server counts every changed row as two, as for INSERT … ON DUPLICATE KEY UPDATE. */
  readonly countsTwice: boolean;
  /** Indexes named in its comment. */
  readonly indexes: PromisedIndexes;
}

/** A statement's plan as promised by its comment. */
export interface PromisedIndexes {
  /** Secondary indexes; primary keys are not listed. */
  readonly names: readonly string[];
  /** True if the rows come in the order of the index, without a sort. */
  readonly inOrder: boolean;
}

/** Tokens that are replaced in the texts at start: the only two differences between installations. */
export interface StatementTokens {
  /** Replaces `QRTZ_`: letters, digits, `_` and `$`, optionally after a schema and a dot. */
  readonly tablePrefix: string;
  /**
   * Character set and collation of the key columns, which replace `CHARACTER SET utf8mb4 COLLATE utf8mb4_bin` in JSON_TABLE clauses. A text
   * column there has the database's default. Joining two columns with different collations causes an error or a scan.
   */
  readonly keyText?: KeyText;
}

/** Form in which a server stores and compares the text of keys. */
export interface KeyText {
  readonly characterSet: string;
  readonly collation: string;
}

const KEY_TEXT = /CHARACTER SET utf8mb4 COLLATE utf8mb4_bin\b/g;
const TABLE_PREFIX = /^([A-Za-z0-9_$]{1,64}\.)?[A-Za-z0-9_$]{0,30}$/;
const CHARACTER_SET_NAME = /^[a-z0-9_]{1,64}$/;

/** The named statements of one dialect. */
export class Statements {
  readonly #byName: ReadonlyMap<string, Statement>;

  constructor(statements: readonly Statement[]) {
    this.#byName = new Map(statements.map((statement) => [statement.name, statement]));
  }

  get names(): readonly StatementName[] {
    return [...this.#byName.values()].map(({ name }) => name);
  }

  /** Returns a statement. Throws for a name that no file defines, which is a bug. */
  get(name: StatementName): Statement {
    const statement = this.#byName.get(name);
    if (statement === undefined) throw new TypeError(`No file of sql/ defines the statement '${name}'.`);
    return statement;
  }
}

/** Loads the statements of a dialect and replaces the tokens in their texts. */
export function loadStatements(dialect: Dialect, tokens: StatementTokens): Statements {
  return new Statements(readQueries(dialect).map((text) => toStatement(text, tokens)));
}

/** Returns a lookup for the texts of a file by name. It throws for a name that the file lacks, which is a bug. */
export function namedTexts(dialect: Dialect, file: string): (name: string) => SqlText {
  const texts = new Map(readSql(dialect, file).map((text) => [text.name, text]));
  return (name) => {
    const text = texts.get(name);
    if (text === undefined) throw new TypeError(`sql/${dialect}/${file} has no '${name}'.`);
    return text;
  };
}

/** Converts a text of a file to a statement. */
export function toStatement({ name, notes, text, parameters }: SqlText, tokens: StatementTokens): Statement {
  const { counts, index = '' } = notes;
  return {
    name: name as StatementName,
    text: applyTokens(text, tokens),
    parameters,
    countsTwice: counts === 'twice',
    indexes: promised(index.replace(/ Locks: .*/, ''), tokens),
  };
}

/** Reads the promised indexes from a comment. If the optimizer chooses among several, none is promised. */
function promised(comment: string, tokens: StatementTokens): PromisedIndexes {
  const names = comment.includes('optimizer') ? [] : (comment.match(/IDX_QRTZ_\w+/g) ?? []);
  return {
    names: [...new Set(names)].map((name) => applyTokens(name, tokens)),
    inOrder: comment.includes('in its order'),
  };
}

/** Replaces the table prefix and key collation in a text. Throws `CONFIGURATION` for an invalid prefix. */
export function applyTokens(text: string, { tablePrefix, keyText }: StatementTokens): string {
  if (!TABLE_PREFIX.test(tablePrefix)) {
    throw new SchedulerError(
      'CONFIGURATION',
      `tablePrefix: expected letters, digits, _ and $ (at most 30), optionally after a schema and a dot; found ${JSON.stringify(tablePrefix)}.`,
    );
  }
  const withinSchema = tablePrefix.slice(tablePrefix.indexOf('.') + 1);
  const prefixed = text
    .replace(/(?<![A-Za-z0-9_$])QRTZ_/g, () => tablePrefix)
    .replace(/IDX_QRTZ_/g, () => `IDX_${withinSchema}`); // the name of an index has no schema
  return keyText === undefined ? prefixed : prefixed.replace(KEY_TEXT, describeKeyText(keyText));
}

/** Returns `CHARACTER SET … COLLATE …`. The names come from the server's catalogue and are checked anyway. */
function describeKeyText({ characterSet, collation }: KeyText): string {
  for (const name of [characterSet, collation]) {
    if (!CHARACTER_SET_NAME.test(name)) throw new TypeError(`Not the name of a character set or collation: ${name}`);
  }
  return `CHARACTER SET ${characterSet} COLLATE ${collation}`;
}

/** Returns the values in the order of the statement's question marks. Throws for a missing, unknown or invalid one, which is a bug. */
export function bindByPosition(statement: Statement, params: SqlParams): SqlValue[] {
  for (const name of Object.keys(params)) {
    if (!statement.parameters.includes(name)) throw new TypeError(`${statement.name} has no parameter :${name}.`);
  }
  return statement.parameters.map((name) => {
    if (!Object.hasOwn(params, name)) throw new TypeError(`${statement.name} was not given :${name}.`);
    return bindable(params[name], `${statement.name}: parameter :${name}`);
  });
}

/**
 * Returns the value if a driver can send it correctly. Throws a TypeError for others.
 * - arrays and objects: mysql2 silently turns them into JSON text, and `IN (?)` with `[1, 2]` then matches the row 0
 * - `undefined` and booleans
 * - numbers that are not finite or that a double does not hold exactly
 * - text with a lone surrogate, which would be read back as another character
 */
function bindable(value: unknown, what: string): SqlValue {
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === 'string' && isWellFormed(value)) return value;
  if (typeof value === 'number' && isExact(value)) return value;
  throw new TypeError(`${what} must be text, an exact number, bytes or null; found ${describe(value)}.`);
}

const isExact = (value: number) => Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return 'text that is not valid Unicode';
  return typeof value === 'number' ? String(value) : typeof value;
}
