/** Version of quartz-ts. A test compares it with package.json. */
export const VERSION = '0.1.0';

/** Version of the time zone data of this process, such as `2025c`. Null if the runtime does not know it. */
export function timeZoneDataVersion(): string | null {
  return process.versions.tz?.slice(0, MAX_LENGTH) ?? null;
}

/** Length of the column in which a node publishes its version of the data. */
const MAX_LENGTH = 40;
