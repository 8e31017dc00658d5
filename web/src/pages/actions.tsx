import type { OutputOf } from '../../../src/operations/operations';
import { route } from '../state/router';
import { may } from '../state/session';
import { useOperation } from '../state/use-operation';
import { ActionChanges } from '../ui/action-changes';
import { actionText } from '../ui/action-text';
import { Badge, EmptyState, Preformatted, Time } from '../ui/basics';
import { Filters, NameFilter, Pages, SearchFilter } from '../ui/filters';
import { Heading } from '../ui/frame';
import { type Column, ResultTable } from '../ui/table';

type Action = OutputOf<'actions.list'>['items'][number];

const COLUMNS: readonly Column<Action>[] = [
  { name: 'Time', cell: ({ at }) => <Time at={at} /> },
  { name: 'Actor', cell: ({ actor, role }) => <span title={role}>{actor}</span> },
  { name: 'Action', cell: ({ operation }) => <span title={operation}>{actionText(operation)}</span> },
  { name: 'Target', cell: ({ target }) => target || <span class="faint">the scheduler</span> },
  { name: 'Changes', cell: ({ changes }) => <ActionChanges changes={changes} /> },
  { name: 'Result', cell: (action) => <Result action={action} /> },
  { name: 'From', cell: ({ via, address }) => `${via}${address === null ? '' : `, ${address}`}`, isMinor: true },
  { name: 'Input', cell: ({ input }) => <ActionInput input={input} />, isMinor: true },
];

export function ActionsPage() {
  const { query } = route.value;
  const text = (name: string) => query.get(name) ?? undefined;
  const input = {
    actor: text('actor'),
    operation: text('operation'),
    search: text('search'),
    after: text('after'),
  };
  const actions = useOperation('actions.list', may('admin') ? input : null);
  return (
    <>
      <Heading title="Action log" />
      {!may('admin') ? (
        <EmptyState>Only users with the role admin can read the action log.</EmptyState>
      ) : (
        <>
          <Filters>
            <SearchFilter label="Search actions" />
            <NameFilter label="Actor" name="actor" />
            <NameFilter label="Operation" name="operation" />
          </Filters>
          <section class="panel" aria-label="Actions">
            <ResultTable
              result={actions}
              caption="Actions, newest first"
              columns={COLUMNS}
              keyOf={({ id }) => id}
              empty="No matching actions. Changes over HTTP, by commands or in the console appear here."
            />
          </section>
          <Pages next={actions.data?.next} />
        </>
      )}
    </>
  );
}

function Result({ action: { error } }: { readonly action: Action }) {
  if (error === null) return <Badge tone="good">done</Badge>;
  return (
    <>
      <Badge tone="bad">failed</Badge> <span class="clipped">{error}</span>
    </>
  );
}

function ActionInput({ input }: { readonly input: unknown }) {
  const isEmpty = typeof input === 'object' && input !== null && Object.keys(input).length === 0;
  if (isEmpty) return <span class="faint">–</span>;
  return (
    <details>
      <summary>Show</summary>
      <Preformatted text={JSON.stringify(input, null, 2)} />
    </details>
  );
}
