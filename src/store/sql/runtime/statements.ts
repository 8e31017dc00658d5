import { SchedulerError } from '../../../base/errors';
import { isWellFormed } from '../../../domain/check-text';
import type { SqlParams, SqlValue, SqlValues } from './sql-driver';
import { type Dialect, readQueries, readSql } from './sql-files';
import type { SqlText } from './sql-text';
import type { StatementName } from './statement-names';

/** One statement, ready to be prepared: `?` for every parameter, and the order of the parameters. */
export interface Statement {
  readonly name: StatementName;
  readonly text: string;
  /** Parameter names in the order of the question marks. A parameter that occurs twice in the text is listed twice. */
  readonly parameters: readonly string[];
  /** True if the server counts every changed row twice, as for INSERT … ON DUPLICATE KEY UPDATE. */
  readonly countsTwice: boolean;
  /** Secondary indexes that the statement's comment promises to use. `inOrder`: the rows are read in index order, without a sort. */
  readonly indexes: { readonly names: readonly string[]; readonly inOrder: boolean };
}

/** Tokens that are replaced in the SQL texts at start. Installations differ only in these two tokens. */
interface StatementTokens {
  /** Replaces `QRTZ_`. Letters, digits, `_` and `$`, optionally after a schema name and a dot. */
  readonly tablePrefix: string;
  /**
   * Character set and collation of the key columns. In JSON_TABLE clauses, they replace `CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`; a text
   * column there would otherwise have the database's default. Joining columns with different collations causes an error or a full scan.
   */
  readonly keyText?: KeyText | undefined;
}

export interface KeyText {
  readonly characterSet: string;
  readonly collation: string;
}

const KEY_TEXT = /CHARACTER SET utf8mb4 COLLATE utf8mb4_bin\b/g;
/** Parameter of nearly every statement: the name under which a scheduler's rows are stored. */
const SCHED_NAME = 'schedName';

const TABLE_PREFIX = /^([A-Za-z0-9_$]{1,64}\.)?[A-Za-z0-9_$]{0,30}$/;
const CHARACTER_SET_NAME = /^[a-z0-9_]{1,64}$/;

export class Statements {
  readonly #byName: ReadonlyMap<StatementName, Statement>;

  constructor(statements: readonly Statement[]) {
    this.#byName = new Map(statements.map((statement) => [statement.name, statement]));
  }

  get names(): readonly StatementName[] {
    return [...this.#byName.keys()];
  }

  /** Returns a statement. Throws a TypeError if no file defines the name, which is a bug. */
  get(name: StatementName): Statement {
    const statement = this.#byName.get(name);
    if (statement === undefined) throw new TypeError(`No file of sql/ defines the statement '${name}'.`);
    return statement;
  }
}

export function loadStatements(dialect: Dialect, tokens: StatementTokens): Statements {
  return new Statements(readQueries(dialect).map((text) => toStatement(text, tokens)));
}

/** Returns a lookup for the statements of a SQL file by name. The lookup throws a TypeError for a name that is not in the file, which is a bug. */
export function namedTexts(dialect: Dialect, file: string): (name: string) => SqlText {
  const texts = new Map(readSql(dialect, file).map((text) => [text.name, text]));
  return (name) => {
    const text = texts.get(name);
    if (text === undefined) throw new TypeError(`sql/${dialect}/${file} has no '${name}'.`);
    return text;
  };
}

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

/** Parses the indexes that a comment promises. If the comment leaves the choice to the optimizer, no index is promised. */
function promised(comment: string, tokens: StatementTokens): Statement['indexes'] {
  const names = comment.includes('optimizer') ? [] : (comment.match(/IDX_QRTZ_\w+/g) ?? []);
  return {
    names: [...new Set(names)].map((name) => applyTokens(name, tokens)),
    inOrder: comment.includes('in its order'),
  };
}

/** Replaces the table prefix and the key collation in a text. Throws `CONFIGURATION` for an invalid prefix. */
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
    .replace(/IDX_QRTZ_/g, () => `IDX_${withinSchema}`); // index names have no schema
  return keyText === undefined ? prefixed : prefixed.replace(KEY_TEXT, describeKeyText(keyText));
}

/** Returns `CHARACTER SET … COLLATE …`. Throws a TypeError for an invalid name, although the names come from the server's catalogue. */
function describeKeyText({ characterSet, collation }: KeyText): string {
  for (const name of [characterSet, collation]) {
    if (!CHARACTER_SET_NAME.test(name)) throw new TypeError(`Not the name of a character set or collation: ${name}`);
  }
  return `CHARACTER SET ${characterSet} COLLATE ${collation}`;
}

/**
 * Returns the values in the order of the statement's question marks. `schedName` is the value of this parameter unless `params` contains another one.
 * Throws a TypeError for a missing, unknown or invalid value, which is a bug.
 */
export function bindByPosition(
  { name, parameters }: Statement,
  params: SqlValues = {},
  schedName?: string,
): readonly SqlValue[] {
  const values = isList(params)
    ? withName(parameters, params, schedName)
    : inOrder(name, parameters, params, schedName);
  if (values.length !== parameters.length)
    throw new TypeError(`${name} has ${parameters.length} parameters, found ${values.length}.`);
  const at = values.findIndex((value) => !isBindable(value));
  if (at < 0) return values;
  throw new TypeError(
    `${name}: parameter :${parameters[at]} must be text, an exact number, bytes or null; found ${describe(values[at])}.`,
  );
}

const isList = (params: SqlValues): params is readonly SqlValue[] => Array.isArray(params);

function withName(parameters: readonly string[], values: readonly SqlValue[], schedName?: string): readonly SqlValue[] {
  const isMissing = values.length === parameters.length - 1 && parameters[0] === SCHED_NAME;
  return isMissing && schedName !== undefined ? [schedName, ...values] : values;
}

function inOrder(
  statement: string,
  parameters: readonly string[],
  params: SqlParams,
  schedName?: string,
): readonly SqlValue[] {
  for (const name in params) {
    if (!parameters.includes(name)) throw new TypeError(`${statement} has no parameter :${name}.`);
  }
  return parameters.map((name) => {
    if (Object.hasOwn(params, name)) return params[name] as SqlValue;
    if (name === SCHED_NAME && schedName !== undefined) return schedName; // without a copy of `params`
    throw new TypeError(`${statement} was not given :${name}.`);
  });
}

/**
 * Returns true if a driver can send the value without changing it. Returns false for these values:
 * - arrays and objects: mysql2 silently converts them to JSON text, and `IN (?)` with `[1, 2]` then matches the row 0
 * - `undefined` and booleans
 * - numbers that are not finite, and integers beyond the safe range
 * - text with a lone surrogate, which would be read back as another character
 */
function isBindable(value: unknown): boolean {
  if (typeof value === 'string') return isWellFormed(value);
  return value === null || (typeof value === 'number' && isExact(value)) || value instanceof Uint8Array;
}

const isExact = (value: number) => Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return 'text that is not valid Unicode';
  return typeof value === 'number' ? String(value) : typeof value;
}
