/** `quartz-ts/opentelemetry` for `import`: one copy of the code, whichever way it is loaded. */
export { openTelemetryPlugin } from './opentelemetry.js';
