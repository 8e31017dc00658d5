import type { Clock } from '../../base/clock';
import type { NodeHooks } from '../../cluster/node-hooks';
import type { LoadCounts } from '../../domain/load-counts';
import { type DatabaseAccess, requestPassword } from '../../store/database-access';
import type { DatabaseExaminer } from '../../store/database-examiner';
import { StoreThread } from '../../store/thread/store-thread';
import { servedHooks } from './node-hooks';
import { endingHooks, exitMain, isDebugged, killProcess } from './processes';
import type { ClusterMember, ClusterReader, SharedStoreNode, StoreNodeSetup } from './store-node';
import { storeThreadProgram } from './store-thread-program';

export interface ThreadedStoreParts {
  /** Returns the database password. The thread requests it for each connection. */
  readonly password?: NonNullable<DatabaseAccess['password']>;
  readonly clock: Clock;
  readonly hooks: NodeHooks;
  /** Load that the node publishes with its check-ins. Absent: none is published. */
  readonly load?: LoadCounts;
  /** Path of the compiled module that the thread runs. Default: the package's own module. */
  readonly entry?: string;
}

export interface MainThread {
  /** Returns true if a debugger is attached. Resolves once the main thread's event loop is free. */
  isDebugged(): Promise<boolean>;
  exit(): Promise<void>;
  /** Returns the database password. Called only if `setup.requestsPassword` is true. */
  password(): Promise<string>;
}

/** Creates a database store and its node, as `sqlStoreNode` does, in a separate thread. */
export async function threadedStoreNode(
  setup: StoreNodeSetup,
  { clock, hooks, load, entry, password }: ThreadedStoreParts,
): Promise<SharedStoreNode> {
  const main: Partial<MainThread> = {
    isDebugged: async () => isDebugged(),
    exit: async () => exitMain(),
    ...(password === undefined ? {} : { password: () => requestPassword(password) }),
  };
  let hasCrashed = false;
  const { thread, store } = await StoreThread.start({
    program: entry === undefined ? storeThreadProgram : { file: entry },
    setup: { ...setup, ...(load && { load: load.memory }), requestsPassword: password !== undefined },
    clock,
    targets: { hooks: servedHooks(hooks), main },
    onCrash(error) {
      hasCrashed = true;
      hooks.publish({ type: 'schedulerError', at: clock.now(), during: 'running the thread of the job store', error });
      hooks.firingAllowed(false);
      const isLast = setup.sql.onLeaseLost === 'exit-process';
      const lastHooks = isLast ? endingHooks(hooks, { clock, isDebugged, end: () => killProcess(exitMain) }) : hooks;
      lastHooks.leaseLost('leaseExpired'); // a crashed thread no longer checks in
    },
  });
  const member = thread.remote<ClusterMember>('member');
  return {
    store,
    hasCrashed: () => hasCrashed,
    cluster: {
      store: thread.remote<ClusterReader>('cluster'),
      examiner: thread.remote<DatabaseExaminer>('examiner'),
      start: () => member.start(),
      // A crashed thread has nothing left to stop.
      stop: () =>
        member.stop().catch((error: unknown) => {
          if (!hasCrashed) throw error;
        }),
      checkLease: () => member.checkLease(),
    },
  };
}
