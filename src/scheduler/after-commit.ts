import { toError } from '../base/errors';
import type { EventInput } from './schedule-events';

type Announce = (event: EventInput) => void;

/** Runs a step after a commit. Never throws, because the change is already stored: publishes a failure as `schedulerError`. */
export function afterCommit(announce: Announce, during: string, step: () => void): void {
  try {
    step();
  } catch (thrown) {
    announce({ type: 'schedulerError', during, error: toError(thrown) });
  }
}

/** Awaits a step after a commit. Never rejects. If the step fails, publishes `schedulerError` and resolves with `fallback`. */
export async function afterCommitAsync<T>(
  announce: Announce,
  during: string,
  { step, fallback }: { readonly step: () => Promise<T>; readonly fallback: T },
): Promise<T> {
  try {
    return await step();
  } catch (thrown) {
    announce({ type: 'schedulerError', during, error: toError(thrown) });
    return fallback;
  }
}
