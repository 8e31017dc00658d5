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
type Group = OutputOf<'groups.list'>['items'][number];

const COLUMNS: readonly Column<Pause>[] = [
  { name: 'What', cell: ({ target }) => <Target of={target} /> },
  { name: 'Reason', cell: ({ reason }) => reason ?? <span class="faint">no reason given</span> },
  { name: 'By', cell: ({ by }) => by ?? '–' },
  { name: 'Since', cell: ({ since }) => <Away at={since} /> },
  { name: 'Until', cell: ({ until }) => <Time at={until} missing="resumed by hand" /> },
];

/** What is paused, and why; and everything at once. */
export function PausesPage() {
  const pauses = useOperation('pauses.list', {});
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
      <section class="panel" aria-label="Pauses with a reason, author or end time">
        <AskedTable
          asked={pauses}
          caption="Pauses with a reason, author or end time"
          columns={COLUMNS}
          keyOf={({ target }) => JSON.stringify(target)}
          empty="No pauses with a reason. The list of triggers, filtered by Paused, shows every paused trigger."
        />
      </section>
      <Groups onChange={pauses.again} />
    </>
  );
}

/** The groups of triggers and jobs, each with its action. */
function Groups({ onChange }: { readonly onChange: () => void }) {
  const groups = useOperation('groups.list', { limit: 1_000 });
  const onDone = () => {
    groups.again();
    onChange();
  };
  const columns: readonly Column<Group>[] = [
    { name: 'Group', cell: ({ name, of }) => `${name} (${of})` },
    { name: 'State', cell: ({ isPaused }) => (isPaused ? 'Paused' : <span class="faint">Not paused</span>) },
    { name: 'Reason', cell: ({ pause }) => pause?.reason ?? '–' },
    { name: 'By', cell: ({ pause }) => pause?.by ?? '–' },
    { name: 'Until', cell: ({ pause }) => <Time at={pause?.until ?? null} missing="–" /> },
    { name: 'Actions', isActions: true, cell: (group) => <GroupAction group={group} onDone={onDone} /> },
  ];
  return (
    <Panel title="Groups">
      <AskedTable
        asked={groups}
        caption="Groups of triggers and jobs"
        columns={columns}
        keyOf={({ of, name }) => `${of} ${name}`}
        empty="No groups. A group appears with its first trigger or job."
      />
    </Panel>
  );
}

/** What the pause of a group holds, besides the retries and other waiting runs that the dialog asks about. */
const HOLDS: Readonly<Record<Group['of'], string>> = {
  triggers: 'Its triggers do not fire until it is resumed, and triggers added to it start paused.',
  jobs: 'The triggers that its jobs have now do not fire until it is resumed.',
};

/** Pauses the group, or resumes it if it is paused. */
export function GroupAction({
  group: { of, name, isPaused },
  onDone,
}: {
  readonly group: Pick<Group, 'of' | 'name' | 'isPaused'>;
  readonly onDone: () => void;
}) {
  if (isPaused)
    return (
      <Deed operation="groups.resume" act={() => call('groups.resume', { of, name }).then(onDone)}>
        Resume group
      </Deed>
    );
  const title = `Pause the group ${name} of ${of}?`;
  const pause = () => askPause(title, (said) => call('groups.pause', { of, name, ...said }).then(onDone), HOLDS[of]);
  return (
    <Deed operation="groups.pause" act={pause}>
      Pause group…
    </Deed>
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
    body: "Resumes every trigger, including individually paused ones. Missed fire times follow each trigger's misfire policy.",
    deed: 'Resume everything',
    isDestructive: false,
    act: () => call('scheduler.resumeAll', {}).then(onDone),
  });
}
