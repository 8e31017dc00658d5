import type { Span } from '@opentelemetry/api';
import { toError } from '../base/errors';
import type { Api } from './load-api';

/** Says that what the span followed has failed, and with what. */
export function failSpan({ SpanStatusCode }: Api, span: Span, thrown: unknown): void {
  const error = toError(thrown);
  span.recordException(error);
  span.setAttribute('error.type', typeof error.name === 'string' ? error.name : 'Error');
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
}
