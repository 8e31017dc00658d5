import type { ComponentChildren } from 'preact';
import type { Asked } from '../state/use-operation';
import { Badge, Nothing, Trouble } from './basics';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand on the right. */
  readonly isNumber?: boolean;
  /** What a narrow screen can do without. */
  readonly isMinor?: boolean;
  /** Buttons: they stay in sight when the table is wider than the screen. */
  readonly isActions?: boolean;
  /** True for a row that has a value here: a column that no row uses is left out. */
  readonly isUsed?: (row: Row) => boolean;
}

interface TableProps<Row> {
  /** For those who cannot see it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly toneOf?: (row: Row) => string;
}

/** A phone shows rows as cards: to some browsers a table that is shown otherwise is none, unless it says so. */
const AS = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  cell: { role: 'cell' },
} as const;

/** Rows and columns. */
export function Table<Row>({ caption, columns: all, rows, keyOf, toneOf }: TableProps<Row>) {
  const columns = all.filter(({ isUsed }) => isUsed === undefined || rows.some(isUsed));
  return (
    <div class="scroll">
      <table {...AS.table} class="cards">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, ...column }) => (
              <th key={name} scope="col" class={classOf(column)}>
                {column.isActions ? <span class="unseen">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...AS.rowgroup}>
          {rows.map((row) => (
            <tr key={keyOf(row)} {...AS.row} class={toneOf?.(row) ?? ''}>
              {columns.map(({ name, cell, ...column }, at) => (
                <td key={name} {...AS.cell} class={classOf(column)} data-name={name}>
                  {cell(row)}
                  {at === 0 && <Unreadable row={row} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Parts of a row that cannot be shown, and why: empty values are in their place. */
function Unreadable({ row }: { readonly row: unknown }) {
  const { unreadable } = row as { readonly unreadable?: string | null };
  if (unreadable === undefined || unreadable === null) return null;
  return (
    <small class="below wraps">
      <Badge tone="bad">unreadable</Badge> {unreadable}
    </small>
  );
}

function classOf({ isNumber, isMinor, isActions }: Pick<Column<never>, 'isNumber' | 'isMinor' | 'isActions'>): string {
  return [isNumber && 'number', isMinor && 'minor', isActions && 'row-actions'].filter(Boolean).join(' ');
}

/** Of a list that is searched in parts. */
const SEARCHED_SO_FAR = 'Nothing matches in the part that was searched so far. The next page searches on.';

/** A table of what an operation answered: also while it is asked, when it fails, and when there is nothing. */
export function AskedTable<Row>({
  asked,
  empty,
  ...table
}: Omit<TableProps<Row>, 'rows'> & {
  readonly asked: Asked<{ readonly items: readonly Row[]; readonly next?: string | null }>;
  readonly empty: ComponentChildren;
}) {
  const { data, error } = asked;
  return (
    <>
      <Trouble error={error} />
      {data === null && error === null && (
        <p class="nothing" aria-busy="true">
          Loading…
        </p>
      )}
      {data !== null && data.items.length === 0 && (
        <Nothing>{(data.next ?? null) === null ? empty : SEARCHED_SO_FAR}</Nothing>
      )}
      {data !== null && data.items.length > 0 && <Table {...table} rows={data.items} />}
    </>
  );
}
