import type { EpochMs } from '../base/clock';
import { changedFields, type Definition, withFieldsOf } from './definition-fields';
import type { JobDetail } from './job-detail';
import { checkJobDetail, checkTrigger } from './limits';
import { validateTrigger } from './trigger-behaviour';

/*
 * Edits of objects that code or a file declares. The object is stored with its edited values. The override records the edited fields, who
 * edited them, and the declared definition, so that it can be restored.
 */

/** Policy for edits of a declared object: the edit stays as an override, the next declaration undoes it, or it is refused. */
export type EditPolicy = 'override' | 'codeWins' | 'refuse';

export const EDIT_POLICIES: readonly EditPolicy[] = ['override', 'codeWins', 'refuse'];

/** Program or file that declares an object again at every start. */
export interface Declarer {
  /** Set that the object belongs to; null: none. */
  readonly set: string | null;
  readonly kind?: 'code' | 'file';
  /** Name of the file; absent: none. */
  readonly file?: string;
  /** Version of the program; absent: unknown. */
  readonly version?: string;
  /** Policy for edits. Default `override`. */
  readonly onEdit?: EditPolicy;
  /** Ends an override: the declaration is stored again. */
  readonly dropsOverride?: true;
}

/** Author of an edit. */
export interface Author {
  /** A login, a token's name, or a user of the operating system; null: the program itself. */
  readonly by: string | null;
  readonly via: 'console' | 'http' | 'command' | 'program';
}

/** An edit and its time. */
export interface Edit extends Author {
  readonly at: EpochMs;
}

/** Edits of a declared job, trigger or calendar. */
export interface Override {
  /** The edited fields; empty if the object was deleted. */
  readonly fields: Readonly<Record<string, Edit>>;
  /** The edit that deleted it; null if it was only edited. */
  readonly deleted: Edit | null;
  /** The declaration; null if the stored object was unreadable. */
  readonly declared: Definition | null;
  /** The job that was deleted with its last trigger; null: none. */
  readonly job: JobDetail | null;
}

/** An edited object before and after the edit; null if not stored. */
export interface EditedDefinition {
  readonly before: Definition | null;
  readonly after: Definition | null;
  readonly edit: Edit;
}

/** Returns the override after an edit; null if the stored object equals the declaration. */
export function overrideAfterEdit(
  override: Override | null,
  { before, after, edit }: EditedDefinition,
  job: JobDetail | null = null,
): Override | null {
  const declared = override === null ? before : override.declared;
  if (after === null) return { fields: {}, deleted: edit, declared, job };
  if (declared === null) return null;
  const edited = new Set(before === null ? changedFields(declared, after) : changedFields(before, after));
  const differing = changedFields(declared, after);
  if (differing.length === 0) return null;
  const fields = Object.fromEntries(
    differing.map((name) => [name, edited.has(name) ? edit : (override?.fields[name] ?? edit)]),
  );
  return { fields, deleted: null, declared, job: null };
}

/** Outcome of a new declaration if the previous one is overridden. */
export interface OverriddenPlan {
  /** Definition to store; null if there is none, because the object was deleted or has ended. */
  readonly apply: Definition | null;
  /** Remaining override; null: none. */
  readonly override: Override | null;
  /** Overridden fields whose declaration has changed. */
  readonly conflicts: readonly string[];
  /** Overridden fields that do not fit the new declaration and are dropped. */
  readonly dropped: readonly string[];
}

/**
 * Merges a new declaration with an override, field by field. Edited fields stay as stored, all others follow the declaration. An override ends for a
 * field if the declaration now equals the edit. It also ends if the field no longer fits, such as the jitter of a trigger that has become a chain.
 */
export function planOverridden(override: Override, next: Definition, stored: Definition | null): OverriddenPlan {
  const changed = changedFields(override.declared, next);
  const declared = changed.length === 0 ? override.declared : next;
  if (override.deleted !== null || stored === null) {
    return { apply: null, override: { ...override, declared }, conflicts: changed, dropped: [] };
  }
  const differing = new Set(changedFields(stored, next));
  const fields = Object.fromEntries(Object.entries(override.fields).filter(([name]) => differing.has(name)));
  const names = Object.keys(fields);
  const kept = fitting(next, stored, names);
  const dropped = names.filter((name) => !kept.includes(name));
  if (kept.length === 0) return { apply: next, override: null, conflicts: [], dropped };
  return {
    apply: withFieldsOf(next, stored, kept),
    override: { ...override, fields: Object.fromEntries(kept.map((name) => [name, fields[name] as Edit])), declared },
    conflicts: changed.filter((name) => kept.includes(name)),
    dropped,
  };
}

/** Returns the overridden fields that leave the declaration valid: all of them, or each that does so on its own. */
function fitting(next: Definition, stored: Definition, names: readonly string[]): readonly string[] {
  const fits = (some: readonly string[]) => isValid(withFieldsOf(next, stored, some));
  if (fits(names)) return names;
  const each = names.filter((name) => fits([name]));
  return fits(each) ? each : [];
}

function isValid(definition: Definition): boolean {
  try {
    if (definition.what === 'job') checkJobDetail(definition.job);
    if (definition.what === 'trigger') validateTrigger(checkTrigger(definition.trigger));
    return true;
  } catch {
    return false;
  }
}
