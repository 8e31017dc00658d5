import type { NodeHooks } from '../../cluster/node-hooks';
import type { SchedulerEvent } from '../../domain/scheduler-event';
import type { NodeSignal } from '../../store/cluster-store';
import type { Methods, Notice } from '../../store/thread/calls';
import type { Connection } from '../../store/thread/connection';
import { fromTransferredError, type TransferredError, toTransferredError } from '../../store/thread/transferred-error';
import type { ClusterMember, ClusterReader } from './store-node';

/*
 * How a node in the store's thread and the scheduler in the main one talk: the hooks of the node as notices and one call,
 * its methods as calls.
 */

const HOOK = 'node';

type HookNotice =
  | { readonly hook: 'publish'; readonly event: object; readonly error: TransferredError | null }
  | { readonly hook: 'firingAllowed'; readonly isAllowed: boolean }
  | { readonly hook: 'leaseLost'; readonly reason: Parameters<NodeHooks['leaseLost']>[0] }
  | { readonly hook: 'scheduleChanged'; readonly earliest: number | null }
  | { readonly hook: 'storeAvailable' };

/** In the store's thread: the hooks of the scheduler at the other end. */
export function remoteHooks(scheduler: Pick<Connection, 'call' | 'notify'>): NodeHooks {
  const tell = (notice: HookNotice) => scheduler.notify(HOOK, notice);
  return {
    publish: (event) => tell({ hook: 'publish', ...parted(event) }),
    firingAllowed: (isAllowed) => tell({ hook: 'firingAllowed', isAllowed }),
    leaseLost: (reason) => tell({ hook: 'leaseLost', reason }),
    scheduleChanged: (earliest) => tell({ hook: 'scheduleChanged', earliest }),
    storeAvailable: () => tell({ hook: 'storeAvailable' }),
    async receive(signal) {
      await scheduler.call('receive', [signal]);
    },
  };
}

/** In the main thread: what the node may call, and what to do when it tells something. */
export function hookServer(hooks: NodeHooks): { methods: Methods; onNotice: (notice: Notice) => void } {
  return {
    methods: { receive: (signal: NodeSignal) => hooks.receive(signal) },
    onNotice({ notice, value }) {
      if (notice === HOOK) act(hooks, value as HookNotice);
    },
  };
}

function act(hooks: NodeHooks, notice: HookNotice): void {
  switch (notice.hook) {
    case 'publish':
      hooks.publish(joined(notice.event, notice.error));
      break;
    case 'firingAllowed':
      hooks.firingAllowed(notice.isAllowed);
      break;
    case 'leaseLost':
      hooks.leaseLost(notice.reason);
      break;
    case 'scheduleChanged':
      hooks.scheduleChanged(notice.earliest);
      break;
    case 'storeAvailable':
      hooks.storeAvailable();
      break;
  }
}

/** An event without its error, which structured cloning would leave without its class and code. */
function parted(event: SchedulerEvent): { event: object; error: TransferredError | null } {
  if (!('error' in event) || event.error === null) return { event, error: null };
  const { error, ...rest } = event;
  return { event: rest, error: toTransferredError(error) };
}

function joined(event: object, error: TransferredError | null): SchedulerEvent {
  return (error === null ? event : { ...event, error: fromTransferredError(error) }) as SchedulerEvent;
}

/** What is called of the cluster's store. A method missing here does not compile. */
const READER_METHODS: Readonly<Record<keyof ClusterReader, true>> = {
  readClock: true,
  readNodes: true,
  getFirings: true,
  sendSignal: true,
  publishJobTypes: true,
  readJobTypes: true,
  readOverdueTriggers: true,
};

const START = 'startNode';
const STOP = 'stopNode';
const LOOK = 'lookAtLease';

/** In the store's thread: a member of the cluster, to be called from the other end. */
export function memberMethods(member: ClusterMember): Methods {
  const { store } = member;
  const names = Object.keys(READER_METHODS) as (keyof ClusterReader)[];
  const readers = names.map((name) => [name, (store[name] as Methods[string]).bind(store)]);
  return {
    ...Object.fromEntries(readers),
    [START]: () => member.start(),
    [STOP]: () => member.stop(),
    [LOOK]: () => member.lookAtLease(),
  };
}

/** In the main thread: the member at the other end. */
export function remoteMember(call: Connection['call']): ClusterMember {
  const readers = Object.keys(READER_METHODS).map((name) => [name, (...args: unknown[]) => call(name, args)]);
  return {
    store: Object.fromEntries(readers) as unknown as ClusterReader,
    async start() {
      await call(START, []);
    },
    async stop() {
      await call(STOP, []);
    },
    async lookAtLease() {
      await call(LOOK, []);
    },
  };
}
