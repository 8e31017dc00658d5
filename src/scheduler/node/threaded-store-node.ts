import type { Clock } from '../../base/clock';
import type { NodeHooks } from '../../cluster/node-hooks';
import { askPassword, type DatabaseAccess } from '../../store/database-access';
import { startRemoteStore } from '../../store/thread/remote-store';
import { endingHooks, endProcess } from './ending-hooks';
import { isDebugged } from './is-debugged';
import { hookServer, remoteMember } from './node-messages';
import type { SharedStoreNode, StoreNodeSetup } from './store-node';
import { storeThreadProgram } from './store-thread-program';

export interface ThreadedStoreParts {
  /** Asked from the thread for each connection. */
  readonly password?: NonNullable<DatabaseAccess['password']>;
  readonly clock: Clock;
  readonly hooks: NodeHooks;
  /** The compiled file that the thread runs; default: the package's own program. */
  readonly entry?: string;
}

/** The same as `sqlStoreNode`, in a thread of its own. */
export async function threadedStoreNode(
  setup: StoreNodeSetup,
  { clock, hooks, entry, password }: ThreadedStoreParts,
): Promise<SharedStoreNode> {
  const { methods, onNotice } = hookServer(hooks);
  let hasCrashed = false;
  const { store, call } = await startRemoteStore({
    program: entry === undefined ? storeThreadProgram : { file: entry },
    setup: { ...setup, asksPassword: password !== undefined },
    clock,
    methods: {
      ...methods,
      pulse: async () => isDebugged(),
      ...(password === undefined ? {} : { password: () => askPassword(password) }),
    },
    onNotice,
    onCrash(error) {
      hasCrashed = true;
      hooks.publish({ type: 'schedulerError', at: clock.now(), during: 'running the thread of the job store', error });
      hooks.firingAllowed(false);
      const isLast = setup.sql.onLeaseLost === 'exit-process';
      const lastHooks = isLast ? endingHooks(hooks, { clock, isDebugged, end: endProcess }) : hooks;
      lastHooks.leaseLost('leaseExpired'); // nobody checks in any more
    },
  });
  const member = remoteMember(call);
  return {
    store,
    cluster: {
      ...member,
      // A node whose thread is gone has left already, as far as it can.
      stop: () =>
        member.stop().catch((error: unknown) => {
          if (!hasCrashed) throw error;
        }),
    },
  };
}
