import { workerData } from 'node:worker_threads';
import { SystemClock } from '../../base/clock';
import { systemRandom } from '../../base/ids';
import { serveStore } from '../../store/thread/serve-store';
import { EventLoopMonitor } from './event-loop-monitor';
import { memberMethods, remoteHooks } from './node-messages';
import { sqlStoreNode } from './sql-store-node';
import type { StoreNodeSetup } from './store-node';

/*
 * What runs in the store's thread: the connections, the operations and the node that checks in. None of it waits for the
 * main thread, so that a job that blocks that one neither holds a lock nor misses a check-in.
 */

serveStore(async (scheduler) => {
  const clock = new SystemClock();
  const monitor: EventLoopMonitor = new EventLoopMonitor({
    clock,
    ask: async () => (await scheduler.call('monitor', [])) === true,
    isWatched: () => node.hasExclusiveWork(),
  });
  const setup = workerData as StoreNodeSetup;
  const password = async () => (await scheduler.call('password', [])) as string;
  const node = await sqlStoreNode(setup, {
    ...(setup.asksPassword === true && { access: { password } }),
    clock,
    random: systemRandom,
    hooks: remoteHooks(scheduler),
    isDebugged: () => monitor.isDebugged,
    mainStall: () => monitor.stall,
  });
  const { store, cluster } = node;
  const member = {
    store: cluster.store,
    async start() {
      await cluster.start();
      await monitor.service.start();
    },
    async stop() {
      await monitor.service.stop();
      await cluster.stop();
    },
    lookAtLease: () => cluster.lookAtLease(),
  };
  return { store, methods: memberMethods(member) };
});
