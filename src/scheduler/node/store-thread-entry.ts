import { workerData } from 'node:worker_threads';
import { SystemClock } from '../../base/clock';
import { systemRandom } from '../../base/ids';
import { LoadCounts } from '../../domain/load-counts';
import { serveStore } from '../../store/thread/store-thread';
import { EventLoopMonitor } from './event-loop-monitor';
import { remoteHooks } from './node-hooks';
import { sqlStoreNode } from './sql-store-node';
import { alongside, type StoreNodeSetup } from './store-node';
import type { MainThread } from './threaded-store-node';

/*
 * What runs in the store's thread: the connections, the operations and the node that checks in. None of it waits for the
 * main thread, so that a job that blocks that one neither holds a lock nor misses a check-in.
 */

serveStore(async (connection) => {
  const clock = new SystemClock();
  const main = connection.remote<MainThread>('main');
  const monitor: EventLoopMonitor = new EventLoopMonitor({
    clock,
    ask: () => main.isDebugged(),
    isWatched: () => node.hasNonConcurrentWork(),
  });
  const setup = workerData as StoreNodeSetup;
  const node = await sqlStoreNode(setup, {
    ...(setup.asksPassword === true && { access: { password: () => main.password() } }),
    clock,
    random: systemRandom,
    hooks: remoteHooks(connection),
    isDebugged: () => monitor.isDebugged,
    mainStall: () => monitor.stall,
    ...(setup.load && { load: new LoadCounts(setup.load) }),
  });
  const { store, cluster } = node;
  return { store, cluster: cluster.store, examiner: cluster.examiner, member: alongside(cluster, monitor.service) };
});
