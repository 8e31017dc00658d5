import { type Configuration, createScheduler, type Scheduler } from 'quartz-ts';
import { demoJobs, type FromJob } from './jobs';

/*
 * One node of the demo, in its own process. It receives its configuration as a message, runs the demo's jobs, and reports events to the
 * parent process. When the parent disconnects or ends, it shuts down.
 */

/** Message from a node. */
export type FromNode =
  | FromJob
  | { readonly type: 'peerRecovered'; readonly instanceId: string }
  | { readonly type: 'trouble' | 'failed'; readonly message: string }
  | { readonly type: 'ready' };

let scheduler: Scheduler | null = null;

async function start(config: Configuration): Promise<void> {
  scheduler = await createScheduler(config, { jobs: demoJobs(report) });
  scheduler.subscribe((event) => {
    if (event.type === 'nodeRecovered') report({ type: 'peerRecovered', instanceId: event.report.instanceId });
    if (event.type === 'schedulerError')
      report({ type: 'trouble', message: `${event.during}: ${event.error.message}` });
  });
  await scheduler.start();
  report({ type: 'ready' });
}

function report(message: FromNode, onSent = () => {}): void {
  if (process.connected) process.send?.(message, onSent);
}

process.once('message', (config: Configuration) => {
  start(config).catch(({ message }: Error) => report({ type: 'failed', message }, () => process.exit(1)));
});
process.once('disconnect', async () => {
  await scheduler?.shutdown({ waitForJobs: true }).catch(() => {});
  process.exit();
});
process.on('SIGINT', () => {}); // reaches the whole process group, but the parent decides when this process ends
