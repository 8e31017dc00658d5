import { isComplete, isDormant, isInError, TRIGGER_STATES } from '../../../src/domain/trigger-state';
import type { InputOf, OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { href, route } from '../state/router';
import { useOperation } from '../state/use-operation';
import { mayRun } from '../ui/action-button';
import { Badge, RelativeTime, State, Time } from '../ui/basics';
import { BulkAction, BulkActions } from '../ui/bulk';
import { ChoiceFilter, Filters, NameFilter, Pages, SearchFilter } from '../ui/filters';
import { totalText } from '../ui/format';
import { Heading } from '../ui/frame';
import { GroupFilter } from '../ui/group-filter';
import { JobLink, keyText, TriggerLink } from '../ui/links';
import { OverrideMark } from '../ui/ownership';
import { PauseFields, readPauseForm } from '../ui/pause-form';
import { type Column, ResultTable } from '../ui/table';

type Row = OutputOf<'triggers.list'>['items'][number];
/** A trigger as a row. `isOverridden` is present only in rows of `triggers.list`. */
type Trigger = Omit<Row, 'owner' | 'isOverridden'> & Partial<Pick<Row, 'isOverridden'>>;

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
    name: 'Schedule',
    cell: ({ schedule, kind, timeZone, calendar }) => (
      <>
        {kind === 'cron' ? <code>{schedule}</code> : schedule}
        <small class="below">
          {[timeZone, calendar !== null && `excluding ${calendar}`].filter(Boolean).join(', ')}
        </small>
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
  { name: 'Next fire time', cell: (trigger) => <NextTime of={trigger} /> },
  {
    name: 'Due',
    cell: (trigger) => <RelativeTime at={isDormant(trigger.state) ? null : trigger.nextFireTime} />,
    isMinor: true,
  },
  {
    name: 'Last fire time',
    cell: ({ previousFireTime }) => <RelativeTime at={previousFireTime} missing="never" />,
    isMinor: true,
  },
];

/** Next fire time of the trigger, or the state that prevents it from firing. */
export function NextTime({ of }: { readonly of: Pick<Trigger, 'state' | 'pause' | 'nextFireTime' | 'kind'> }) {
  if (!isDormant(of.state))
    return <Time at={of.nextFireTime} missing={of.kind === 'after' ? 'when parent jobs end' : 'never'} />;
  if (isInError(of.state)) return <span class="faint">in ERROR</span>;
  if (isComplete(of.state)) return <span class="faint">never</span>;
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

export function TriggerState({ trigger: { state, pause, unreadable } }: { readonly trigger: Trigger }) {
  return (
    <>
      {unreadable === null ? <State of={state} /> : <Badge tone="bad">unreadable</Badge>}
      {pause?.reason && <small class="below clipped">{pause.reason}</small>}
    </>
  );
}

function inputOf(query: URLSearchParams): InputOf<'triggers.list'> {
  const text = (name: string) => query.get(name) || undefined;
  const requested = query.get('state');
  const state = TRIGGER_STATES.find((each) => each === requested);
  const paused = query.get('paused');
  return {
    search: text('search'),
    group: text('group'),
    calendar: text('calendar'),
    job: text('job'),
    jobGroup: text('jobGroup'),
    state: state === undefined ? undefined : [state],
    backlog: requested === 'backlog' ? true : undefined,
    paused: paused === 'yes' ? true : paused === 'no' ? false : undefined,
    sort: query.get('sort') === 'key' ? 'key' : 'nextFireTime',
    after: text('after'),
    limit: 50,
  };
}

export function TriggersPage() {
  const input = inputOf(route.value.query);
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
        <ResultTable
          result={triggers}
          caption="Triggers"
          columns={TRIGGER_COLUMNS}
          keyOf={({ key }) => keyText(key)}
          empty="No matching triggers. Change the filters, or add triggers in code, in a schedule file, or with New trigger."
        />
      </section>
      <Pages next={triggers.data?.next} />
      {mayRun('triggers.pauseMany') && <TriggerBulkActions input={input} onDone={triggers.reload} />}
    </>
  );
}

function TriggerBulkActions({
  input,
  onDone,
}: {
  readonly input: InputOf<'triggers.list'>;
  readonly onDone: () => void;
}) {
  const { sort: _, after: __, limit: ___, ...filter } = input;
  const choice = { ...filter, all: Object.values(filter).every((each) => each === undefined) };
  const common = { what: 'trigger', onDone } as const;
  return (
    <BulkActions>
      <BulkAction
        {...common}
        operation="triggers.pauseMany"
        verb="Pause"
        fields={<PauseFields />}
        act={(dryRun, form) => call('triggers.pauseMany', { ...choice, dryRun, ...readPauseForm(form) })}
      />
      <BulkAction
        {...common}
        operation="triggers.resumeMany"
        verb="Resume"
        act={(dryRun) => call('triggers.resumeMany', { ...choice, dryRun })}
      />
      <BulkAction
        {...common}
        operation="triggers.removeMany"
        verb="Remove"
        isDestructive
        act={(dryRun) => call('triggers.removeMany', { ...choice, dryRun })}
      />
    </BulkActions>
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
          ...TRIGGER_STATES.map((each) => [each, each.replace('_', ' ').toLowerCase()] as const),
          ['backlog', 'backlog'],
        ]}
      />
      <ChoiceFilter
        label="Paused"
        name="paused"
        choices={[
          ['', 'Any'],
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
