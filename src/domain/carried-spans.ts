import { type JobData, NO_DATA } from './job-data';
import type { Trigger } from './trigger';

/*
 * Spans of traces in the data of triggers, in the format of W3C Trace Context (`traceparent`). They are copied with the data: to retries,
 * parts and recoveries, through every store, and by Java nodes. Nothing is added unless a program traces schedules with spans.
 */

/** Key of the span in which the trigger was scheduled. */
const SCHEDULED_IN = 'QRTZ_X_TRACEPARENT';
/** Key, in a trigger that reruns an occurrence, of the span of the run that it follows. */
const FOLLOWS = 'QRTZ_X_TRACEPARENT_OF_RUN';

/** Spans that a trigger carries; null: none. */
export interface CarriedSpans {
  readonly scheduledIn: string | null;
  readonly follows: string | null;
}

export function carriedSpans({ data }: Pick<Trigger, 'data'>): CarriedSpans {
  return { scheduledIn: textOf(data[SCHEDULED_IN]), follows: textOf(data[FOLLOWS]) };
}

/** Returns the trigger with the span in which it is scheduled. */
export function scheduledIn(trigger: Trigger, traceparent: string): Trigger {
  return Object.freeze({ ...trigger, data: Object.freeze({ ...trigger.data, [SCHEDULED_IN]: traceparent }) });
}

/** Adds the span of the previous run to the data of a rerun. Null: returns the data unchanged. */
export function following(data: JobData, traceparent: string | null): JobData {
  return traceparent === null ? data : { ...data, [FOLLOWS]: traceparent };
}

/** Returns data without spans, as jobs see it and as two versions of a trigger are compared. */
export function withoutSpans(data: JobData): JobData {
  if (!(SCHEDULED_IN in data || FOLLOWS in data)) return data;
  const { [SCHEDULED_IN]: _scheduledIn, [FOLLOWS]: _follows, ...others } = data;
  return Object.keys(others).length === 0 ? NO_DATA : others;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
