export { type OpenTelemetryOptions, openTelemetryPlugin } from './opentelemetry/opentelemetry-plugin';
