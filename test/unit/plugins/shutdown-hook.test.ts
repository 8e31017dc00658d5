import { EventEmitter } from 'node:events';
import type { PluginHost, Scheduler, ShutdownOptions } from '../../../src';
import { type SignalSource, shutdownHookPlugin } from '../../../src/plugins/shutdown-hook';

/** A process that receives signals without ending. */
class FakeProcess extends EventEmitter implements SignalSource {
  readonly pid = 4711;
  readonly killed: string[] = [];

  kill(pid: number, signal: NodeJS.Signals): void {
    this.killed.push(`${pid} ${signal}`);
  }
}

/** A scheduler whose shutdown ends when the test calls `finish`. */
function hostOf(shutdowns: ShutdownOptions[]) {
  let finish: (error?: Error) => void = () => {};
  const errors: string[] = [];
  const scheduler = {
    shutdown: (options: ShutdownOptions) =>
      new Promise<void>((resolve, reject) => {
        shutdowns.push(options);
        finish = (error) => (error === undefined ? resolve() : reject(error));
      }),
  } as Scheduler;
  const host = {
    scheduler,
    clock: { now: () => 0 },
    publish: (event: { readonly type: string; readonly during?: string }) =>
      errors.push(`${event.type} ${event.during}`),
  } as unknown as PluginHost;
  return { host, errors, finish: (error?: Error) => finish(error) };
}

/** Waits until pending work has reached its next wait. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the shutdown hook plugin', () => {
  it.each([
    'SIGTERM',
    'SIGINT',
  ] as const)('shuts the scheduler down on %s, and then lets the signal end the process', async (signal) => {
    const source = new FakeProcess();
    const shutdowns: ShutdownOptions[] = [];
    const { host, finish } = hostOf(shutdowns);
    await shutdownHookPlugin({ process: source }).install(host);
    source.emit(signal);
    await settle();
    expect(shutdowns).toEqual([{ waitForJobs: true }]);
    expect(source.killed).toEqual([]);
    finish();
    await settle();
    expect(source.killed).toEqual([`4711 ${signal}`]);
  });

  it('does not wait for jobs if cleanShutdown is false', async () => {
    const source = new FakeProcess();
    const shutdowns: ShutdownOptions[] = [];
    await shutdownHookPlugin({ process: source, cleanShutdown: false }).install(hostOf(shutdowns).host);
    source.emit('SIGTERM');
    expect(shutdowns).toEqual([{ waitForJobs: false }]);
  });

  it('lets a second signal end the process at once', async () => {
    const source = new FakeProcess();
    const shutdowns: ShutdownOptions[] = [];
    await shutdownHookPlugin({ process: source }).install(hostOf(shutdowns).host);
    source.emit('SIGINT');
    expect([source.listenerCount('SIGINT'), source.listenerCount('SIGTERM')]).toEqual([0, 0]);
    expect(shutdowns).toHaveLength(1);
  });

  it('does not end the process if the program handles the signal itself', async () => {
    const source = new FakeProcess();
    source.on('SIGTERM', () => {});
    const { host, finish } = hostOf([]);
    await shutdownHookPlugin({ process: source }).install(host);
    source.emit('SIGTERM');
    finish();
    await settle();
    expect(source.killed).toEqual([]);
  });

  it('lets the process end after both of two schedulers have shut down', async () => {
    const source = new FakeProcess();
    const [first, second] = [hostOf([]), hostOf([])];
    await shutdownHookPlugin({ process: source }).install(first.host);
    await shutdownHookPlugin({ process: source }).install(second.host);
    source.emit('SIGTERM');
    first.finish();
    await settle();
    expect(source.killed).toEqual([]);
    second.finish();
    await settle();
    expect(source.killed).toEqual(['4711 SIGTERM']);
  });

  it('reports a failed shutdown, and still lets the process end', async () => {
    const source = new FakeProcess();
    const { host, errors, finish } = hostOf([]);
    await shutdownHookPlugin({ process: source }).install(host);
    source.emit('SIGTERM');
    finish(new Error('stuck'));
    await settle();
    expect(errors).toEqual(['schedulerError shutting down on SIGTERM']);
    expect(source.killed).toEqual(['4711 SIGTERM']);
  });

  it('removes its handlers when the program shuts the scheduler down', async () => {
    const source = new FakeProcess();
    const shutdowns: ShutdownOptions[] = [];
    const plugin = shutdownHookPlugin({ process: source });
    await plugin.install(hostOf(shutdowns).host);
    await plugin.stop?.();
    expect([source.listenerCount('SIGINT'), source.listenerCount('SIGTERM')]).toEqual([0, 0]);
    source.emit('SIGTERM');
    expect(shutdowns).toEqual([]);
  });
});
