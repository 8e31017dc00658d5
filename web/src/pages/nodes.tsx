import type { OutputOf } from '../../../src/operations/operations';
import { call } from '../state/api';
import { may } from '../state/session';
import { useOperation } from '../state/use-operation';
import { Away, Copyable } from '../ui/basics';
import { ask } from '../ui/confirm';
import { durationText } from '../ui/format';
import { Heading } from '../ui/frame';
import { NodeState } from '../ui/node-state';
import { AskedTable, type Column } from '../ui/table';

type Node = OutputOf<'nodes.list'>['items'][number];

/** The nodes of the cluster, with their leases. */
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
      name: 'Runs a minute',
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
      cell: ({ load }) => lateText(load?.latenessMs.p99 ?? null),
      isNumber: true,
      isMinor: true,
    },
    { name: 'Checked in', cell: ({ lastCheckInTime }) => <Away at={lastCheckInTime} /> },
    { name: 'Lease until', cell: ({ leaseUntil }) => <Away at={leaseUntil} /> },
    { name: 'Started', cell: ({ startedAt }) => <Away at={startedAt} />, isMinor: true },
    {
      name: 'Labels',
      cell: ({ labels, instanceId }) => labels?.filter((label) => label !== `node:${instanceId}`).join(', ') || '–',
      isMinor: true,
    },
    { name: 'Job types', cell: ({ jobTypes }) => jobTypes?.length ?? '–', isNumber: true, isMinor: true },
    { name: 'Actions', isActions: true, cell: (node) => <Drain node={node} onDone={nodes.again} /> },
  ];
  return (
    <>
      <Heading title="Nodes" />
      <section class="panel" aria-label="Nodes of the cluster">
        <AskedTable
          asked={nodes}
          caption="Nodes of the cluster"
          columns={columns}
          keyOf={({ instanceId }) => instanceId}
          empty="No node has joined. A scheduler joins when it is started."
        />
      </section>
    </>
  );
}

/** `host (1234), 0.1.0`. */
function machineText({ host, processId, version, isJava }: Omit<Node, 'instanceId'>): string {
  const machine = host === null ? null : `${host} (${processId ?? '?'})`;
  return [machine, isJava ? 'Java' : version].filter(Boolean).join(', ');
}

function lateText(milliseconds: number | null): string {
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
    ask({
      title: `Drain ${instanceId}?`,
      body: 'It begins nothing new; its running jobs finish. Other nodes continue.',
      deed: 'Drain',
      isDestructive: false,
      act: () => call('nodes.drain', { instanceId }).then(onDone),
    });
  return (
    <button type="button" onClick={drain}>
      Drain
    </button>
  );
}
