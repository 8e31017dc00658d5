import { given } from '../base/given';
import { SCHEDULE_KINDS } from '../definitions/fields';
import type { Entry } from '../definitions/write-entries';
import { splitOwn } from '../domain/data-version';
import type { JobData } from '../domain/job-data';
import { sameData } from '../domain/same-data';
import type { ChangeSet, ExpectedDefinition, ScheduleChange, ScheduleOutcome } from '../domain/schedule-change';
import { notStored } from './find-stored';
import { authorOf, type OperationContext } from './operation';
import { Problem } from './problem';
import { withSecrets } from './restore-secrets';

type GivenFields = Readonly<Record<string, unknown>>;

/** Converts the given fields to an entry of a schedule file. Throws INVALID_INPUT for a dialect without a cron expression. */
export function entryOf(fields: GivenFields): Entry {
  const entry = given(fields) as Entry;
  // The stored expression uses Quartz's dialect, so another dialect requires a new expression.
  if (entry.dialect !== undefined && entry.cron === undefined) {
    const message = 'Expected dialect only with cron, found dialect without cron.';
    throw new Problem('INVALID_INPUT', message, { fields: [{ field: 'dialect', message }] });
  }
  return entry;
}

/** Merges given fields into a stored definition. A new schedule replaces the stored one, even of another kind. `cleared` names fields to remove. */
export function mergedEntry(stored: Entry, edited: GivenFields, cleared: readonly string[] = []): Entry {
  const entry = entryOf(edited);
  const replaced = SCHEDULE_KINDS.some((kind) => kind in entry)
    ? [...SCHEDULE_KINDS, 'on', ...('at' in entry ? ['startAt'] : [])]
    : [];
  const gone = new Set([...cleared, ...replaced]);
  const kept = Object.entries(stored).filter(([field]) => !gone.has(field));
  const { data, ...fields } = entry;
  const whole = { ...Object.fromEntries(kept), ...withSecrets(fields, stored, '') };
  return data === undefined ? whole : { ...whole, data };
}

/** Returns the stored data if the new data equals it apart from keys added by the scheduler, such as the version. An edit must keep these keys. */
export function keptData(data: JobData, stored: JobData): JobData {
  return sameData(data, splitOwn(stored).given) ? stored : data;
}

/** Throws CHANGED_MEANWHILE unless `version`, the stored version, equals `expected`. If `expected` is undefined, the caller accepts any version. */
export function requireRead(what: string, version: string, expected: string | undefined): void {
  if (expected === undefined || expected === version) return;
  throw new Problem(
    'CHANGED_MEANWHILE',
    `Expected version ${expected} of the ${what}, found version ${version}. Read it again, and repeat the change.`,
  );
}

/** Applies a deletion, if the stored definition has the given version or none is given. Rejects with the problem for a missing definition. */
export async function removeStored(
  context: OperationContext,
  deletion: ScheduleChange,
  { version, ...target }: ExpectedDefinition & { readonly version: string | undefined },
): Promise<ScheduleOutcome> {
  const { control } = context;
  const expected: ChangeSet =
    version === undefined ? [] : [{ type: 'expect', ...target, version, versionKey: await control.versionKey() }];
  const outcome = (await control.apply([...expected, deletion], authorOf(context))).at(-1);
  if (outcome?.status === 'deleted') return outcome;
  throw notStored(target.what, 'key' in target ? target.key : target.name);
}

const MAX_ATTEMPTS = 5;

/** Runs a read-modify-write edit. On CHANGED_MEANWHILE it retries, up to 5 attempts in total, unless the caller passed `ifVersion`. */
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
