import type { OutputOf } from '../../../src/operations/operations';
import { place } from '../state/router';
import { useOperation } from '../state/use-operation';
import { mayRun } from '../ui/deeds';
import { Pages } from '../ui/filters';
import { Heading } from '../ui/frame';
import { CalendarLink, JobLink, keyText, TriggerLink } from '../ui/links';
import { askDrop, OverrideTexts, placeOf } from '../ui/ownership';
import { AskedTable, type Column } from '../ui/table';

type Row = OutputOf<'overrides.list'>['items'][number];

/** Edits by hand of what code and files declare. */
export function OverridesPage() {
  const overrides = useOperation('overrides.list', { after: place.value.query.get('after') ?? undefined, limit: 50 });
  const columns: readonly Column<Row>[] = [
    { name: 'Overridden', cell: (row) => <Subject of={row} /> },
    { name: 'Kind', cell: ({ what }) => what },
    { name: 'Declared by', cell: ({ owner }) => placeOf(owner), isMinor: true },
    { name: 'Edits', cell: ({ owner, override }) => <OverrideTexts of={{ owner, override, definition: null }} /> },
    { name: 'Actions', isActions: true, cell: (row) => <Drop of={row} onDone={overrides.again} /> },
  ];
  return (
    <>
      <Heading title="Overrides" />
      <section class="panel" aria-label="Overrides">
        <AskedTable
          asked={overrides}
          caption="Overrides"
          columns={columns}
          keyOf={({ what, group, name }) => `${what} ${group ?? ''}/${name}`}
          empty="No overrides. Edits of jobs, triggers and calendars that code or a file declares appear here."
        />
      </section>
      <Pages next={overrides.data?.next} />
    </>
  );
}

function Subject({ of: { what, group, name, override } }: { readonly of: Row }) {
  const key = { group: group ?? 'DEFAULT', name };
  if (override.deleted !== null) return <>{what === 'calendar' ? name : keyText(key)}</>;
  if (what === 'calendar') return <CalendarLink name={name} />;
  return what === 'job' ? <JobLink job={key} /> : <TriggerLink trigger={key} />;
}

function Drop({ of: { what, group, name, owner }, onDone }: { readonly of: Row; readonly onDone: () => void }) {
  if (!mayRun('overrides.drop')) return null;
  const subject = { what, name, ...(group === null ? {} : { group }) };
  return (
    <button type="button" onClick={() => askDrop(subject, owner, onDone)}>
      Drop override…
    </button>
  );
}
