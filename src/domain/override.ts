import type { EpochMs } from '../base/clock';
import { changedFields, type Definition, withFieldsOf } from './definition-fields';
import type { JobDetail } from './job-detail';
import { checkJobDetail, checkTrigger } from './limits';
import { validateTrigger } from './trigger-behaviour';

/*
 * What becomes of an edit of something that code or a file declares. The values of the edited fields are those that are stored; beside them
 * is kept which fields these are, who edited them, and what is declared, so that the declared definition can come back.
 */

/** What becomes of an edit of something declared: it stays as an override, the next declaration undoes it, or it is refused. */
export type EditPolicy = 'override' | 'codeWins' | 'refuse';

export const EDIT_POLICIES: readonly EditPolicy[] = ['override', 'codeWins', 'refuse'];

/** Who declares something again at every start. */
export interface Declarer {
  /** The set that it belongs to; null: it is declared by itself. */
  readonly set: string | null;
  readonly kind?: 'code' | 'file';
  /** The name of the file; absent: none. */
  readonly file?: string;
  /** The version of the program; absent: not known. */
  readonly version?: string;
  /** What becomes of edits. Default `override`. */
  readonly onEdit?: EditPolicy;
  /** Ends an override: what is declared is stored again. */
  readonly dropsOverride?: true;
}

/** Who edits something. */
export interface Author {
  /** A login, a token's name, a user of the operating system; null: the program itself. */
  readonly by: string | null;
  readonly via: 'console' | 'http' | 'command' | 'program';
}

/** An edit, and when it was made. */
export interface Edit extends Author {
  readonly at: EpochMs;
}

/** What was edited of a declared job, trigger or calendar. */
export interface Override {
  /** The edited fields; empty where it was deleted. */
  readonly fields: Readonly<Record<string, Edit>>;
  /** Who deleted it; null: it was edited. */
  readonly deleted: Edit | null;
  /** What is declared; null: what was stored could not be read. */
  readonly declared: Definition | null;
  /** The job that went with a deleted trigger; null: none did. */
  readonly job: JobDetail | null;
}

/** What is edited and how it was before and is now; null: not stored. */
export interface EditedDefinition {
  readonly before: Definition | null;
  readonly after: Definition | null;
  readonly edit: Edit;
}

/** The override after an edit; null: what is stored is what is declared. */
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

/** What a new declaration comes to where the last one is overridden. */
export interface OverriddenPlan {
  /** What is to be stored; null: nothing, because it was deleted or has ended. */
  readonly apply: Definition | null;
  /** What is left of the override; null: nothing. */
  readonly override: Override | null;
  /** The overridden fields that are declared otherwise than before. */
  readonly conflicts: readonly string[];
  /** The overridden fields that do not fit what is declared now: the declaration holds. */
  readonly dropped: readonly string[];
}

/**
 * Decides field by field: what was edited stays as it is stored, everything else follows the new declaration. A field that is declared as it
 * was edited is no longer overridden, nor is one that does not fit the rest of the declaration, as the jitter of a trigger that has become a chain.
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

/** The overridden fields that make something valid of the declaration: all, or each that does by itself. */
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
