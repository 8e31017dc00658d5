import type { ComponentChildren } from 'preact';
import { COMPLETE_STATES, ERROR_STATES, PAUSED_STATES } from '../../../src/domain/trigger-state';
import type { OutputOf } from '../../../src/operations/operations';
import { href } from '../state/router';
import { useOperation } from '../state/use-operation';
import { EmptyState, ErrorMessage, Loading, Panel, RelativeTime, State } from '../ui/basics';
import { countText, durationText } from '../ui/format';
import { Heading } from '../ui/frame';
import { JobLink, TriggerLink } from '../ui/links';
import { NodeState, stateOfNode } from '../ui/node-state';
import { StepChart } from '../ui/step-chart';
import { Table } from '../ui/table';

type Overview = OutputOf<'overview.show'>;

export function OverviewPage() {
  const { data, error } = useOperation('overview.show', {});
  return (
    <>
      <Heading title="Overview" />
      {data === null ? <Loading error={error} /> : <ErrorMessage error={error} />}
      {data !== null && (
        <>
          <Figures overview={data} />
          <div class="halves">
            <Attention overview={data} />
            <Nodes overview={data} />
          </div>
          <div class="halves">
            <Hour overview={data} />
            <Load overview={data} />
          </div>
        </>
      )}
    </>
  );
}

const BACKLOG = { state: 'backlog' } as const;

function Figures({ overview }: { readonly overview: Overview }) {
  const { executing, backlog, deadLetters, inError, nextFireTime, waitingSince } = overview;
  const { load } = overview;
  const ended = load?.steps.reduce((sum, step) => sum + step.ended, 0) ?? 0;
  const lateness = load?.latenessMs.p99 ?? null;
  return (
    <div class="strip">
      <Figure name="Running" path="running">
        {countText(executing)}
      </Figure>
      <Figure
        name="Backlog"
        path="triggers"
        query={BACKLOG}
        tone={backlog.count > 0 ? 'warn' : ''}
        note={
          waitingSince && (
            <>
              oldest due <RelativeTime at={waitingSince} />
            </>
          )
        }
      >
        {boundedText(backlog)}
      </Figure>
      <Figure name="Dead letters" path="dead-letters" tone={deadLetters.count > 0 ? 'bad' : ''}>
        {boundedText(deadLetters)}
      </Figure>
      <Figure name="In ERROR" path="triggers" query={{ state: ERROR_STATES[0] }} tone={inError.count > 0 ? 'bad' : ''}>
        {boundedText(inError)}
      </Figure>
      <Figure
        name="Success rate"
        path="runs"
        query={{ since: 'hour', outcome: 'failed' }}
        note={ended > 0 && `of ${countText(ended)} in 15 min`}
      >
        {percentText(load?.successRate ?? null)}
      </Figure>
      <Figure
        name="Runs per minute"
        note={load !== null && load.failedPerMinute > 0 && `${load.failedPerMinute} failed`}
      >
        {load === null ? '–' : countText(Math.round(load.firingsPerMinute))}
      </Figure>
      <Figure name="p99 lateness" note="worst node">
        {lateness === null ? '–' : durationText(lateness)}
      </Figure>
      <Figure name="Next fire time">
        <RelativeTime at={nextFireTime} />
      </Figure>
    </div>
  );
}

function Figure({
  name,
  path,
  query = {},
  tone = '',
  note,
  children,
}: {
  readonly name: string;
  readonly path?: string;
  /** Filters of the list that the figure links to. */
  readonly query?: Readonly<Record<string, string>>;
  readonly tone?: string;
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={`figure ${tone}`} aria-label={name}>
      <h2>{path === undefined ? name : <a href={href([path], query)}>{name}</a>}</h2>
      <p class="number">{children}</p>
      <div class="faint">{note}</div>
    </section>
  );
}

function boundedText({ count, isExact }: Overview['backlog']): string {
  return isExact ? countText(count) : `${countText(count)}+`;
}

/** Formats a fraction as a percentage. A fraction below 1 shows at most 99.9 %, so that 100 % always means all. */
function percentText(part: number | null): string {
  if (part === null) return '–';
  return `${part === 1 ? '100' : Math.min(99.9, part * 100).toFixed(1)} %`;
}

const GOOD = ['succeeded', 'skipped', 'vetoed'];

function Attention({ overview }: { readonly overview: Overview }) {
  const { triggersInError, endedByCalendar, nodes, overdue, backlog, pausedGroups, deadLetters } = overview;
  const withZoneData = nodes.filter(({ state, timeZoneData }) => state === 'alive' && timeZoneData !== null);
  const items: ComponentChildren[] = [
    ...nodes
      .filter(({ state }) => state === 'silent')
      .map(({ instanceId }) => (
        <>
          <State of="silent" /> Node <a href={href(['nodes'])}>{instanceId}</a> has stopped checking in.
        </>
      )),
    ...triggersInError.map(({ key }) => (
      <>
        <State of={ERROR_STATES[0]} /> <TriggerLink trigger={key} /> does not fire until it is reset.
      </>
    )),
    ...endedByCalendar.map(({ key, calendar }) => (
      <>
        <State of={COMPLETE_STATES[0]} /> <TriggerLink trigger={key} /> does not fire: its calendar{' '}
        <a href={href(['calendars', calendar ?? ''])}>{calendar}</a> excludes all its fire times.
      </>
    )),
    ...overdue.map(({ job, trigger, since }) => (
      <>
        <State of="overdue" /> {trigger ? <TriggerLink trigger={trigger} /> : <JobLink job={job} />} became overdue{' '}
        <RelativeTime at={since} />: no run succeeded within the required time.
      </>
    )),
    ...(deadLetters.count > 0
      ? [
          <>
            <State of="failed" />{' '}
            <a href={href(['dead-letters'])}>
              {boundedText(deadLetters)} dead {deadLetters.count === 1 ? 'letter' : 'letters'}
            </a>{' '}
            to rerun or discard.
          </>,
        ]
      : []),
    ...(backlog.count > 0
      ? [
          <>
            <State of="backlog" />{' '}
            <a href={href(['triggers'], BACKLOG)}>
              {boundedText(backlog)} {backlog.count === 1 ? 'trigger is' : 'triggers are'}
            </a>{' '}
            past {backlog.count === 1 ? 'its fire time' : 'their fire times'}.
          </>,
        ]
      : []),
    ...nodes
      .filter(({ isDraining }) => isDraining)
      .map(({ instanceId }) => (
        <>
          <State of="draining" /> Node <a href={href(['nodes'])}>{instanceId}</a> starts no new runs. Its running jobs
          finish.
        </>
      )),
    ...nodes
      .filter((node) => stateOfNode(node) === 'holding back')
      .map(({ instanceId, holdsBack }) => (
        <>
          <State of="holding back" /> Node <a href={href(['nodes'])}>{instanceId}</a> was blocked and started to leave
          triggers to other nodes <RelativeTime at={holdsBack?.since} />.
        </>
      )),
    ...(new Set(withZoneData.map(({ timeZoneData }) => timeZoneData)).size > 1
      ? [
          <>
            <State of="different data" /> Nodes have different time zone data:{' '}
            {withZoneData
              .slice(0, 10)
              .map(({ instanceId, timeZoneData }) => `${instanceId} ${timeZoneData}`)
              .join(', ')}
            .
          </>,
        ]
      : []),
    ...nodes.flatMap(({ instanceId, refusedJobTypes }) =>
      refusedJobTypes.map(({ jobType, since }) => (
        <>
          <State of="failed" /> Node <a href={href(['nodes'])}>{instanceId}</a> cannot create jobs of type {jobType}{' '}
          <RelativeTime at={since} /> and leaves them to other nodes.
        </>
      )),
    ),
    ...(pausedGroups.length > 0
      ? [
          <>
            <State of={PAUSED_STATES[0]} /> Paused groups: {pausedGroups.slice(0, 10).join(', ')}
            {pausedGroups.length > 10 && ' …'}
          </>,
        ]
      : []),
  ];
  return (
    <Panel title="Needs attention">
      {items.length === 0 ? (
        <EmptyState>Nothing needs attention.</EmptyState>
      ) : (
        <ol class="attention">
          {items.map((item, at) => (
            <li key={String(at)}>{item}</li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

const MINUTE_MS = 60_000;
const MINUTES = 60;

function Hour({ overview }: { readonly overview: Overview }) {
  const last = Math.floor(Date.parse(overview.now) / MINUTE_MS) * MINUTE_MS;
  const times = Array.from({ length: MINUTES }, (_, at) =>
    new Date(last - (MINUTES - 1 - at) * MINUTE_MS).toISOString(),
  );
  const found = new Map(overview.runs.minutes.map(({ begin, outcomes }) => [begin, Object.entries(outcomes)]));
  const count = (matches: (outcome: string) => boolean) =>
    times.map((time) =>
      (found.get(time) ?? []).reduce((sum, [outcome, n]) => sum + (matches(outcome) ? (n ?? 0) : 0), 0),
    );
  return (
    <Panel title="Recorded runs, last hour">
      <StepChart
        title="Ended per minute"
        times={times}
        kind="bars"
        textOf={countText}
        series={[
          { name: 'succeeded', tone: 'good', values: count((outcome) => outcome === 'succeeded') },
          { name: 'skipped or vetoed', tone: 'quiet', values: count((o) => o !== 'succeeded' && GOOD.includes(o)) },
          { name: 'failed', tone: 'bad', values: count((outcome) => !GOOD.includes(outcome)) },
        ]}
      />
      <p class="hint">
        {overview.runs.isTruncated ? 'Shows only the newest 1,000 runs. ' : ''}
        Successful runs are counted only if the history of their job is set to all.
      </p>
    </Panel>
  );
}

function Load({ overview: { load } }: { readonly overview: Overview }) {
  if (load === null) return null;
  const times = load.steps.map(({ begin }) => begin);
  return (
    <Panel title="Cluster, last 15 minutes">
      <StepChart
        title="Started per 30 s"
        times={times}
        kind="bars"
        textOf={countText}
        series={[{ name: 'started', tone: 'busy', values: load.steps.map(({ started }) => started) }]}
      />
      <StepChart
        title="Lateness"
        times={times}
        kind="lines"
        textOf={durationText}
        series={[
          { name: 'p50', tone: 'busy', values: load.steps.map(({ latenessMs }) => latenessMs.p50) },
          { name: 'p99', tone: 'warn', values: load.steps.map(({ latenessMs }) => latenessMs.p99) },
        ]}
      />
    </Panel>
  );
}

function Nodes({ overview: { nodes } }: { readonly overview: Overview }) {
  return (
    <Panel title="Nodes">
      {nodes.length === 0 ? (
        <EmptyState>No nodes. A scheduler appears here when it starts. Triggers fire only on nodes.</EmptyState>
      ) : (
        <Table
          caption="Nodes and their leases"
          rows={nodes}
          keyOf={({ instanceId }) => instanceId}
          columns={[
            { name: 'Node', cell: ({ instanceId }) => <a href={href(['nodes'])}>{instanceId}</a> },
            { name: 'State', cell: (node) => <NodeState node={node} /> },
            {
              name: 'Running',
              cell: ({ load }) => (load === null ? '–' : `${load.running} of ${load.workers}`),
              isNumber: true,
              isMinor: true,
            },
            {
              name: 'Runs per minute',
              cell: ({ load }) => load?.firingsPerMinute ?? '–',
              isNumber: true,
              isMinor: true,
            },
            { name: 'Lease ends', cell: ({ leaseUntil }) => <RelativeTime at={leaseUntil} /> },
          ]}
        />
      )}
    </Panel>
  );
}
