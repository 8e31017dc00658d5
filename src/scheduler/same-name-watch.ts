import { sharedValue } from '../base/shared-class';

/** Started schedulers with a memory store in this process, by name: those of all copies of this package, because a hot reload may load it again. */
const started = sharedValue('startedInMemory', () => new Map<string, number>());

/**
 * Records that a scheduler with a memory store starts. Returns a warning if one of the same name is already running in this process: each of them then
 * runs every job.
 */
export function startInMemory(name: string): string | null {
  const others = started.get(name) ?? 0;
  started.set(name, others + 1);
  if (others === 0) return null;
  const count = others === 1 ? 'Another scheduler' : `${others} other schedulers`;
  return (
    `${count} named '${name}' already ${others === 1 ? 'runs' : 'run'} in this process with a memory store, so each job runs ${others + 1} times. If the ` +
    'start-up code runs twice (hot reload), call shutdown() before it runs again. Otherwise give each scheduler its own scheduler.instanceName.'
  );
}

/** Records that such a scheduler has shut down. */
export function endInMemory(name: string): void {
  const left = (started.get(name) ?? 0) - 1;
  if (left > 0) started.set(name, left);
  else started.delete(name);
}
