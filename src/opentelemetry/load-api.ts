import type * as OpenTelemetryApi from '@opentelemetry/api';
import { SchedulerError } from '../base/errors';

/** API of `@opentelemetry/api`. */
export type Api = typeof OpenTelemetryApi;

/**
 * Loads the package that the application has installed, in the version that it chose. Rejects with CONFIGURATION if it
 * is not installed.
 */
export async function loadApi(): Promise<Api> {
  try {
    return await import('@opentelemetry/api');
  } catch (cause) {
    throw new SchedulerError(
      'CONFIGURATION',
      'Expected the package @opentelemetry/api, version 1.9 or later, for openTelemetryPlugin, but it could not be loaded. ' +
        'Run: npm install @opentelemetry/api.',
      { cause },
    );
  }
}
