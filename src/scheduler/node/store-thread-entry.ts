import { workerData } from 'node:worker_threads';
import { SystemClock } from '../../base/clock';
import { systemRandom } from '../../base/ids';
import { serveStore } from '../../store/thread/serve-store';
import { MainPulse } from './main-pulse';
import { memberMethods, remoteHooks } from './node-messages';
import { sqlStoreNode } from './sql-store-node';
import type { StoreNodeSetup } from './store-node';

/*
 * What runs in the store's thread: the connections, the operations and the node that checks in. None of it waits for the
 * main thread, so that a job that blocks that one neither holds a lock nor misses a check-in.
 */

serveStore(async (scheduler) => {
  const clock = new SystemClock();
  const pulse: MainPulse = new MainPulse({
    clock,
    ask: async () => (await scheduler.call('pulse', [])) === true,
    isWatched: () => node.hasExclusiveWork(),
  });
  const setup = workerData as StoreNodeSetup;
  const password = async () => (await scheduler.call('password', [])) as string;
  const node = await sqlStoreNode(setup, {
    ...(setup.asksPassword === true && { access: { password } }),
    clock,
    random: systemRandom,
    hooks: remoteHooks(scheduler),
    isDebugged: () => pulse.isDebugged,
    mainStall: () => pulse.stall,
  });
  const { store, cluster } = node;
  const member = {
    store: cluster.store,
    async start() {
      await cluster.start();
      await pulse.service.start();
    },
    async stop() {
      await pulse.service.stop();
      await cluster.stop();
    },
    lookAtLease: () => cluster.lookAtLease(),
  };
  return { store, methods: memberMethods(member) };
});
