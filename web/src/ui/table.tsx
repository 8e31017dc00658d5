import type { ComponentChildren } from 'preact';
import type { OperationResult } from '../state/use-operation';
import { Badge, EmptyState, ErrorMessage } from './basics';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** True if the column contains numbers, which are aligned to the right. */
  readonly isNumber?: boolean;
  /** True if the column is hidden on a narrow screen. */
  readonly isMinor?: boolean;
  /** True if the column contains buttons, which stay visible even if the table is wider than the screen. */
  readonly isActions?: boolean;
  /** Returns true if the row has a value in this column. The column is hidden if no row has a value, and always shown if this function is absent. */
  readonly isUsed?: (row: Row) => boolean;
}

interface TableProps<Row> {
  /** Caption for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly toneOf?: (row: Row) => string;
}

/** Explicit roles. A phone shows the table as cards, and some browsers then drop the implicit roles. */
const AS = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  cell: { role: 'cell' },
} as const;

/** Table that becomes a list of cards on a phone. */
export function Table<Row>({ caption, columns: all, rows, keyOf, toneOf }: TableProps<Row>) {
  const columns = all.filter(({ isUsed }) => isUsed === undefined || rows.some(isUsed));
  return (
    <div class="scroll">
      <table {...AS.table} class="cards">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, ...column }) => (
              <th key={name} scope="col" class={classOf(column)}>
                {column.isActions ? <span class="visually-hidden">{name}</span> : name}
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

/** Note in a row that lists its unreadable fields. Those fields are empty. */
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

const SEARCHED_SO_FAR = 'No matches in the entries searched so far. Select Next page to search further.';

/** Table of an operation's result. Also shows that it is loading, has failed, or is empty. */
export function ResultTable<Row>({
  result,
  empty,
  ...table
}: Omit<TableProps<Row>, 'rows'> & {
  readonly result: OperationResult<{ readonly items: readonly Row[]; readonly next?: string | null }>;
  readonly empty: ComponentChildren;
}) {
  const { data, error } = result;
  return (
    <>
      <ErrorMessage error={error} />
      {data === null && error === null && (
        <p class="empty" aria-busy="true">
          Loading…
        </p>
      )}
      {data !== null && data.items.length === 0 && (
        <EmptyState>{(data.next ?? null) === null ? empty : SEARCHED_SO_FAR}</EmptyState>
      )}
      {data !== null && data.items.length > 0 && <Table {...table} rows={data.items} />}
    </>
  );
}
