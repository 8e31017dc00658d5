import { readSystemTimeZone, unnamedZoneWarning } from '../domain/time/system-time-zone';
import { DEFAULT_CONFIG } from './default-config';
import type { ResolveOptions } from './resolve-config';
import type { Environment, LoadedConfig } from './scheduler-config';

/**
 * Loads the configuration of a scheduler from a file (`.yaml`, `.yml`, `.json`, `.properties`) or from an object with the same keys. Without a
 * source, returns the defaults. Throws a ConfigurationError that lists every problem.
 *
 * With `isForNode: false`, environment variables in the values of keys that only a running node needs may be missing.
 */
export async function loadConfig(
  source?: string | object,
  env: Environment = process.env,
  options: ResolveOptions = {},
): Promise<LoadedConfig> {
  if (source === undefined) {
    const zone = readSystemTimeZone();
    return {
      config: { ...DEFAULT_CONFIG, timeZone: zone.name, timeZoneDefaulted: true },
      warnings: unnamedZoneWarning(zone),
    };
  }
  // Imported on demand, so that a scheduler without settings loads neither the schema nor the parsers.
  const { resolveSource } = await import('./resolve-config');
  return resolveSource(source, { ...options, env });
}
