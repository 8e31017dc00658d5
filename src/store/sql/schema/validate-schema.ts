import { applyTokens, type KeyText } from '../runtime/statements';
import { type Catalogue, type FoundColumn, type FoundTable, PRIMARY_KEY } from './catalogue';
import type { DeclaredColumn, DeclaredTable } from './schema-files';

export interface SchemaFindings {
  readonly problems: readonly SchemaProblem[];
  readonly warnings: readonly string[];
}

/** A problem that prevents the store from working. */
export interface SchemaProblem {
  readonly text: string;
  /** Statements that fix the problem, in order, before tokens are applied; an empty array if the problem must be fixed manually. */
  readonly repair: readonly string[];
  /** The missing object; null if the object exists, but differs from the declaration. */
  readonly missing: Missing | null;
}

export interface Missing {
  readonly what: 'table' | 'column' | 'index' | 'primary key' | 'exact keys';
  readonly table: string;
  /** Name of the column, index or collation; otherwise the name of the table. */
  readonly name: string;
}

export function validateSchema(declared: readonly DeclaredTable[], catalogue: Catalogue): SchemaFindings {
  const findings = declared.map((table) => validateTable(table, catalogue));
  const keys = keyFindings(declared, catalogue);
  return {
    problems: [...findings.flatMap(({ problems }) => problems), ...keys.problems],
    warnings: [...findings.flatMap(({ warnings }) => warnings), ...keys.warnings],
  };
}

/** True if the collation distinguishes all names, except for trailing blanks. */
export function isExact({ characterSet, collation }: KeyText): boolean {
  return characterSet === 'utf8mb4' && collation.endsWith('_bin');
}

/** Finds a table in the catalogue under the configured prefix; undefined if it does not exist. */
export function findTable(catalogue: Catalogue, name: string): FoundTable | undefined {
  const wanted = unqualified(applyTokens(name, catalogue));
  const exact = catalogue.tables.get(wanted);
  if (exact !== undefined || !catalogue.ignoresCase) return exact;
  return [...catalogue.tables.values()].find((table) => table.name.toUpperCase() === wanted.toUpperCase());
}

const unqualified = (name: string) => name.slice(name.indexOf('.') + 1);

function validateTable(table: DeclaredTable, catalogue: Catalogue): SchemaFindings {
  const name = applyTokens(table.name, catalogue);
  const found = findTable(catalogue, table.name);
  if (found === undefined) return { problems: [missingTable(table, name, catalogue)], warnings: [] };
  const problems: SchemaProblem[] = [];
  const warnings: string[] = [];
  if (found.engine !== null && found.engine.toUpperCase() !== 'INNODB') {
    problems.push(fault(`Expected the engine InnoDB for ${name}, found ${found.engine}, which has no transactions.`));
  }
  for (const column of table.columns) {
    const there = found.columns.get(column.name);
    if (there === undefined) problems.push(missingColumn(table, name, column));
    else if (isShorter(there, column.textLength)) {
      warnings.push(
        `${name}.${column.name} holds ${there.textLength} characters, but quartz-ts accepts ${column.textLength}. Longer values would fail.`,
      );
    }
  }
  if (!hasPrimaryKey(found, table.primaryKey)) problems.push(missingPrimaryKey(table, name));
  for (const { name: index, columns, text } of table.indexes) {
    const wanted = applyTokens(index, catalogue);
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

/** Describes a missing column. A NOT NULL column must be added manually, because every existing row needs a value in it. */
function missingColumn(
  table: DeclaredTable,
  shownAs: string,
  { name, definition, text }: DeclaredColumn,
): SchemaProblem {
  const needsValue = definition.includes('NOT NULL');
  const advice = needsValue
    ? `. The column is NOT NULL: add it manually (${definition}) and fill it for existing rows.`
    : '.';
  return {
    text: `${shownAs} has no column ${name}${advice}`,
    repair: needsValue ? [] : [text],
    missing: { what: 'column', table: table.name, name },
  };
}

/** Describes a missing primary key. Without one, a statement cannot address a single row: completions may fail, and rows may be inserted twice. */
function missingPrimaryKey({ name, primaryKey, primaryKeyText }: DeclaredTable, shownAs: string): SchemaProblem {
  return {
    text: `${shownAs} has no primary key (${primaryKey.join(', ')}).`,
    repair: primaryKeyText === null ? [] : [primaryKeyText],
    missing: { what: 'primary key', table: name, name },
  };
}

/** True if the table has the primary key. */
function hasPrimaryKey({ indexes }: FoundTable, wanted: readonly string[]): boolean {
  return [...indexes].some(([name, columns]) => {
    return (
      name === PRIMARY_KEY && columns.length === wanted.length && wanted.every((column) => columns.includes(column))
    );
  });
}

function fault(text: string): SchemaProblem {
  return { text, repair: [], missing: null };
}

/** Returns the columns of an index; undefined if it does not exist. Index names ignore case on every database. */
export function indexOf(table: FoundTable, name: string): readonly string[] | undefined {
  const wanted = name.toUpperCase();
  return [...table.indexes].find(([found]) => found.toUpperCase() === wanted)?.[1];
}

/** Number of leading columns that an index must have. Further columns only avoid a sort, and the indexes of Java's schema lack them. */
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
      `The table ${name} is missing, but there is ${alike}. This server distinguishes upper and lower case; Quartz uses upper-case names. Rename the table: RENAME TABLE ${alike} TO ${unqualified(name)}.`,
    );
  }
  const separate = table.indexes.filter(({ isInline }) => !isInline).map(({ text }) => text);
  return {
    text: `The table ${name} is missing.`,
    repair: [table.text, ...separate],
    missing: { what: 'table', table: table.name, name: table.name },
  };
}

function keyFindings(declared: readonly DeclaredTable[], catalogue: Catalogue): SchemaFindings {
  const keys = keyTextsOf(declared, catalogue, comparedColumns);
  const loose = keys.filter(({ keyText }) => !isExact(keyText));
  if (loose.length > 0) return { problems: [describeLoose(loose, catalogue)], warnings: [] };
  const kinds = [...new Set(keys.map(({ keyText }) => keyText.collation))];
  if (kinds.length > 1) {
    const name = kinds.join(' and ');
    const text = `The key columns have several collations, which cannot be compared: ${name}. Give all tables the same collation.`;
    return { problems: [{ text, repair: [], missing: { what: 'exact keys', table: 'all', name } }], warnings: [] };
  }
  const ignoresBlanks = kinds.filter((collation) => !/nopad|0900/.test(collation));
  const warnings = ignoresBlanks.map(
    (collation) =>
      `The key columns have the collation ${collation}, which treats names that differ only in trailing spaces as equal.`,
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
    `Expected the collation ${exactKeyText?.collation ?? 'a binary collation of utf8mb4'} for the keys of ${tables}, found ${kinds}. ` +
    "It treats names such as 'Report' and 'REPORT' as equal, but schedulers do not, so a non-concurrent job could " +
    'run twice at the same time. Convert the tables (`quartz migrate --print` shows the statements). ' +
    'Java nodes can keep running.';
  return { text, repair: [], missing: { what: 'exact keys', table: tables, name: kinds } };
}

/** Returns the character set and collation of the key columns; undefined if no table exists or the database has only one character set. */
export function sharedKeyText(declared: readonly DeclaredTable[], catalogue: Catalogue): KeyText | undefined {
  return keyTextsOf(declared, catalogue, ({ primaryKey }) => primaryKey)[0]?.keyText;
}

/** Returns the columns that statements compare: keys, indexed columns and job types. */
function comparedColumns({ primaryKey, indexes, columns }: DeclaredTable): readonly string[] {
  const types = columns.filter(({ name }) => name === 'JOB_CLASS_NAME').map(({ name }) => name);
  return [...primaryKey, ...indexes.flatMap((index) => index.columns), ...types];
}

function keyTextsOf(
  declared: readonly DeclaredTable[],
  catalogue: Catalogue,
  columnsOf: (table: DeclaredTable) => readonly string[],
) {
  return declared.flatMap((table) => {
    const found = findTable(catalogue, table.name);
    return columnsOf(table).flatMap((column) => {
      const keyText = found?.columns.get(column)?.keyText ?? null;
      return keyText === null ? [] : [{ table: found?.name ?? table.name, keyText }];
    });
  });
}
