import type { ChangeReading } from '../../cluster-store';
import { toCount } from '../rows';

/** What `selectChanges` finds: one row. */
export interface ChangeRow {
  readonly NOW_TIME: number;
  readonly EARLIEST: number | null;
  readonly TRIGGERS: number;
  readonly TOTAL: number;
  readonly SIGNAL_NUMBER: number | null;
}

/** The reading of that row. */
export function toChangeReading([row]: readonly ChangeRow[]): ChangeReading {
  if (row === undefined) throw new TypeError('selectChanges found no row; expected one.');
  const { NOW_TIME, EARLIEST, TRIGGERS, TOTAL, SIGNAL_NUMBER } = row;
  return {
    now: NOW_TIME,
    earliest: EARLIEST,
    fingerprint: `${EARLIEST}/${TRIGGERS}/${TOTAL}`,
    signalNumber: SIGNAL_NUMBER === null ? null : toCount(SIGNAL_NUMBER),
  };
}
