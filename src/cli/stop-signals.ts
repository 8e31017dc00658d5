import { EXIT_CODES } from './exit-codes';
import { watchNpm } from './npm-watch';

/** The part of `process` that is needed here. */
export interface SignalProcess {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * Aborts at the first SIGTERM or SIGINT, with its name as reason, and when the npm that started this process has ended. A second signal ends
 * the process at once, whatever still runs. It listens until the process ends: a signal during the last steps must not cut them short.
 */
export function listenForStop(source: SignalProcess = process): AbortSignal {
  const asked = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    const { code } = EXIT_CODES[name === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED'];
    source.on(name, () => (asked.signal.aborted ? source.exit(code) : asked.abort(name)));
  }
  watchNpm(process.env, (reason) => asked.abort(reason));
  return asked.signal;
}
