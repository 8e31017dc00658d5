import type { OutputOf } from '../../../src/operations/operations';
import { route } from '../state/router';
import { useOperation } from '../state/use-operation';
import { mayRun } from '../ui/action-button';
import { Pages } from '../ui/filters';
import { Heading } from '../ui/frame';
import { CalendarLink, JobLink, keyText, TriggerLink } from '../ui/links';
import { confirmDrop, OverrideTexts, originText } from '../ui/ownership';
import { type Column, ResultTable } from '../ui/table';

type Row = OutputOf<'overrides.list'>['items'][number];

export function OverridesPage() {
  const overrides = useOperation('overrides.list', { after: route.value.query.get('after') ?? undefined, limit: 50 });
  const columns: readonly Column<Row>[] = [
    { name: 'Name', cell: (row) => <Target of={row} /> },
    { name: 'Kind', cell: ({ what }) => what },
    { name: 'Declared in', cell: ({ owner }) => originText(owner), isMinor: true },
    { name: 'Edits', cell: ({ owner, override }) => <OverrideTexts of={{ owner, override, definition: null }} /> },
    { name: 'Actions', isActions: true, cell: (row) => <Drop of={row} onDone={overrides.reload} /> },
  ];
  return (
    <>
      <Heading title="Overrides" />
      <section class="panel" aria-label="Overrides">
        <ResultTable
          result={overrides}
          caption="Overrides"
          columns={columns}
          keyOf={({ what, group, name }) => `${what} ${group ?? ''}/${name}`}
          empty="No overrides. If you edit a job, trigger or calendar that code or a file declares, the edit appears here."
        />
      </section>
      <Pages next={overrides.data?.next} />
    </>
  );
}

function Target({ of: { what, group, name, override } }: { readonly of: Row }) {
  const key = { group: group ?? 'DEFAULT', name };
  if (override.deleted !== null) return <>{what === 'calendar' ? name : keyText(key)}</>;
  if (what === 'calendar') return <CalendarLink name={name} />;
  return what === 'job' ? <JobLink job={key} /> : <TriggerLink trigger={key} />;
}

function Drop({ of: { what, group, name, owner }, onDone }: { readonly of: Row; readonly onDone: () => void }) {
  if (!mayRun('overrides.drop')) return null;
  const target = { what, name, ...(group === null ? {} : { group }) };
  return (
    <button type="button" onClick={() => confirmDrop(target, owner, onDone)}>
      Drop override
    </button>
  );
}
