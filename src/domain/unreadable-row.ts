import type { EpochMs } from '../base/clock';

/** A stored row that one node cannot understand. Others may, so it stays as it is; that node passes it over. */
export interface UnreadableRow {
  readonly what: 'trigger' | 'job' | 'calendar';
  /** Null for a calendar. */
  readonly group: string | null;
  readonly name: string;
  /** What is wrong with it. */
  readonly cause: string;
  /** When the node first met it so. */
  readonly since: EpochMs;
}
