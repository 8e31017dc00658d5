import { EXIT_CODES } from './exit-codes';

/** The part of `process` that is needed here. */
export interface SignalProcess {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

/** Waiting for the operator to stop the run. */
export interface StopSignals {
  /** Aborts at the first signal; its reason is the name of the signal. */
  readonly signal: AbortSignal;
  /** Back to what signals do by themselves. */
  release(): void;
}

/** The first SIGTERM or SIGINT asks to stop; the second ends the process at once, whatever still runs. */
export function listenForStop(source: SignalProcess = process): StopSignals {
  const asked = new AbortController();
  const handlers = (['SIGINT', 'SIGTERM'] as const).map((name) => {
    const handler = () => {
      const { code } = name === 'SIGINT' ? EXIT_CODES.INTERRUPTED : EXIT_CODES.TERMINATED;
      if (asked.signal.aborted) source.exit(code);
      else asked.abort(name);
    };
    source.on(name, handler);
    return { name, handler };
  });
  return {
    signal: asked.signal,
    release: () => {
      for (const { name, handler } of handlers) source.off(name, handler);
    },
  };
}
