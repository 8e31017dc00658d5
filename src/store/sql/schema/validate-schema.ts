import { applyTokens, type KeyText } from '../runtime/statements';
import type { Catalogue, FoundColumn, FoundTable } from './catalogue';
import type { DeclaredColumn, DeclaredTable } from './schema-files';

/** What is wrong with the tables, and what an operator should know about them. */
export interface SchemaFindings {
  /** With any of these the store cannot work. */
  readonly problems: readonly SchemaProblem[];
  readonly warnings: readonly string[];
}

/** Something without which the store cannot work. */
export interface SchemaProblem {
  readonly text: string;
  /** Statements that mend it, in this order, before tokens are applied; empty: only a person can. */
  readonly repair: readonly string[];
  /** What is not there; null: it is there, and not as it must be. */
  readonly missing: Missing | null;
}

/** A part of the tables that is not there. */
export interface Missing {
  readonly what: 'table' | 'column' | 'index' | 'primary key' | 'exact keys';
  readonly table: string;
  /** Of the column or index; of the table itself otherwise. */
  readonly name: string;
}

/** Compares the tables that are there with those that are declared. Pure. */
export function validateSchema(
  declared: readonly DeclaredTable[],
  catalogue: Catalogue,
  tablePrefix: string,
): SchemaFindings {
  const findings = declared.map((table) => validateTable(table, catalogue, tablePrefix));
  const keys = keyFindings(declared, catalogue, tablePrefix);
  return {
    problems: [...findings.flatMap(({ problems }) => problems), ...keys.problems],
    warnings: [...findings.flatMap(({ warnings }) => warnings), ...keys.warnings],
  };
}

/** Whether names that differ at all are different names to the database, but for blanks at the end. */
export function isExact({ characterSet, collation }: KeyText): boolean {
  return characterSet === 'utf8mb4' && collation.endsWith('_bin');
}

/** The table as the catalogue has it, under the configured prefix. */
export function findTable(catalogue: Catalogue, name: string, tablePrefix: string): FoundTable | undefined {
  const wanted = unqualified(applyTokens(name, { tablePrefix }));
  const exact = catalogue.tables.get(wanted);
  if (exact !== undefined || !catalogue.ignoresCase) return exact;
  return [...catalogue.tables.values()].find((table) => table.name.toUpperCase() === wanted.toUpperCase());
}

const unqualified = (name: string) => name.slice(name.indexOf('.') + 1);

function validateTable(table: DeclaredTable, catalogue: Catalogue, tablePrefix: string): SchemaFindings {
  const name = applyTokens(table.name, { tablePrefix });
  const found = findTable(catalogue, table.name, tablePrefix);
  if (found === undefined) return { problems: [missingTable(table, name, catalogue)], warnings: [] };
  const problems: SchemaProblem[] = [];
  const warnings: string[] = [];
  if (found.engine !== null && found.engine.toUpperCase() !== 'INNODB') {
    problems.push(fault(`${name} is kept by ${found.engine}, which has no transactions; expected InnoDB.`));
  }
  for (const column of table.columns) {
    const there = found.columns.get(column.name);
    if (there === undefined) problems.push(missingColumn(table, name, column));
    else if (isShorter(there, column.textLength)) {
      warnings.push(
        `${name}.${column.name} holds ${there.textLength} characters; ${column.textLength} are accepted and would fail.`,
      );
    }
  }
  if (!hasPrimaryKey(found, table.primaryKey)) problems.push(missingPrimaryKey(table, name));
  for (const [index, columns] of table.indexes) {
    const wanted = applyTokens(index, { tablePrefix });
    if (serves(indexOf(found, wanted), columns)) continue;
    const text = `${name} has no index ${wanted} (${columns.join(', ')}).`;
    const isOther = indexOf(found, wanted) !== undefined;
    const repair = isOther ? [] : [table.indexTexts.get(index) ?? ''];
    problems.push({ text, repair, missing: { what: 'index', table: table.name, name: index } });
  }
  return { problems, warnings };
}

/** A column that rows need a value for is not made up. */
function missingColumn(
  table: DeclaredTable,
  shownAs: string,
  { name, definition, text: addition }: DeclaredColumn,
): SchemaProblem {
  const missing = { what: 'column', table: table.name, name } as const;
  const isNullable = !definition.includes('NOT NULL');
  return isNullable
    ? {
        text: `${shownAs} has no column ${name}.`,
        repair: [addition],
        missing,
      }
    : {
        text: `${shownAs} has no column ${name}, which each row needs a value for; add it by hand (${definition}) with the right values.`,
        repair: [],
        missing,
      };
}

/** Without it a row that is to be changed alone is not found alone: what ends is not stored, what is new may be there twice. */
function missingPrimaryKey({ name, primaryKey, primaryKeyText }: DeclaredTable, shownAs: string): SchemaProblem {
  return {
    text: `${shownAs} has no primary key (${primaryKey.join(', ')}).`,
    repair: primaryKeyText === null ? [] : [primaryKeyText],
    missing: { what: 'primary key', table: name, name },
  };
}

/** MySQL calls it PRIMARY; SQLite makes an index of its own for it. */
function hasPrimaryKey({ indexes }: FoundTable, wanted: readonly string[]): boolean {
  return [...indexes].some(([name, columns]) => {
    const isKey = name === 'PRIMARY' || name.startsWith('sqlite_autoindex_');
    return isKey && columns.length === wanted.length && wanted.every((column) => columns.includes(column));
  });
}

function fault(text: string): SchemaProblem {
  return { text, repair: [], missing: null };
}

/** The columns of an index; the names of indexes ignore case on every database. */
export function indexOf(table: FoundTable, name: string): readonly string[] | undefined {
  const wanted = name.toUpperCase();
  return [...table.indexes].find(([found]) => found.toUpperCase() === wanted)?.[1];
}

/** Columns of an index that are searched by; those behind them only spare a sort, and the index that Java makes lacks them. */
const SEARCHED = 3;

function serves(found: readonly string[] | undefined, wanted: readonly string[]): boolean {
  return found !== undefined && wanted.slice(0, SEARCHED).every((column, at) => found[at]?.toUpperCase() === column);
}

const isShorter = ({ textLength }: FoundColumn, wanted: number | null) =>
  textLength !== null && wanted !== null && textLength < wanted;

function missingTable(table: DeclaredTable, name: string, catalogue: Catalogue): SchemaProblem {
  const alike = [...catalogue.tables.keys()].find((other) => other.toUpperCase() === unqualified(name).toUpperCase());
  if (alike !== undefined) {
    return fault(
      `The table ${name} is missing, but there is ${alike}: this server tells upper from lower case, and Quartz's names are upper case.`,
    );
  }
  const separate = [...table.indexTexts.values()].filter((text) => !table.text.includes(inlineOf(text)));
  return {
    text: `The table ${name} is missing.`,
    repair: [table.text, ...separate],
    missing: { what: 'table', table: table.name, name: table.name },
  };
}

/** As an index stands within the statement that makes its table. */
const inlineOf = (text: string) =>
  text.replace(/^CREATE INDEX (?:IF NOT EXISTS )?([A-Z0-9_]+) ON [A-Z0-9_]+/, 'KEY $1');

function keyFindings(declared: readonly DeclaredTable[], catalogue: Catalogue, tablePrefix: string): SchemaFindings {
  const keys = comparedColumns(declared, catalogue, tablePrefix);
  const loose = keys.filter(({ keyText }) => !isExact(keyText));
  if (loose.length > 0) return { problems: [describeLoose(loose, catalogue)], warnings: [] };
  const kinds = [...new Set(keys.map(({ keyText }) => keyText.collation))];
  if (kinds.length > 1) {
    const name = kinds.join(' and ');
    const text = `The keys have several collations, ${name}, which cannot be compared; give all tables one.`;
    return { problems: [{ text, repair: [], missing: { what: 'exact keys', table: 'all', name } }], warnings: [] };
  }
  return { problems: [], warnings: kinds.flatMap(describeBlanks) };
}

function describeLoose(
  loose: readonly { readonly table: string; readonly keyText: KeyText }[],
  { exactKeyText }: Catalogue,
): SchemaProblem {
  const tables = [...new Set(loose.map(({ table }) => table))].join(', ');
  const kinds = [...new Set(loose.map(({ keyText }) => keyText.collation))].join(' and ');
  const text =
    `The keys of ${tables} are compared by ${kinds}; expected ${exactKeyText?.collation ?? 'a binary collation of utf8mb4'}. ` +
    "To these tables names such as 'Report' and 'REPORT' are one, to schedulers they are two: one non-concurrent job would " +
    'run twice at a time. Converting the tables (the statements are those of `quartz migrate --print`) changes nothing for ' +
    'Java nodes, which may go on running.';
  return { text, repair: [], missing: { what: 'exact keys', table: tables, name: kinds } };
}

/** Collation and character set that every key column shares; undefined where there are none to tell. */
export function sharedKeyText(
  declared: readonly DeclaredTable[],
  catalogue: Catalogue,
  tablePrefix: string,
): KeyText | undefined {
  return keyColumns(declared, catalogue, tablePrefix)[0]?.keyText;
}

function keyColumns(declared: readonly DeclaredTable[], catalogue: Catalogue, tablePrefix: string) {
  return textsOf(declared, catalogue, tablePrefix, ({ primaryKey }) => primaryKey);
}

/** What statements compare: keys, what is searched by, and the types of jobs. */
function comparedColumns(declared: readonly DeclaredTable[], catalogue: Catalogue, tablePrefix: string) {
  return textsOf(declared, catalogue, tablePrefix, ({ primaryKey, indexes, columns }) => {
    const types = columns.filter(({ name }) => name === 'JOB_CLASS_NAME').map(({ name }) => name);
    return [...primaryKey, ...[...indexes.values()].flat(), ...types];
  });
}

function textsOf(
  declared: readonly DeclaredTable[],
  catalogue: Catalogue,
  tablePrefix: string,
  columnsOf: (table: DeclaredTable) => readonly string[],
) {
  return declared.flatMap((table) => {
    const found = findTable(catalogue, table.name, tablePrefix);
    const keyTexts = columnsOf(table).map((column) => found?.columns.get(column)?.keyText ?? null);
    return keyTexts
      .filter((keyText) => keyText !== null)
      .map((keyText) => ({ table: found?.name ?? table.name, keyText }));
  });
}

function describeBlanks(collation: string): string[] {
  if (/nopad|0900/.test(collation)) return [];
  return [
    `The keys are compared by ${collation}: names that differ only in trailing blanks are one name in these tables.`,
  ];
}
