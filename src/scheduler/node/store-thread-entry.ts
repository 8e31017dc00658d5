import { parentPort, workerData } from 'node:worker_threads';
import { SystemClock } from '../../base/clock';
import { systemRandom } from '../../base/ids';
import { LoadCounts } from '../../domain/load-counts';
import { Connection } from '../../store/thread/connection';
import { serveStore } from '../../store/thread/store-thread';
import { EventLoopMonitor } from './event-loop-monitor';
import { remoteHooks } from './node-hooks';
import { sqlStoreNode } from './sql-store-node';
import { alongside, SCHEDULE_FILE_THREAD, type StoreNodeSetup } from './store-node';
import type { MainThread } from './threaded-store-node';

/*
 * Entry module of the store's thread. The thread runs the connections, the store's operations and the node's check-ins without waiting for the main
 * thread. A job that blocks the main thread therefore holds no lock and delays no check-in.
 */

if (workerData?.purpose === SCHEDULE_FILE_THREAD) void serveScheduleFile();
else serveStore(build);

/** Parses a schedule file instead of running a store. Both kinds of thread use this module, so that a bundle needs only one thread module. */
async function serveScheduleFile(): Promise<void> {
  if (parentPort === null) throw new TypeError('This file must run in a worker thread.');
  const { scheduleFileThread } = await import('./schedule-file-thread'); // on demand: its schemas and parsers take longer to load than the store
  new Connection(parentPort, { file: scheduleFileThread() });
}

async function build(connection: Connection) {
  const clock = new SystemClock();
  const main = connection.remote<MainThread>('main');
  const monitor: EventLoopMonitor = new EventLoopMonitor({
    clock,
    query: () => main.isDebugged(),
    isWatched: () => node.hasNonConcurrentWork(),
  });
  const setup = workerData as StoreNodeSetup;
  const node = await sqlStoreNode(setup, {
    ...(setup.requestsPassword === true && { access: { password: () => main.password() } }),
    clock,
    random: systemRandom,
    hooks: remoteHooks(connection),
    isDebugged: () => monitor.isDebugged,
    exitMain: () => void main.exit().catch(() => {}), // the main thread exits instead of answering
    mainStall: () => monitor.stall,
    ...(setup.load && { load: new LoadCounts(setup.load) }),
  });
  const { store, cluster } = node;
  return { store, cluster: cluster.store, examiner: cluster.examiner, member: alongside(cluster, monitor.service) };
}
