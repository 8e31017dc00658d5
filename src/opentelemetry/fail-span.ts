import type { Span } from '@opentelemetry/api';
import { toError } from '../base/errors';
import { maskText, maskValue } from '../base/secrets';
import type { Api } from './load-api';

/** Records an error in a span, with its secrets masked, and sets the span's status to ERROR. */
export function failSpan({ SpanStatusCode }: Api, span: Span, thrown: unknown): void {
  const error = toError(thrown);
  span.recordException(maskValue(error) as Error);
  span.setAttribute('error.type', typeof error.name === 'string' ? error.name : 'Error');
  span.setStatus({ code: SpanStatusCode.ERROR, message: maskText(error.message) });
}
