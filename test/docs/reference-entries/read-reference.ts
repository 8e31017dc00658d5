import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** A table of a reference page. */
export interface Table {
  /** The nearest heading above it, without marks. */
  readonly heading: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The text of a page of docs/reference/. */
export const pageOf = (name: string): string =>
  readFileSync(resolve(__dirname, '../../../docs/reference', `${name}.md`), 'utf8');

/** Every table of a page, in order. */
export function tablesOf(page: string): readonly Table[] {
  const tables: { heading: string; header: readonly string[]; rows: (readonly string[])[] }[] = [];
  let heading = '';
  let isInTable = false;
  for (const line of page.split('\n')) {
    const [, title] = /^#+ (.*)$/.exec(line) ?? [];
    if (title !== undefined) heading = title.replaceAll('`', '');
    if (!line.startsWith('|')) isInTable = false;
    else if (!isInTable) {
      tables.push({ heading, header: cellsOf(line), rows: [] });
      isInTable = true;
    } else if (!/^\|[-|]+$/.test(line)) tables.at(-1)?.rows.push(cellsOf(line));
  }
  return tables;
}

/** Words of a text in backticks. */
export const codeIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

/** The words in backticks in the first cell of each row: the subjects of the table. */
export const subjectsOf = ({ rows }: Table): readonly string[] =>
  rows.flatMap(([cell = '']) => codeIn(cell).slice(0, 1));

/** The cells of a row; a bar between backticks belongs to its cell. */
function cellsOf(line: string): readonly string[] {
  const cells = line.match(/(?:`[^`]*`|[^|`])+/g) ?? [];
  return cells.map((cell) => cell.trim());
}
