import type { EpochMs } from '../../../base/clock';
import { misfireTime } from '../../../domain/misfire';
import type { ChangeReading } from '../../cluster-store';
import type { AcquireRequest } from '../../job-store';
import { toCount } from '../rows/rows';
import type { SqlParams } from '../runtime/sql-driver';

/** What `selectChanges` finds: one row. */
export interface ChangeRow {
  readonly NOW_TIME: number;
  readonly EARLIEST: number | null;
  readonly TRIGGERS: number;
  readonly TOTAL: number;
  readonly OVERDUE: number;
  readonly OVERDUE_TOTAL: number;
  readonly SIGNAL_NUMBER: number | null;
}

/** The reading of that row. */
export function toChangeReading([row]: readonly ChangeRow[], isCounted: boolean): ChangeReading {
  if (row === undefined) throw new TypeError('selectChanges found no row; expected one.');
  const { NOW_TIME, EARLIEST, TRIGGERS, TOTAL, OVERDUE, OVERDUE_TOTAL, SIGNAL_NUMBER } = row;
  return {
    now: NOW_TIME,
    earliest: EARLIEST,
    fingerprint: `${EARLIEST}/${TRIGGERS}/${TOTAL}`,
    overdue: isCounted ? { count: OVERDUE, fingerprint: `${OVERDUE}/${OVERDUE_TOTAL}` } : null,
    signalNumber: SIGNAL_NUMBER === null ? null : toCount(SIGNAL_NUMBER),
  };
}

/** For `selectOverdue`: what a node that asks for triggers like this can do something with. */
export function overdueParams(
  schedName: string,
  { jobTypes, misfireThreshold }: AcquireRequest,
  now: EpochMs,
): SqlParams {
  return { schedName, rows: JSON.stringify(jobTypes), now, misfireTime: misfireTime({ now, misfireThreshold }) };
}
