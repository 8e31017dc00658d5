import { Problem } from '../../../src/operations/problem';
import { Panel } from './basics';
import { valueText } from './definition';
import type { Definition } from './form-values';
import { type Column, Table } from './table';

export function isConflict(error: Error | null): boolean {
  return error instanceof Problem && error.code === 'CHANGED_MEANWHILE';
}

interface Row {
  readonly name: string;
  readonly before: unknown;
  readonly stored: unknown;
  readonly mine: unknown;
}

const text = (value: unknown) =>
  value === undefined ? <span class="faint">–</span> : <code class="wrap">{valueText(value)}</code>;

const COLUMNS: readonly Column<Row>[] = [
  { name: 'Field', cell: ({ name }) => <code>{name}</code> },
  { name: 'Original', cell: ({ before }) => text(before), isMinor: true },
  { name: 'Stored', cell: ({ stored }) => text(stored) },
  { name: 'Yours', cell: ({ mine }) => text(mine) },
];

/** Differences between the form and the definition that another user has stored since the form was loaded. */
export function Conflict({
  before,
  stored,
  mine,
  onLoad,
  onKeep,
}: {
  readonly before: Definition;
  readonly stored: Definition;
  readonly mine: Definition;
  readonly onLoad: () => void;
  readonly onKeep: () => void;
}) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(stored), ...Object.keys(mine)])];
  const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const rows = names
    .map((name) => ({ name, before: before[name], stored: stored[name], mine: mine[name] }))
    .filter((row) => !same(row.stored, row.mine) || !same(row.before, row.stored));
  return (
    <div role="alert">
      <Panel
        title="Changed by someone else"
        actions={
          <>
            <button type="button" class="primary" onClick={onLoad}>
              Reload
            </button>
            <button type="button" onClick={onKeep}>
              Keep mine
            </button>
          </>
        }
      >
        <Table caption="Differences" columns={COLUMNS} rows={rows} keyOf={({ name }) => name} />
        <p class="legend">
          Reload replaces your changes with the stored definition. Keep mine applies your changes to the stored
          definition.
        </p>
      </Panel>
    </div>
  );
}
