import { toError } from '../base/errors';
import type { EventInput } from './schedule-events';

type Announce = (event: EventInput) => void;

/**
 * Runs a step after a commit and publishes its failure as `schedulerError`. Never throws: the change is already stored, and a caller that received an
 * error might repeat it.
 */
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
