import { SchedulerError } from '../../../base/errors';
import { isWellFormed } from '../../../domain/check-text';
import type { SqlParams, SqlValue } from './sql-driver';
import { type Dialect, readQueries, readSql } from './sql-files';
import type { SqlText } from './sql-text';
import type { StatementName } from './statement-names';

/** One statement ready to be prepared: `?` for every parameter, and whose value goes where. */
export interface Statement {
  readonly name: StatementName;
  readonly text: string;
  /** Names in the order of the question marks; one that the text uses twice is here twice. */
  readonly parameters: readonly string[];
  /** The server counts every row that it changes as two: INSERT … ON DUPLICATE KEY UPDATE. */
  readonly countsTwice: boolean;
  /** Where its comment says how it finds its rows. */
  readonly indexes: PromisedIndexes;
}

/** What the comment of a statement promises of its plan. */
export interface PromisedIndexes {
  /** The secondary ones; primary keys go without saying. */
  readonly names: readonly string[];
  /** The rows come in the order of the index: nothing is sorted. */
  readonly inOrder: boolean;
}

/** What is written into the texts at start: the only two things that differ between installations. */
export interface StatementTokens {
  /** Replaces `QRTZ_`: letters, digits, `_` and `$`, optionally a schema and a dot before. */
  readonly tablePrefix: string;
  /**
   * Character set and collation of the key columns, which replace `CHARACTER SET utf8mb4 COLLATE utf8mb4_bin` in
   * JSON_TABLE clauses: a text column there has the database's own, and joining two that differ is an error or a scan.
   */
  readonly keyText?: KeyText;
}

/** How a server keeps and compares the text of keys. */
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

  /** Throws for a name that no file defines: a mistake in the code. */
  get(name: StatementName): Statement {
    const statement = this.#byName.get(name);
    if (statement === undefined) throw new TypeError(`No file of sql/ defines the statement '${name}'.`);
    return statement;
  }
}

/** Reads the statements of a dialect and writes the tokens into the texts. */
export function loadStatements(dialect: Dialect, tokens: StatementTokens): Statements {
  return new Statements(readQueries(dialect).map((text) => toStatement(text, tokens)));
}

/** The texts of a file by name; throws for one that it does not have: a mistake in the code. */
export function namedTexts(dialect: Dialect, file: string): (name: string) => SqlText {
  const texts = new Map(readSql(dialect, file).map((text) => [text.name, text]));
  return (name) => {
    const text = texts.get(name);
    if (text === undefined) throw new TypeError(`sql/${dialect}/${file} has no '${name}'.`);
    return text;
  };
}

/** One text of a file as a statement. */
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

/** Where the optimizer chooses among several, none is promised. */
function promised(comment: string, tokens: StatementTokens): PromisedIndexes {
  const names = comment.includes('optimizer') ? [] : (comment.match(/IDX_QRTZ_\w+/g) ?? []);
  return {
    names: [...new Set(names)].map((name) => applyTokens(name, tokens)),
    inOrder: comment.includes('in its order'),
  };
}

/** The text with this installation's table prefix and key collation. Throws `CONFIGURATION` for a prefix that is not a name. */
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
    .replace(/IDX_QRTZ_/g, () => `IDX_${withinSchema}`); // the name of an index takes no schema
  return keyText === undefined ? prefixed : prefixed.replace(KEY_TEXT, describeKeyText(keyText));
}

/** `CHARACTER SET … COLLATE …`; the names come from the server's catalogue and are checked all the same. */
function describeKeyText({ characterSet, collation }: KeyText): string {
  for (const name of [characterSet, collation]) {
    if (!CHARACTER_SET_NAME.test(name)) throw new TypeError(`Not the name of a character set or collation: ${name}`);
  }
  return `CHARACTER SET ${characterSet} COLLATE ${collation}`;
}

/** The values in the order of the statement's question marks. Throws for a missing, unknown or unfit one: a mistake in the code. */
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
 * The value, if a driver may see it. Refused with a TypeError: arrays and objects (mysql2 silently turns them into JSON
 * text: `IN (?)` with `[1, 2]` then matches the row 0), `undefined` and booleans, numbers that are not finite or that a
 * double does not hold exactly, and text with a lone surrogate, which would come back as another one.
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
