import { readSystemTimeZone, unnamedZoneWarning } from '../domain/time/system-time-zone';
import { DEFAULT_CONFIG } from './default-config';
import type { Environment, LoadedConfig } from './scheduler-config';

/**
 * Loads a scheduler's configuration from a file (`.yaml`, `.yml`, `.json`, `.properties`) or from an object with the same keys.
 * Without a source, returns the defaults. With `isForNode: false`, no node runs with the configuration: keys that only a node needs
 * are ignored, so their variables may be missing. Throws ConfigurationError with every problem found.
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
  // Loaded on demand, so that a scheduler with the defaults does not load the schema and the parsers.
  const { resolveSource } = await import('./resolve-config');
  return resolveSource(source, { env, isForNode });
}
