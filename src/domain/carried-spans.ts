import { type JobData, NO_DATA } from './job-data';
import type { Trigger } from './trigger';

/*
 * Trace spans in trigger data, in the W3C Trace Context format (`traceparent`). They are copied with the data to retries, parts and recoveries, by
 * every store and by Java nodes. Trigger data contains them only if the program traces with spans.
 */

/** Data key of the span that was active when the trigger was scheduled. */
const SCHEDULED_IN = 'QRTZ_X_TRACEPARENT';
/** Data key of the span of the previous run of the occurrence. Present in triggers that rerun an occurrence. */
const FOLLOWS = 'QRTZ_X_TRACEPARENT_OF_RUN';

/** Spans in the data of a trigger; null: none. */
export interface CarriedSpans {
  readonly scheduledIn: string | null;
  readonly follows: string | null;
}

export function carriedSpans({ data }: Pick<Trigger, 'data'>): CarriedSpans {
  return { scheduledIn: textOf(data[SCHEDULED_IN]), follows: textOf(data[FOLLOWS]) };
}

/** Returns a copy of the trigger whose data contains the span that scheduled it. */
export function scheduledIn(trigger: Trigger, traceparent: string): Trigger {
  return Object.freeze({ ...trigger, data: Object.freeze({ ...trigger.data, [SCHEDULED_IN]: traceparent }) });
}

/** Adds the span of the previous run to the data of a rerun. Returns the data unchanged if `traceparent` is null. */
export function following(data: JobData, traceparent: string | null): JobData {
  return traceparent === null ? data : { ...data, [FOLLOWS]: traceparent };
}

/** Returns the data without spans. Jobs receive this form, and comparisons of triggers use it. */
export function withoutSpans(data: JobData): JobData {
  if (!(SCHEDULED_IN in data || FOLLOWS in data)) return data;
  const { [SCHEDULED_IN]: _scheduledIn, [FOLLOWS]: _follows, ...others } = data;
  return Object.keys(others).length === 0 ? NO_DATA : others;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
