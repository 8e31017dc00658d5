import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { clock } from '../state/clock';
import { interrupts, noteInterrupt } from '../state/interrupts';
import { href } from '../state/router';
import { may } from '../state/session';
import { useOperation } from '../state/use-operation';
import { mayRun } from '../ui/action-button';
import { Badge, Copyable, Panel, RelativeTime } from '../ui/basics';
import { confirmAction } from '../ui/confirm';
import { Heading } from '../ui/frame';
import { JobLink, keyText, NodeName, TriggerLink } from '../ui/links';
import { type Column, ResultTable } from '../ui/table';

type Firing = OutputOf<'firings.list'>['items'][number];

export function RunningPage() {
  const firings = useOperation('firings.list', { limit: 200 });
  const columns: readonly Column<Firing>[] = [
    { name: 'Started', cell: ({ fireTime }) => <RelativeTime at={fireTime} /> },
    { name: 'Job', cell: ({ job }) => <JobLink job={job} /> },
    { name: 'Trigger', cell: ({ trigger }) => <TriggerLink trigger={trigger} />, isMinor: true },
    { name: 'Progress', cell: ({ progress }) => <Progress of={progress} /> },
    { name: 'Node', cell: ({ instanceId }) => <NodeName id={instanceId} /> },
    { name: 'State', cell: (firing) => <RunState of={firing} /> },
    { name: 'Log', cell: ({ runId, job }) => <LinesLink id={runId} of={keyText(job)} /> },
    { name: 'Run ID', cell: ({ runId }) => <Copyable text={runId} />, isMinor: true },
    { name: 'Actions', isActions: true, cell: (firing) => <Interrupt firing={firing} onDone={firings.reload} /> },
  ];
  return (
    <>
      <Heading title="Running" />
      <section class="panel" aria-label="Running jobs">
        <ResultTable
          result={firings}
          caption="Running jobs, longest first"
          columns={columns}
          keyOf={({ runId }) => runId}
          empty="No jobs are running. Runs in progress appear here."
        />
      </section>
      <Parts />
    </>
  );
}

function LinesLink({ id, of }: { readonly id: string; readonly of: string }) {
  return (
    <a href={href(['running', id])} aria-label={`Live log of ${of}`}>
      Live log
    </a>
  );
}

type Occurrence = OutputOf<'occurrences.list'>['items'][number];

const PART_COLUMNS: readonly Column<Occurrence>[] = [
  { name: 'Job', cell: ({ job }) => <JobLink job={job} /> },
  { name: 'Trigger', cell: ({ trigger }) => <TriggerLink trigger={trigger} />, isMinor: true },
  { name: 'Scheduled', cell: ({ scheduledFireTime }) => <RelativeTime at={scheduledFireTime} /> },
  { name: 'Parts', cell: ({ parts, isBroadcast }) => `${parts}${isBroadcast ? ', one per node' : ''}` },
  { name: 'Remaining', cell: ({ remaining }) => remaining, isNumber: true },
  { name: 'Failed', cell: ({ failed }) => failed, isNumber: true },
];

/** List of sharded or broadcast occurrences with unfinished parts. Renders nothing if there are none. */
function Parts() {
  const occurrences = useOperation('occurrences.list', { limit: 50 });
  const { data, error } = occurrences;
  if (error === null && (data === null || data.items.length === 0)) return null;
  return (
    <Panel title="Sharded and broadcast runs">
      <ResultTable
        result={occurrences}
        caption="Sharded and broadcast runs in progress, oldest first"
        columns={PART_COLUMNS}
        keyOf={({ occurrenceId }) => occurrenceId}
        empty="No sharded or broadcast runs in progress. They appear here until every part has ended."
      />
    </Panel>
  );
}

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

/** Time within which a job that listens to its signal normally ends, in milliseconds. */
const INTERRUPT_TIMEOUT = 3_000;

function RunState({ of: firing }: { readonly of: Firing }) {
  return (
    <>
      <RunBadge of={firing} />
      <InterruptNote firing={firing} />
    </>
  );
}

/** Time at which this page interrupted the run. If the run has not ended 3 s later, advises the user to drain the node. */
export function InterruptNote({ firing: { runId, instanceId } }: { readonly firing: Firing }) {
  const interruptedAt = interrupts.value.get(runId);
  if (interruptedAt === undefined) return null;
  return (
    <small class="below">
      Interrupted <RelativeTime at={new Date(interruptedAt).toISOString()} />.
      {clock.value - interruptedAt > INTERRUPT_TIMEOUT && (
        <>
          {' '}
          Still running after the interrupt. The job may ignore its signal.{' '}
          {mayRun('nodes.drain') && <a href={href(['nodes'], { node: instanceId })}>Drain node</a>}
        </>
      )}
    </small>
  );
}

function RunBadge({ of: { isAbandoned, isRecovering } }: { readonly of: Firing }) {
  if (isAbandoned) return <Badge tone="bad">abandoned</Badge>;
  return isRecovering ? <Badge tone="warn">recovering</Badge> : <Badge tone="busy">running</Badge>;
}

export function Interrupt({
  firing: { runId, job },
  onDone,
}: {
  readonly firing: Firing;
  readonly onDone: () => void;
}) {
  if (!may('operator')) return null;
  const interrupt = () =>
    confirmAction({
      title: `Interrupt ${keyText(job)}?`,
      body: 'Sends an abort signal to the run. A job that ignores the signal keeps running. This cannot be undone.',
      confirmLabel: 'Interrupt',
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
