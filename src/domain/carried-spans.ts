import { type JobData, withoutKeys } from './job-data';
import type { Trigger } from './trigger';

/* Stores trace spans in trigger data, as W3C Trace Context (`traceparent`). All stores and Java nodes copy them with the data to further runs. */

/** Data key of the span that was active when the trigger was scheduled. */
const SCHEDULED_IN = 'QRTZ_X_TRACEPARENT';
/** Data key of the span of the previous run of the occurrence. Set in triggers that retry or rerun an occurrence. */
const FOLLOWS = 'QRTZ_X_TRACEPARENT_OF_RUN';

export function carriedSpans({ data }: Pick<Trigger, 'data'>) {
  return { scheduledIn: textOf(data[SCHEDULED_IN]), follows: textOf(data[FOLLOWS]) };
}

/** Returns a copy of the trigger whose data contains `traceparent`, the span that was active when the trigger was scheduled. */
export function scheduledIn(trigger: Trigger, traceparent: string): Trigger {
  return Object.freeze({ ...trigger, data: Object.freeze({ ...trigger.data, [SCHEDULED_IN]: traceparent }) });
}

/** Returns the data with the span of the previous run added. Returns the data unchanged if `traceparent` is null. */
export function following(data: JobData, traceparent: string | null): JobData {
  return traceparent === null ? data : { ...data, [FOLLOWS]: traceparent };
}

/** Returns the data without trace spans. Jobs receive the data in this form, and triggers are compared in it. */
export function withoutSpans(data: JobData): JobData {
  return SCHEDULED_IN in data || FOLLOWS in data ? withoutKeys(data, [SCHEDULED_IN, FOLLOWS]) : data;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
