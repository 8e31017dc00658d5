import type { EpochMs } from '../base/clock';

/** Request to interrupt a run. */
export interface Interruption {
  /** Time of the request, by the clock of the node that runs the job. */
  readonly at: EpochMs;
  /** Name of the user who asked; null if unknown. */
  readonly by: string | null;
}
