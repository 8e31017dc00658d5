import type * as OpenTelemetryApi from '@opentelemetry/api';
import { SchedulerError } from '../base/errors';

export type Api = typeof OpenTelemetryApi;

/** Loads `@opentelemetry/api` as installed by the application. Rejects with CONFIGURATION if the package is not installed. */
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
