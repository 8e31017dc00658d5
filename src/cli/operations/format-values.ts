import { stringify } from 'yaml';
import { isRecord } from '../../base/is-record';
import { maxOf } from '../../base/lists';
import { printable } from '../../base/printable';
import { formatKey } from '../../domain/keys';
import { formatDuration } from '../format-duration';
import { type Output, padEnd, renderTable, widthOf } from '../output';

type Fields = Readonly<Record<string, unknown>>;

/** Maximum length of the text in a table cell, in characters. `--json` prints the whole text. */
const MAX_CELL = 80;

/** Prints the output of an operation for the terminal. An array is printed as lines of text. */
export function printFormatted(output: Output, answer: unknown, columns?: readonly string[]): void {
  if (Array.isArray(answer)) for (const line of answer) output.line(printable(String(line)));
  else if (!isRecord(answer)) output.line(inline(answer));
  else if (Array.isArray(answer.items)) printList(output, answer, columns);
  else printFields(output, answer);
}

function printList(output: Output, answer: Fields, columns?: readonly string[]): void {
  const { items: all, next: _, ...rest } = answer;
  const items = all as readonly unknown[];
  printItems(output, items, columns);
  const isAll = (value: unknown) => isRecord(value) && value.count === items.length && value.isExact === true;
  const shown = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => !isEmpty(value) && value !== items.length && !isAll(value)),
  );
  if (Object.keys(shown).length === 0) return;
  output.line();
  printFields(output, shown);
}

function printItems(output: Output, items: readonly unknown[], columns?: readonly string[]): void {
  const { headings, rows, right } = tableOf(items, columns);
  if (rows.length === 0) {
    output.note('(nothing)');
    return;
  }
  const shown = fittingColumns(headings, rows, output.terminal?.columns ?? Infinity);
  const cellsOf = (row: readonly string[]) => row.slice(0, shown);
  output.table(headings.slice(0, shown), rows.map(cellsOf), right);
}

/** Returns how many columns, from the left, fit into `width` with headings; all if the first does not fit. Important ones are on the left. */
function fittingColumns(headings: readonly string[], rows: readonly (readonly string[])[], width: number): number {
  let place = 0;
  const next = headings.findIndex((heading, column) => {
    const isOutside = place + widthOf(heading) > width;
    place +=
      2 +
      maxOf(
        rows.map((row) => widthOf(row[column] ?? '')),
        widthOf(heading),
      );
    return isOutside;
  });
  return next < 1 ? headings.length : next;
}

function printFields(output: Output, fields: Fields): void {
  // A result without content is printed as "done".
  const isDone = Object.values(fields).every((value) => Array.isArray(value) && value.length === 0);
  const lines = linesOf(fields);
  if (isDone) output.line('done');
  else for (const line of lines) output.line(line);
}

function linesOf(fields: Fields): readonly string[] {
  const entries = Object.entries(fields).map(([name, value]) => ({ title: titleOf(name), value, name }));
  const width = maxOf(
    entries.filter(({ value }) => isShort(value)).map(({ title }) => title.length),
    0,
  );
  return entries.flatMap(({ title, value, name }) => {
    if (isShort(value)) return [`${padEnd(title, width)}  ${inline(value, name)}`.trimEnd()];
    return [title, ...indented(partsOf(name === DEFINITION ? stringify(value) : value))];
  });
}

/** Field whose value is printed as YAML, so that it can be copied into a file. */
const DEFINITION = 'definition';

function partsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.trimEnd().split('\n').map(printable);
  if (isRecord(value)) return linesOf(value);
  const list = value as readonly unknown[];
  if (!list.every(isRecord)) return list.map((each) => `- ${inline(each)}`);
  const { headings, rows, right } = tableOf(list, pathsOf(list), (text) => text);
  return renderTable(headings, rows, right);
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`);

interface Table {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Headings of numeric columns, which are aligned to the right. */
  readonly right: readonly string[];
}

/** Returns a table without columns that are empty in all items. `last` formats the last column, which need not be truncated. */
function tableOf(items: readonly unknown[], columns: readonly string[] = pathsOf(items), last = truncate): Table {
  const wanted = withKeysAsOne(columns)
    .map((path) => ({
      path,
      heading: path === 'key' ? 'name' : titleOf(path),
      cells: items.map((item) => valueAt(item, path)),
    }))
    .filter(({ cells }) => !cells.every(isEmpty));
  return {
    headings: wanted.map(({ heading }) => heading),
    rows: items.map((_, row) =>
      wanted.map(({ cells, path }, column) =>
        (column === wanted.length - 1 ? last : truncate)(inline(cells[row], path)),
      ),
    ),
    right: wanted
      .filter(({ cells }) => cells.every((cell) => cell === null || typeof cell === 'number'))
      .map(({ heading }) => heading),
  };
}

/** Returns the paths of the values in the items. Expands objects that have no one-line form by one level. */
function pathsOf(items: readonly unknown[]): readonly string[] {
  const paths = items
    .filter(isRecord)
    .flatMap((item) =>
      Object.entries(item).flatMap(([name, value]) =>
        isRecord(value) && knownForm(value) === null ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
      ),
    );
  const all = new Set(paths);
  // If a value is null in one item and an object in another, only the paths within the object remain.
  return [...all].filter((path) => ![...all].some((other) => other.startsWith(`${path}.`)));
}

/** Merges the columns `job.group` and `job.name` into `job`, which is printed as the key that commands accept. */
function withKeysAsOne(columns: readonly string[]): readonly string[] {
  const merged = columns.map((path) => {
    const [, object, part] = /^(.+)\.(group|name)$/.exec(path) ?? [];
    const other = part === 'group' ? 'name' : 'group';
    return object !== undefined && columns.includes(`${object}.${other}`) ? object : path;
  });
  return [...new Set(merged)];
}

function valueAt(item: unknown, path: string): unknown {
  let value = item;
  for (const name of path.split('.')) value = isRecord(value) ? value[name] : null;
  return value ?? null;
}

function inline(value: unknown, path = ''): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return path.endsWith('Ms') ? formatDuration(value) : String(value);
  if (typeof value === 'string') return printable(value.trimEnd());
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map((each) => inline(each)).join(', ');
  return printable(knownForm(value as Fields) ?? JSON.stringify(value));
}

function knownForm(fields: Fields): string | null {
  const { count, isExact, operator, value } = fields;
  const names = Object.keys(fields);
  if (names.length === 0) return '-';
  if (names.length === 2 && typeof count === 'number' && typeof isExact === 'boolean')
    return isExact ? String(count) : `more than ${count}`;
  if (names.length === 2 && typeof operator === 'string' && typeof value === 'string')
    return operator === 'any' ? 'any' : `${operator} ${value}`;
  const areFigures = Object.values(fields).every((each) => each === null || typeof each === 'number');
  return areFigures && names.length <= 4
    ? Object.entries(fields)
        .map(([name, each]) => `${titleOf(name)} ${inline(each, name)}`)
        .join(', ')
    : keyIn(fields);
}

/** Returns `group/name`, the form that commands accept, if the object has only these two fields; otherwise null. */
function keyIn(value: Fields): string | null {
  const { group, name, ...rest } = value;
  if (typeof group !== 'string' || typeof name !== 'string' || Object.keys(rest).length > 0) return null;
  return formatKey({ group, name });
}

/** Returns the title of a field, such as `last check in time`. Omits the suffix `Ms`, because the value is printed with its unit. */
function titleOf(path: string): string {
  const words = path.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return printable(words.replaceAll('.', ' '));
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return !value.trimEnd().includes('\n');
  if (Array.isArray(value)) return !value.some((each) => isRecord(each)) && inline(value).length <= MAX_CELL;
  return !isRecord(value) || knownForm(value) !== null;
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

function truncate(text: string): string {
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
}
