import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { href } from '../state/router';
import { useOperation } from '../state/use-operation';
import { ActionButton } from '../ui/action-button';
import { Panel, RelativeTime, Time } from '../ui/basics';
import { confirmAction } from '../ui/confirm';
import { Heading } from '../ui/frame';
import { JobLink, TriggerLink } from '../ui/links';
import { confirmPause } from '../ui/pause-form';
import { type Column, ResultTable } from '../ui/table';

type Pause = OutputOf<'pauses.list'>['items'][number];
type Group = OutputOf<'groups.list'>['items'][number];

const COLUMNS: readonly Column<Pause>[] = [
  { name: 'Target', cell: ({ target }) => <Target of={target} /> },
  { name: 'Reason', cell: ({ reason }) => reason ?? <span class="faint">no reason given</span> },
  { name: 'By', cell: ({ by }) => by ?? '–' },
  { name: 'Paused', cell: ({ since }) => <RelativeTime at={since} /> },
  { name: 'Until', cell: ({ until }) => <Time at={until} missing="until resumed" /> },
];

export function PausesPage() {
  const pauses = useOperation('pauses.list', {});
  const pauseAll = () =>
    confirmPause('Pause all triggers?', (options) => call('scheduler.pauseAll', options).then(() => pauses.reload()));
  return (
    <>
      <Heading
        title="Pauses"
        actions={
          <>
            <ActionButton operation="scheduler.pauseAll" act={pauseAll}>
              Pause all
            </ActionButton>
            <ActionButton operation="scheduler.resumeAll" act={() => confirmResumeAll(pauses.reload)}>
              Resume all
            </ActionButton>
          </>
        }
      />
      <section class="panel" aria-label="Pauses with a reason, author or end time">
        <ResultTable
          result={pauses}
          caption="Pauses with a reason, author or end time"
          columns={COLUMNS}
          keyOf={({ target }) => JSON.stringify(target)}
          empty={
            <>
              No pauses with a reason, author or end time.{' '}
              <a href={href(['triggers'], { paused: 'yes' })}>Show all paused triggers</a>
            </>
          }
        />
      </section>
      <Groups onChange={pauses.reload} />
    </>
  );
}

function Groups({ onChange }: { readonly onChange: () => void }) {
  const groups = useOperation('groups.list', { limit: 1_000 });
  const onDone = () => {
    groups.reload();
    onChange();
  };
  const columns: readonly Column<Group>[] = [
    { name: 'Group', cell: ({ name, of }) => `${name} (${of})` },
    { name: 'State', cell: ({ isPaused }) => (isPaused ? 'Paused' : <span class="faint">Not paused</span>) },
    { name: 'Reason', cell: ({ pause }) => pause?.reason ?? '' },
    { name: 'By', cell: ({ pause }) => pause?.by ?? '' },
    { name: 'Until', cell: ({ pause }) => pause?.until && <Time at={pause.until} /> },
    { name: 'Actions', isActions: true, cell: (group) => <GroupAction group={group} onDone={onDone} /> },
  ];
  return (
    <Panel title="Groups">
      <ResultTable
        result={groups}
        caption="Groups of triggers and jobs"
        columns={columns}
        keyOf={({ of, name }) => `${of} ${name}`}
        empty="No groups. A group appears with its first trigger or job."
      />
    </Panel>
  );
}

/** Effect of pausing a group, by type of group. */
const EFFECTS: Readonly<Record<Group['of'], string>> = {
  triggers: 'Its triggers do not fire until the group is resumed. Triggers added to the group start paused.',
  jobs: 'The current triggers of its jobs do not fire until the group is resumed. Triggers added later are not paused.',
};

export function GroupAction({
  group: { of, name, isPaused },
  onDone,
}: {
  readonly group: Pick<Group, 'of' | 'name' | 'isPaused'>;
  readonly onDone: () => void;
}) {
  if (isPaused)
    return (
      <ActionButton operation="groups.resume" act={() => call('groups.resume', { of, name }).then(onDone)}>
        Resume group
      </ActionButton>
    );
  const title = `Pause the ${of === 'jobs' ? 'job' : 'trigger'} group ${name}?`;
  const pause = () =>
    confirmPause(title, (options) => call('groups.pause', { of, name, ...options }).then(onDone), EFFECTS[of]);
  return (
    <ActionButton operation="groups.pause" act={pause}>
      Pause group
    </ActionButton>
  );
}

const GROUPS: Readonly<Record<string, string>> = {
  equals: 'the group',
  startsWith: 'groups that start with',
  endsWith: 'groups that end with',
  contains: 'groups that contain',
};

function Target({ of: { kind, key, groups } }: { readonly of: Pause['target'] }) {
  if (key !== null) return kind === 'job' ? <JobLink job={key} /> : <TriggerLink trigger={key} />;
  if (groups === null || groups.operator === 'any') return <>all {kind}</>;
  return (
    <>
      {kind} in {GROUPS[groups.operator]} {groups.value}
    </>
  );
}

function confirmResumeAll(onDone: () => void): void {
  confirmAction({
    title: 'Resume all triggers?',
    body: "Ends the pause of all triggers. Pauses of single triggers, jobs and groups stay. Missed fire times follow each trigger's misfire policy. This cannot be undone.",
    confirmLabel: 'Resume all',
    isDestructive: false,
    act: () => call('scheduler.resumeAll', {}).then(onDone),
  });
}
