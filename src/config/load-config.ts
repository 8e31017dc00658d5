import { readSystemTimeZone, unnamedZoneWarning } from '../domain/time/system-time-zone';
import { DEFAULT_CONFIG } from './default-config';
import type { Environment, LoadedConfig } from './scheduler-config';

/**
 * The configuration of a scheduler: from a file (`.yaml`, `.yml`, `.json`, `.properties`), from an object with the same
 * keys, or, without a source, the defaults. `isForNode: false`: nothing will run with it, so that keys that only a node needs, and their
 * variables, may be missing. Throws ConfigurationError with every problem found.
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
  // The schema and the parsers are loaded only now: a scheduler without configuration does not pay for them.
  const { resolveSource } = await import('./resolve-config');
  return resolveSource(source, { env, isForNode });
}
