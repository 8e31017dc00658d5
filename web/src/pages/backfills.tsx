import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { useOperation } from '../state/use-operation';
import { Time } from '../ui/basics';
import { ask } from '../ui/confirm';
import { Deed } from '../ui/deeds';
import { countText } from '../ui/format';
import { Heading } from '../ui/frame';
import { TriggerLink } from '../ui/links';
import { AskedTable, type Column } from '../ui/table';

type Backfill = OutputOf<'backfills.list'>['items'][number];

/** Times that are run belatedly, as far as something is left of them. */
export function BackfillsPage() {
  const backfills = useOperation('backfills.list', {});
  const columns: readonly Column<Backfill>[] = [
    { name: 'Trigger', cell: ({ trigger }) => <TriggerLink trigger={trigger} /> },
    { name: 'From', cell: ({ from }) => <Time at={from} /> },
    { name: 'To', cell: ({ to }) => <Time at={to} /> },
    { name: 'Left', cell: ({ left }) => countText(left), isNumber: true },
    { name: 'Group', cell: ({ group }) => <code>{group}</code>, isMinor: true },
    {
      name: 'Actions',
      isActions: true,
      cell: (backfill) => (
        <Deed operation="backfills.drop" act={() => askDrop(backfill, backfills.again)}>
          Drop
        </Deed>
      ),
    },
  ];
  return (
    <>
      <Heading title="Backfills" />
      <section class="panel" aria-label="Backfills of which something is left">
        <AskedTable
          asked={backfills}
          caption="Backfills of which something is left"
          columns={columns}
          keyOf={({ group }) => group}
          empty="No backfill has anything left. One begins on the page of a trigger."
        />
      </section>
    </>
  );
}

function askDrop({ group, left }: Backfill, onDone: () => void): void {
  ask({
    title: `Drop the ${countText(left)} times that are left?`,
    body: 'What has not fired yet never does. What runs goes on. This cannot be undone.',
    deed: 'Drop them',
    isDestructive: true,
    act: () => call('backfills.drop', { group }).then(onDone),
  });
}
