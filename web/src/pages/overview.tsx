import type { ComponentChildren } from 'preact';
import type { OutputOf } from '../../../src/operations/operations';
import { href } from '../state/router';
import { useOperation } from '../state/use-operation';
import { Away, Nothing, Panel, State, Trouble, Waiting } from '../ui/basics';
import { countText, durationText } from '../ui/format';
import { Heading } from '../ui/frame';
import { JobLink, TriggerLink } from '../ui/links';
import { NodeState, stateOfNode } from '../ui/node-state';
import { StepChart } from '../ui/step-chart';
import { Table } from '../ui/table';

type Overview = OutputOf<'overview.show'>;

/** How the cluster is doing, and what needs somebody first. */
export function OverviewPage() {
  const { data, error } = useOperation('overview.show', {});
  return (
    <>
      <Heading title="Overview" />
      {data === null ? <Waiting error={error} /> : <Trouble error={error} />}
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

/** The triggers that wait although their time has passed. */
const BACKLOG = { state: 'backlog' } as const;

function Figures({ overview }: { readonly overview: Overview }) {
  const { executing, backlog, deadLetters, inError, nextFireTime, waitingSince } = overview;
  const { load } = overview;
  const ended = load?.steps.reduce((sum, step) => sum + step.ended, 0) ?? 0;
  const late = load?.latenessMs.p99 ?? null;
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
              oldest due <Away at={waitingSince} />
            </>
          )
        }
      >
        {boundedText(backlog)}
      </Figure>
      <Figure name="Dead letters" path="dead-letters" tone={deadLetters.count > 0 ? 'bad' : ''}>
        {boundedText(deadLetters)}
      </Figure>
      <Figure name="In ERROR" path="triggers" query={{ state: 'ERROR' }} tone={inError.count > 0 ? 'bad' : ''}>
        {boundedText(inError)}
      </Figure>
      <Figure
        name="Succeeded"
        path="runs"
        query={{ since: 'hour', outcome: 'failed' }}
        note={ended > 0 && `of ${countText(ended)} in 15 min`}
      >
        {percentText(load?.successRate ?? null)}
      </Figure>
      <Figure name="Runs a minute" note={load !== null && load.failedPerMinute > 0 && `${load.failedPerMinute} failed`}>
        {load === null ? '–' : countText(Math.round(load.firingsPerMinute))}
      </Figure>
      <Figure name="p99 lateness" note="the worst node">
        {late === null ? '–' : durationText(late)}
      </Figure>
      <Figure name="Next">
        <Away at={nextFireTime} />
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
  /** Filters of the list that it leads to. */
  readonly query?: Readonly<Record<string, string>>;
  readonly tone?: string;
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={`measure ${tone}`} aria-label={name}>
      <h2>{path === undefined ? name : <a href={href([path], query)}>{name}</a>}</h2>
      <p class="number">{children}</p>
      <div class="faint">{note}</div>
    </section>
  );
}

function boundedText({ count, isExact }: Overview['backlog']): string {
  return isExact ? countText(count) : `${countText(count)}+`;
}

/** Never 100 % while something has failed. */
function percentText(part: number | null): string {
  if (part === null) return '–';
  return `${part === 1 ? '100' : Math.min(99.9, part * 100).toFixed(1)} %`;
}

const GOOD = ['succeeded', 'skipped', 'vetoed'];

/** What somebody should look at, the worst first. */
function Attention({ overview }: { readonly overview: Overview }) {
  const { triggersInError, nodes, overdue, backlog, pausedGroups, deadLetters } = overview;
  const items: ComponentChildren[] = [
    ...nodes
      .filter(({ state }) => state === 'silent')
      .map(({ instanceId }) => (
        <>
          <State of="silent" /> The node <a href={href(['nodes'])}>{instanceId}</a> does not check in.
        </>
      )),
    ...triggersInError.map(({ key }) => (
      <>
        <State of="ERROR" /> <TriggerLink trigger={key} /> does not fire until it is reset.
      </>
    )),
    ...overdue.map(({ job, trigger, since }) => (
      <>
        <State of="overdue" /> Nothing of {trigger ? <TriggerLink trigger={trigger} /> : <JobLink job={job} />} has
        succeeded in time, since <Away at={since} />.
      </>
    )),
    ...(deadLetters.count > 0
      ? [
          <>
            <State of="failed" />{' '}
            <a href={href(['dead-letters'])}>
              {boundedText(deadLetters)} dead {deadLetters.count === 1 ? 'letter' : 'letters'}
            </a>{' '}
            to be run again or discarded.
          </>,
        ]
      : []),
    ...(backlog.count > 0
      ? [
          <>
            <State of="backlog" />{' '}
            <a href={href(['triggers'], BACKLOG)}>
              {boundedText(backlog)} {backlog.count === 1 ? 'trigger waits' : 'triggers wait'}
            </a>{' '}
            past their fire time.
          </>,
        ]
      : []),
    ...nodes
      .filter(({ isDraining }) => isDraining)
      .map(({ instanceId }) => (
        <>
          <State of="draining" /> The node <a href={href(['nodes'])}>{instanceId}</a> begins nothing new; its running
          jobs finish.
        </>
      )),
    ...nodes
      .filter((node) => stateOfNode(node) === 'holding back')
      .map(({ instanceId, holdsBack }) => (
        <>
          <State of="holding back" /> The node <a href={href(['nodes'])}>{instanceId}</a> was blocked and leaves
          triggers to the others, since <Away at={holdsBack?.since} />.
        </>
      )),
    ...(pausedGroups.length > 0
      ? [
          <>
            <State of="PAUSED" /> Groups that are paused: {pausedGroups.slice(0, 10).join(', ')}
            {pausedGroups.length > 10 && ' …'}
          </>,
        ]
      : []),
  ];
  return (
    <Panel title="What needs attention">
      {items.length === 0 ? (
        <Nothing>Nothing. All is well.</Nothing>
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
  const moments = Array.from({ length: MINUTES }, (_, at) =>
    new Date(last - (MINUTES - 1 - at) * MINUTE_MS).toISOString(),
  );
  const found = new Map(overview.runs.minutes.map(({ begin, outcomes }) => [begin, Object.entries(outcomes)]));
  const count = (isMeant: (outcome: string) => boolean) =>
    moments.map((moment) =>
      (found.get(moment) ?? []).reduce((sum, [outcome, n]) => sum + (isMeant(outcome) ? (n ?? 0) : 0), 0),
    );
  return (
    <Panel title="Recorded runs of the last hour">
      <StepChart
        title="Runs that ended, by minute"
        moments={moments}
        kind="bars"
        textOf={countText}
        series={[
          { name: 'succeeded', tone: 'good', values: count((outcome) => outcome === 'succeeded') },
          { name: 'skipped or vetoed', tone: 'quiet', values: count((o) => o !== 'succeeded' && GOOD.includes(o)) },
          { name: 'failed', tone: 'bad', values: count((outcome) => !GOOD.includes(outcome)) },
        ]}
      />
      <p class="hint">
        {overview.runs.isCut ? 'Only the newest 1,000 runs. ' : ''}
        Successful runs are counted only if the history of their job is set to all.
      </p>
    </Panel>
  );
}

function Load({ overview: { load } }: { readonly overview: Overview }) {
  if (load === null) return null;
  const moments = load.steps.map(({ begin }) => begin);
  return (
    <Panel title="Cluster, the last 15 minutes">
      <StepChart
        title="Runs that began, by half minute"
        moments={moments}
        kind="bars"
        textOf={countText}
        series={[{ name: 'began', tone: 'busy', values: load.steps.map(({ started }) => started) }]}
      />
      <StepChart
        title="Lateness"
        moments={moments}
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
        <Nothing>No node has joined. Nothing fires.</Nothing>
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
            { name: 'A minute', cell: ({ load }) => load?.firingsPerMinute ?? '–', isNumber: true, isMinor: true },
            { name: 'Lease until', cell: ({ leaseUntil }) => <Away at={leaseUntil} /> },
          ]}
        />
      )}
    </Panel>
  );
}
