import { readSystemTimeZone, unnamedZoneWarning } from '../domain/time/system-time-zone';
import { DEFAULT_CONFIG } from './default-config';
import type { Environment, LoadedConfig } from './scheduler-config';

/**
 * Loads the configuration of a scheduler from a file (`.yaml`, `.yml`, `.json`, `.properties`) or from an object with the same keys. Without a
 * source, returns the defaults. Throws a ConfigurationError that lists every problem.
 *
 * With `isForNode: false`, ignores keys that only a running node needs, so environment variables in their values may be missing.
 */
export async function loadConfig(
  source?: string | object,
  env: Environment = process.env,
  { isForNode = true }: { readonly isForNode?: boolean } = {},
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
  return resolveSource(source, { env, isForNode });
}
