import { SCHEDULE_KINDS } from '../definitions/fields';
import type { Entry } from '../definitions/write-entries';
import { splitOwn } from '../domain/data-version';
import type { JobData } from '../domain/job-data';
import { sameData } from '../domain/same-data';
import { Problem } from './problem';
import { withSecrets } from './restore-secrets';

/** Fields of a definition as the caller gave them, after validation. */
export type GivenFields = Readonly<Record<string, unknown>>;

/** Returns the given fields as an entry of a schedule file. Throws INVALID_INPUT for a dialect without its expression. */
export function entryOf(given: GivenFields): Entry {
  const entry = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Entry;
  // A stored expression uses Quartz's dialect, and must not be read in another one.
  if (entry.dialect !== undefined && entry.cron === undefined) {
    const message = 'Expected dialect only with cron, found dialect without cron.';
    throw new Problem('INVALID_INPUT', message, { fields: [{ field: 'dialect', message }] });
  }
  return entry;
}

/** Merges the given fields into a stored definition. A schedule replaces one of another kind. */
export function mergedEntry(stored: Entry, given: GivenFields, cleared: readonly string[] = []): Entry {
  const entry = entryOf(given);
  const replaced = SCHEDULE_KINDS.some((kind) => kind in entry)
    ? [...SCHEDULE_KINDS, 'on', ...('at' in entry ? ['startAt'] : [])]
    : [];
  const gone = new Set([...cleared, ...replaced]);
  const kept = Object.entries(stored).filter(([field]) => !gone.has(field));
  const { data, ...fields } = entry;
  const whole = { ...Object.fromEntries(kept), ...withSecrets(fields, stored, '') };
  return data === undefined ? whole : { ...whole, data };
}

/** Returns the stored data if the new data equals it, because stored data may be marked with its version. */
export function keptData(data: JobData, stored: JobData): JobData {
  return sameData(data, splitOwn(stored).given) ? stored : data;
}

/** Throws CHANGED_MEANWHILE if the caller read another version. */
export function requireRead(what: string, version: string, asked: string | undefined): void {
  if (asked === undefined || asked === version) return;
  throw new Problem(
    'CHANGED_MEANWHILE',
    `Expected version ${asked} of the ${what}, found version ${version}. Read it again, and repeat the change.`,
  );
}

const MAX_ATTEMPTS = 5;

/** Runs an edit that reads and then writes. Repeats it if another write came in between, unless the caller named a version. */
export async function editing<Done>(ifVersion: string | undefined, edit: () => Promise<Done>): Promise<Done> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await edit();
    } catch (error) {
      const isRace = (error as { readonly code?: unknown }).code === 'CHANGED_MEANWHILE';
      if (!isRace || ifVersion !== undefined || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
