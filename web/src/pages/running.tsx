import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { clock } from '../state/clock';
import { interrupts, noteInterrupt } from '../state/interrupts';
import { href } from '../state/router';
import { may } from '../state/session';
import { useOperation } from '../state/use-operation';
import { Away, Badge, Copyable, Panel } from '../ui/basics';
import { ask } from '../ui/confirm';
import { mayRun } from '../ui/deeds';
import { Heading } from '../ui/frame';
import { JobLink, keyText, NodeName, TriggerLink } from '../ui/links';
import { AskedTable, type Column } from '../ui/table';

type Firing = OutputOf<'firings.list'>['items'][number];

/** What executes now, on all nodes. */
export function RunningPage() {
  const firings = useOperation('firings.list', { limit: 200 });
  const columns: readonly Column<Firing>[] = [
    { name: 'Began', cell: ({ fireTime }) => <Away at={fireTime} /> },
    { name: 'Job', cell: ({ job }) => <JobLink job={job} /> },
    { name: 'Trigger', cell: ({ trigger }) => <TriggerLink trigger={trigger} />, isMinor: true },
    { name: 'Progress', cell: ({ progress }) => <Progress of={progress} /> },
    { name: 'Node', cell: ({ instanceId }) => <NodeName id={instanceId} /> },
    { name: 'State', cell: (firing) => <Kind of={firing} /> },
    { name: 'Lines', cell: ({ runId, job }) => <LinesLink id={runId} of={keyText(job)} /> },
    { name: 'Id', cell: ({ runId }) => <Copyable text={runId} />, isMinor: true },
    { name: 'Actions', isActions: true, cell: (firing) => <Interrupt firing={firing} onDone={firings.again} /> },
  ];
  return (
    <>
      <Heading title="Running" />
      <section class="panel" aria-label="What executes now">
        <AskedTable
          asked={firings}
          caption="Executions, the longest first"
          columns={columns}
          keyOf={({ runId }) => runId}
          empty="Nothing executes at this moment."
        />
      </section>
      <Parts />
    </>
  );
}

function LinesLink({ id, of }: { readonly id: string; readonly of: string }) {
  return (
    <a href={href(['running', id])} aria-label={`live lines of ${of}`}>
      live
    </a>
  );
}

type Occurrence = OutputOf<'occurrences.list'>['items'][number];

const PART_COLUMNS: readonly Column<Occurrence>[] = [
  { name: 'Job', cell: ({ job }) => <JobLink job={job} /> },
  { name: 'Trigger', cell: ({ trigger }) => <TriggerLink trigger={trigger} />, isMinor: true },
  { name: 'Scheduled', cell: ({ scheduledFireTime }) => <Away at={scheduledFireTime} /> },
  { name: 'Parts', cell: ({ parts, isBroadcast }) => `${parts}${isBroadcast ? ', one a node' : ''}` },
  { name: 'Left', cell: ({ remaining }) => remaining, isNumber: true },
  { name: 'Failed', cell: ({ failed }) => failed, isNumber: true },
];

/** What is run in parts, where some is. */
function Parts() {
  const occurrences = useOperation('occurrences.list', { limit: 50 });
  const { data, error } = occurrences;
  if (error === null && (data === null || data.items.length === 0)) return null;
  return (
    <Panel title="In parts">
      <AskedTable
        asked={occurrences}
        caption="Occurrences that have parts left, the oldest first"
        columns={PART_COLUMNS}
        keyOf={({ occurrenceId }) => occurrenceId}
        empty="Nothing is run in parts at this moment."
      />
    </Panel>
  );
}

/** How far a run says it is. */
export function Progress({ of }: { readonly of: Firing['progress'] }) {
  if (of === null) return <span class="faint">–</span>;
  const percent = Math.round(of.fraction * 100);
  return (
    <>
      <progress value={of.fraction} max={1} aria-label={`${percent} % done`} />
      <small>
        {percent} % {of.message}
      </small>
    </>
  );
}

/** A job that listens to its signal has stopped by then. Milliseconds. */
const STOPS_WITHIN = 3_000;

function Kind({ of: firing }: { readonly of: Firing }) {
  return (
    <>
      <Condition of={firing} />
      <AskedToStop firing={firing} />
    </>
  );
}

/** Since when a run was asked to stop from this page, and what is left to do when it does not. */
export function AskedToStop({ firing: { runId, instanceId } }: { readonly firing: Firing }) {
  const askedAt = interrupts.value.get(runId);
  if (askedAt === undefined) return null;
  return (
    <small class="below">
      Asked to stop <Away at={new Date(askedAt).toISOString()} />.
      {clock.value - askedAt > STOPS_WITHIN && (
        <>
          {' '}
          It has not stopped: its job may not listen to its signal.{' '}
          {mayRun('nodes.drain') && <a href={href(['nodes'], { node: instanceId })}>Drain its node</a>}
        </>
      )}
    </small>
  );
}

function Condition({ of: { isAbandoned, isRecovering } }: { readonly of: Firing }) {
  if (isAbandoned) return <Badge tone="bad">abandoned</Badge>;
  return isRecovering ? <Badge tone="warn">recovering</Badge> : <Badge tone="busy">running</Badge>;
}

/** Asks one execution to stop. */
export function Interrupt({
  firing: { runId, job },
  onDone,
}: {
  readonly firing: Firing;
  readonly onDone: () => void;
}) {
  if (!may('operator')) return null;
  const interrupt = () =>
    ask({
      title: `Interrupt ${keyText(job)}?`,
      body: 'Its signal is aborted, on whichever node it runs. A job that does not listen to it goes on.',
      deed: 'Interrupt',
      isDestructive: true,
      act: async () => {
        await call('firings.interrupt', { runId });
        noteInterrupt(runId);
        onDone();
      },
    });
  return (
    <button type="button" onClick={interrupt}>
      Interrupt
    </button>
  );
}
