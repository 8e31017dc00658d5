import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { useOperation } from '../state/use-operation';
import { Away, Panel, Time } from '../ui/basics';
import { ask } from '../ui/confirm';
import { askPause, Deed } from '../ui/deeds';
import { Heading } from '../ui/frame';
import { JobLink, TriggerLink } from '../ui/links';
import { AskedTable, type Column } from '../ui/table';

type Pause = OutputOf<'pauses.list'>['items'][number];

const COLUMNS: readonly Column<Pause>[] = [
  { name: 'What', cell: ({ target }) => <Target of={target} /> },
  { name: 'Why', cell: ({ reason }) => reason ?? <span class="faint">nobody said</span> },
  { name: 'By', cell: ({ by }) => by ?? '–' },
  { name: 'Since', cell: ({ since }) => <Away at={since} /> },
  { name: 'Until', cell: ({ until }) => <Time at={until} missing="somebody resumes it" /> },
];

/** What is paused, and why; and everything at once. */
export function PausesPage() {
  const pauses = useOperation('pauses.list', {});
  const groups = pauses.data?.pausedGroups ?? [];
  const pauseAll = () =>
    askPause('Pause everything?', (said) => call('scheduler.pauseAll', said).then(() => pauses.again()));
  return (
    <>
      <Heading
        title="Pauses"
        actions={
          <>
            <Deed operation="scheduler.pauseAll" act={pauseAll}>
              Pause everything
            </Deed>
            <Deed operation="scheduler.resumeAll" act={() => askResume(pauses.again)}>
              Resume everything
            </Deed>
          </>
        }
      />
      <section class="panel" aria-label="Pauses of which something was said">
        <AskedTable
          asked={pauses}
          caption="Pauses of which something was said"
          columns={COLUMNS}
          keyOf={({ target }) => JSON.stringify(target)}
          empty="Nobody has said why something is paused. The list of triggers shows what is paused without a word."
        />
      </section>
      {groups.length > 0 && (
        <Panel title="Groups of triggers that are paused as groups">
          <p class="body">{groups.join(', ')}. What is added to them is paused too.</p>
        </Panel>
      )}
    </>
  );
}

function Target({ of: { kind, key, groups } }: { readonly of: Pause['target'] }) {
  if (key !== null) return kind === 'job' ? <JobLink job={key} /> : <TriggerLink trigger={key} />;
  if (groups === null || groups.operator === 'any') return <>all {kind}</>;
  return (
    <>
      {kind} of groups: {groups.operator} {groups.value}
    </>
  );
}

function askResume(onDone: () => void): void {
  ask({
    title: 'Resume everything?',
    body: 'All triggers fire again, those too that were paused by themselves. What they missed is handled by their misfire policies.',
    deed: 'Resume everything',
    isDestructive: false,
    act: () => call('scheduler.resumeAll', {}).then(onDone),
  });
}
