import type { SpanContext } from '@opentelemetry/api';
import type { Api } from './load-api';

/** Pattern of a `traceparent`: version 00 of W3C Trace Context. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Formats a span context as a `traceparent` of 55 characters. Returns null for an invalid context. */
export function toTraceparent({ isSpanContextValid }: Api, context: SpanContext): string | null {
  if (!isSpanContextValid(context)) return null;
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`;
}

/** Parses a `traceparent`. Returns null if it is invalid, because stored rows are not trusted. */
export function fromTraceparent({ isSpanContextValid }: Api, text: string): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? context : null;
}
