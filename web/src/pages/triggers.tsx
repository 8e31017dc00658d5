import type { InputOf, OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { href, place } from '../state/router';
import { useOperation } from '../state/use-operation';
import { Away, Badge, State, Time } from '../ui/basics';
import { Bulk, ForAll } from '../ui/bulk';
import { mayRun, PauseFields, saidOfPause } from '../ui/deeds';
import { ChoiceFilter, Filters, NameFilter, Pages, SearchFilter } from '../ui/filters';
import { totalText } from '../ui/format';
import { Heading } from '../ui/frame';
import { GroupFilter } from '../ui/group-filter';
import { JobLink, keyText, TriggerLink } from '../ui/links';
import { OverrideMark } from '../ui/ownership';
import { AskedTable, type Column } from '../ui/table';

type Row = OutputOf<'triggers.list'>['items'][number];
/** With marks of who owns it in lists alone. */
type Trigger = Omit<Row, 'owner' | 'isOverridden'> & Partial<Pick<Row, 'isOverridden'>>;

/** The columns of every list of triggers. */
export const TRIGGER_COLUMNS: readonly Column<Trigger>[] = [
  {
    name: 'Trigger',
    cell: ({ key, description }) => (
      <>
        <TriggerLink trigger={key} />
        {description !== null && <small class="below">{description}</small>}
      </>
    ),
  },
  { name: 'Job', cell: ({ job }) => <JobLink job={job} />, isMinor: true },
  {
    name: 'Fires',
    cell: ({ schedule, kind, timeZone, calendar }) => (
      <>
        {kind === 'cron' ? <code>{schedule}</code> : schedule}
        <small class="below">{[timeZone, calendar !== null && `without ${calendar}`].filter(Boolean).join(', ')}</small>
      </>
    ),
    isMinor: true,
  },
  {
    name: 'State',
    cell: (trigger) => (
      <>
        <TriggerState trigger={trigger} />
        <OverrideMark isOverridden={trigger.isOverridden} />
      </>
    ),
  },
  { name: 'Next', cell: (trigger) => <NextTime of={trigger} /> },
  { name: 'In', cell: (trigger) => <Away at={isDormant(trigger) ? null : trigger.nextFireTime} />, isMinor: true },
  { name: 'Last', cell: ({ previousFireTime }) => <Away at={previousFireTime} missing="not yet" />, isMinor: true },
];

/** Whether its next fire time is one at which it will not fire. */
export function isDormant({ state }: Pick<Trigger, 'state'>): boolean {
  return state.startsWith('PAUSED') || state === 'ERROR';
}

/** When it fires next, or what keeps it from firing. */
export function NextTime({ of }: { readonly of: Pick<Trigger, 'state' | 'pause' | 'nextFireTime' | 'kind'> }) {
  if (!isDormant(of)) return <Time at={of.nextFireTime} missing={of.kind === 'after' ? 'after its jobs' : 'never'} />;
  if (of.state === 'ERROR') return <span class="faint">not while in error</span>;
  const until = of.pause?.until ?? null;
  return (
    <span class="faint">
      paused
      {until !== null && (
        <>
          {' '}
          until <Time at={until} />
        </>
      )}
    </span>
  );
}

/** How a trigger is, and why it is paused where somebody said it. */
export function TriggerState({ trigger: { state, pause, unreadable } }: { readonly trigger: Trigger }) {
  return (
    <>
      {unreadable === null ? <State of={state} /> : <Badge tone="bad">unreadable</Badge>}
      {pause?.reason && <small class="below clipped">{pause.reason}</small>}
    </>
  );
}

const STATES = ['WAITING', 'ACQUIRED', 'PAUSED', 'BLOCKED', 'PAUSED_BLOCKED', 'ERROR', 'COMPLETE'] as const;

function inputOf(query: URLSearchParams): InputOf<'triggers.list'> {
  const text = (name: string) => query.get(name) || undefined;
  const asked = query.get('state');
  const state = STATES.find((each) => each === asked);
  const paused = query.get('paused');
  return {
    search: text('search'),
    group: text('group'),
    calendar: text('calendar'),
    job: text('job'),
    jobGroup: text('jobGroup'),
    state: state === undefined ? undefined : [state],
    backlog: asked === 'backlog' ? true : undefined,
    paused: paused === 'yes' ? true : paused === 'no' ? false : undefined,
    sort: query.get('sort') === 'key' ? 'key' : 'nextFireTime',
    after: text('after'),
    limit: 50,
  };
}

/** The triggers, what fires soonest first. */
export function TriggersPage() {
  const input = inputOf(place.value.query);
  const triggers = useOperation('triggers.list', input);
  return (
    <>
      <Heading
        title="Triggers"
        note={totalText(triggers.data?.total ?? null, 'trigger')}
        actions={
          mayRun('triggers.add') && (
            <a class="button primary" href={href(['new-trigger'])}>
              New trigger
            </a>
          )
        }
      />
      <TriggerFilters />
      <section class="panel" aria-label="Triggers">
        <AskedTable
          asked={triggers}
          caption="Triggers"
          columns={TRIGGER_COLUMNS}
          keyOf={({ key }) => keyText(key)}
          empty="No trigger matches."
        />
      </section>
      <Pages next={triggers.data?.next} />
      {mayRun('triggers.pauseMany') && <DeedsForAll input={input} onDone={triggers.again} />}
    </>
  );
}

function DeedsForAll({ input, onDone }: { readonly input: InputOf<'triggers.list'>; readonly onDone: () => void }) {
  const { sort: _, after: __, limit: ___, ...filter } = input;
  const choice = { ...filter, all: Object.values(filter).every((each) => each === undefined) };
  const common = { what: 'trigger', onDone } as const;
  return (
    <ForAll>
      <Bulk
        {...common}
        operation="triggers.pauseMany"
        deed="Pause"
        fields={<PauseFields />}
        act={(dryRun, said) => call('triggers.pauseMany', { ...choice, dryRun, ...saidOfPause(said) })}
      />
      <Bulk
        {...common}
        operation="triggers.resumeMany"
        deed="Resume"
        act={(dryRun) => call('triggers.resumeMany', { ...choice, dryRun })}
      />
      <Bulk
        {...common}
        operation="triggers.removeMany"
        deed="Remove"
        isDestructive
        act={(dryRun) => call('triggers.removeMany', { ...choice, dryRun })}
      />
    </ForAll>
  );
}

function TriggerFilters() {
  return (
    <Filters>
      <SearchFilter label="Trigger" />
      <ChoiceFilter
        label="State"
        name="state"
        choices={[
          ['', 'Any state'],
          ...STATES.map((each) => [each, each.replace('_', ' ').toLowerCase()] as const),
          ['backlog', 'waiting past its time'],
        ]}
      />
      <ChoiceFilter
        label="Paused"
        name="paused"
        choices={[
          ['', 'Paused or not'],
          ['yes', 'Paused'],
          ['no', 'Not paused'],
        ]}
      />
      <GroupFilter of="triggers" />
      <NameFilter label="Calendar" name="calendar" />
      <NameFilter label="Job" name="job" />
      <ChoiceFilter
        label="Order"
        name="sort"
        choices={[
          ['', 'By next fire time'],
          ['key', 'By name'],
        ]}
      />
    </Filters>
  );
}
