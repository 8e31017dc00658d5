import type { EpochMs } from '../base/clock';
import { changedFields, type Definition, withFieldsOf } from './definition-fields';
import type { JobDetail } from './job-detail';
import { checkJobDetail, checkTrigger } from './limits';
import { validateTrigger } from './trigger-behaviour';

/*
 * Overrides: manual edits of objects that code or a file declares. The store contains the object with its edited values. The override contains the
 * edited fields, their authors, and the declared definition, which can be restored.
 */

/** Effect of an edit. `override`: it remains until dropped. `codeWins`: the next declaration replaces it. `refuse`: it fails (DECLARED_ELSEWHERE). */
export type EditPolicy = (typeof EDIT_POLICIES)[number];

export const EDIT_POLICIES = ['override', 'codeWins', 'refuse'] as const;

/** Program or file that declares an object at every start. */
export interface Declarer {
  /** Declared set that the object belongs to; null: none. */
  readonly set: string | null;
  readonly kind?: 'code' | 'file';
  /** Name of the schedule file; absent if code declares the object. */
  readonly file?: string;
  /** Version of the program; absent: unknown. */
  readonly version?: string;
  /** Effect of manual edits of the object. Default: `override`. */
  readonly onEdit?: EditPolicy;
  /** Set to drop the override, so that the object is stored as declared. */
  readonly dropsOverride?: true;
}

export interface Author {
  /** Login, token name or operating-system user; null: the program itself. */
  readonly by: string | null;
  readonly via: 'console' | 'http' | 'command' | 'program';
}

export interface Edit extends Author {
  readonly at: EpochMs;
}

export interface Override {
  /** Edited fields, each with the author and time of its last edit; empty if the object was deleted. */
  readonly fields: Readonly<Record<string, Edit>>;
  /** Edit that deleted the object; null if the object was not deleted manually. */
  readonly deleted: Edit | null;
  /** Declared definition; null if this node could not read the stored object. */
  readonly declared: Definition | null;
  /** Non-durable job that was deleted with its last trigger; null: none. */
  readonly job: JobDetail | null;
}

/** Definition of an object before and after an edit; null where the object was not stored. */
interface EditedDefinition {
  readonly before: Definition | null;
  readonly after: Definition | null;
  readonly edit: Edit;
}

/** Returns the override after an edit; null if the object equals its declaration again, or if the declaration is unknown. */
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

interface OverriddenPlan {
  /** Definition to store. Null if nothing is stored, because the object was deleted manually or has ended. */
  readonly apply: Definition | null;
  /** Override that remains; null: none. */
  readonly override: Override | null;
  /** Edited fields whose declared values have changed. */
  readonly conflicts: readonly string[];
  /** Edited fields whose edits are dropped, because they are incompatible with the new declaration. */
  readonly dropped: readonly string[];
}

/**
 * Merges a new declaration with an override: edited fields keep their edited values, other fields get their declared values. An edit is dropped if
 * the declared value now equals it, or if the field is no longer valid, such as jitter after the trigger has become an AFTER trigger.
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

/** Edited fields that fit the new declaration: all, or only the fields that are valid individually, or none if these are not valid together. */
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
