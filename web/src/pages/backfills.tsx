import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { useOperation } from '../state/use-operation';
import { ActionButton } from '../ui/action-button';
import { Time } from '../ui/basics';
import { confirmAction } from '../ui/confirm';
import { countText } from '../ui/format';
import { Heading } from '../ui/frame';
import { TriggerLink } from '../ui/links';
import { type Column, ResultTable } from '../ui/table';

type Backfill = OutputOf<'backfills.list'>['items'][number];

export function BackfillsPage() {
  const backfills = useOperation('backfills.list', {});
  const columns: readonly Column<Backfill>[] = [
    { name: 'Trigger', cell: ({ trigger }) => <TriggerLink trigger={trigger} /> },
    { name: 'From', cell: ({ from }) => <Time at={from} /> },
    { name: 'To', cell: ({ to }) => <Time at={to} /> },
    { name: 'Remaining', cell: ({ left }) => countText(left), isNumber: true },
    { name: 'Group', cell: ({ group }) => <code>{group}</code>, isMinor: true },
    {
      name: 'Actions',
      isActions: true,
      cell: (backfill) => (
        <ActionButton operation="backfills.drop" act={() => confirmDrop(backfill, backfills.reload)}>
          Drop
        </ActionButton>
      ),
    },
  ];
  return (
    <>
      <Heading title="Backfills" />
      <section class="panel" aria-label="Backfills in progress">
        <ResultTable
          result={backfills}
          caption="Backfills in progress"
          columns={columns}
          keyOf={({ group }) => group}
          empty="No backfills in progress. Start one on the page of a trigger."
        />
      </section>
    </>
  );
}

function confirmDrop({ group, left }: Backfill, onDone: () => void): void {
  confirmAction({
    title: `Drop ${countText(left)} remaining fire ${left === 1 ? 'time' : 'times'}?`,
    body: 'Drops the runs that have not started. Runs in progress continue. This cannot be undone.',
    confirmLabel: 'Drop fire times',
    isDestructive: true,
    act: () => call('backfills.drop', { group }).then(onDone),
  });
}
