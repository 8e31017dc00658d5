import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { may } from '../state/session';
import { useOperation } from '../state/use-operation';
import { Copyable, RelativeTime } from '../ui/basics';
import { confirmAction } from '../ui/confirm';
import { durationText } from '../ui/format';
import { Heading } from '../ui/frame';
import { NodeState } from '../ui/node-state';
import { type Column, ResultTable } from '../ui/table';

type Node = OutputOf<'nodes.list'>['items'][number];

export function NodesPage() {
  const nodes = useOperation('nodes.list', {});
  const columns: readonly Column<Node>[] = [
    {
      name: 'Node',
      cell: ({ instanceId, ...node }) => (
        <>
          <span class="name">
            <Copyable text={instanceId} />
          </span>
          <small class="below">{machineText(node)}</small>
        </>
      ),
    },
    { name: 'State', cell: (node) => <NodeState node={node} /> },
    {
      name: 'Running',
      cell: ({ load }) => (load === null ? '–' : `${load.running} of ${load.workers}`),
      isNumber: true,
    },
    {
      name: 'Runs per minute',
      cell: ({ load }) => (
        <>
          {load?.firingsPerMinute ?? '–'}
          {load !== null && load.failedPerMinute > 0 && <small class="below">{load.failedPerMinute} failed</small>}
        </>
      ),
      isNumber: true,
    },
    {
      name: 'p99 lateness',
      cell: ({ load }) => latenessText(load?.latenessMs.p99 ?? null),
      isNumber: true,
      isMinor: true,
    },
    { name: 'Last check-in', cell: ({ lastCheckInTime }) => <RelativeTime at={lastCheckInTime} /> },
    { name: 'Lease ends', cell: ({ leaseUntil }) => <RelativeTime at={leaseUntil} /> },
    { name: 'Started', cell: ({ startedAt }) => <RelativeTime at={startedAt} />, isMinor: true },
    {
      name: 'Labels',
      cell: ({ labels, instanceId }) => labels?.filter((label) => label !== `node:${instanceId}`).join(', ') || '–',
      isMinor: true,
    },
    { name: 'Job types', cell: ({ jobTypes }) => jobTypes?.length ?? '–', isNumber: true, isMinor: true },
    { name: 'Actions', isActions: true, cell: (node) => <Drain node={node} onDone={nodes.reload} /> },
  ];
  return (
    <>
      <Heading title="Nodes" />
      <section class="panel" aria-label="Nodes of the cluster">
        <ResultTable
          result={nodes}
          caption="Nodes of the cluster"
          columns={columns}
          keyOf={({ instanceId }) => instanceId}
          empty="No nodes. A scheduler appears here when it starts."
        />
      </section>
    </>
  );
}

/** Describes the host, process and version of a node, such as `host (1234), 0.1.0`. */
function machineText({ host, processId, version, isJava }: Omit<Node, 'instanceId'>): string {
  const machine = host === null ? null : `${host} (${processId ?? '?'})`;
  return [machine, isJava ? 'Java' : version].filter(Boolean).join(', ');
}

function latenessText(milliseconds: number | null): string {
  return milliseconds === null ? '–' : durationText(milliseconds);
}

function Drain({
  node: { instanceId, isDraining, isJava },
  onDone,
}: {
  readonly node: Node;
  readonly onDone: () => void;
}) {
  if (isJava || !may('admin')) return null;
  if (isDraining) {
    const undrain = () => call('nodes.undrain', { instanceId }).then(onDone);
    return (
      <button type="button" onClick={undrain}>
        Undrain
      </button>
    );
  }
  const drain = () =>
    confirmAction({
      title: `Drain ${instanceId}?`,
      body: 'The node starts no new runs, and its running jobs finish. Other nodes continue. You can undrain the node at any time.',
      confirmLabel: 'Drain',
      isDestructive: false,
      act: () => call('nodes.drain', { instanceId }).then(onDone),
    });
  return (
    <button type="button" onClick={drain}>
      Drain
    </button>
  );
}
