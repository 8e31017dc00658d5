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
  for (const { name: index, columns, text } of table.indexes) {
    const wanted = applyTokens(index, { tablePrefix });
    const there = indexOf(found, wanted);
    if (serves(there, columns)) continue;
    problems.push({
      text: `${name} has no index ${wanted} (${columns.join(', ')}).`,
      repair: there === undefined ? [text] : [],
      missing: { what: 'index', table: table.name, name: index },
    });
  }
  return { problems, warnings };
}

/** A column that rows need a value for is not made up. */
function missingColumn(
  table: DeclaredTable,
  shownAs: string,
  { name, definition, text }: DeclaredColumn,
): SchemaProblem {
  const needsValue = definition.includes('NOT NULL');
  const advice = needsValue
    ? `, which each row needs a value for; add it by hand (${definition}) with the right values.`
    : '.';
  return {
    text: `${shownAs} has no column ${name}${advice}`,
    repair: needsValue ? [] : [text],
    missing: { what: 'column', table: table.name, name },
  };
}

/** Without a primary key a statement cannot address a single row: completions may not be stored, and new rows may be inserted twice. */
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
  const separate = table.indexes.filter(({ isInline }) => !isInline).map(({ text }) => text);
  return {
    text: `The table ${name} is missing.`,
    repair: [table.text, ...separate],
    missing: { what: 'table', table: table.name, name: table.name },
  };
}

function keyFindings(declared: readonly DeclaredTable[], catalogue: Catalogue, tablePrefix: string): SchemaFindings {
  const keys = keyTextsOf(declared, catalogue, tablePrefix, comparedColumns);
  const loose = keys.filter(({ keyText }) => !isExact(keyText));
  if (loose.length > 0) return { problems: [describeLoose(loose, catalogue)], warnings: [] };
  const kinds = [...new Set(keys.map(({ keyText }) => keyText.collation))];
  if (kinds.length > 1) {
    const name = kinds.join(' and ');
    const text = `The keys have several collations, ${name}, which cannot be compared; give all tables one.`;
    return { problems: [{ text, repair: [], missing: { what: 'exact keys', table: 'all', name } }], warnings: [] };
  }
  const ignoresBlanks = kinds.filter((collation) => !/nopad|0900/.test(collation));
  const warnings = ignoresBlanks.map(
    (collation) =>
      `The keys are compared by ${collation}: names that differ only in trailing blanks are one name in these tables.`,
  );
  return { problems: [], warnings };
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

/** Collation and character set that every key column shares; undefined where no table is there. */
export function sharedKeyText(
  declared: readonly DeclaredTable[],
  catalogue: Catalogue,
  tablePrefix: string,
): KeyText | undefined {
  return keyTextsOf(declared, catalogue, tablePrefix, ({ primaryKey }) => primaryKey)[0]?.keyText;
}

/** What statements compare: keys, what is searched by, and the types of jobs. */
function comparedColumns({ primaryKey, indexes, columns }: DeclaredTable): readonly string[] {
  const types = columns.filter(({ name }) => name === 'JOB_CLASS_NAME').map(({ name }) => name);
  return [...primaryKey, ...indexes.flatMap((index) => index.columns), ...types];
}

function keyTextsOf(
  declared: readonly DeclaredTable[],
  catalogue: Catalogue,
  tablePrefix: string,
  columnsOf: (table: DeclaredTable) => readonly string[],
) {
  return declared.flatMap((table) => {
    const found = findTable(catalogue, table.name, tablePrefix);
    return columnsOf(table).flatMap((column) => {
      const keyText = found?.columns.get(column)?.keyText ?? null;
      return keyText === null ? [] : [{ table: found?.name ?? table.name, keyText }];
    });
  });
}
