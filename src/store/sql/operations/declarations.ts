import {
  type Declaration,
  type DeclarationTarget,
  type DeclaredKeys,
  type StoredDeclaration,
  sameDeclaration,
  targetText,
} from '../../../domain/declaration';
import { distinctKeys, type JobKey, jobKey } from '../../../domain/keys';
import type { NodeTransaction } from '../rows/node-transaction';
import { keyList } from '../rows/rows';
import { selectByRows, writeEveryRow } from '../runtime/row-batches';
import type { NamesInChanges } from './names-in-changes';

interface TargetRow {
  readonly SUBJECT: DeclarationTarget['what'];
  readonly SUBJECT_NAME: string;
  readonly SUBJECT_GROUP: string;
  readonly DECLARED_SET: string | null;
}

interface DeclaredRow extends TargetRow {
  readonly JOB_NAME: string | null;
  readonly JOB_GROUP: string | null;
  readonly DEFINITION: string | null;
  readonly OWNER: string;
  readonly EDITS: string | null;
}

/** Stored declaration of a target, and its declaration after the change set. Null if the target is not declared. */
interface DeclarationDraft {
  readonly target: DeclarationTarget;
  readonly before: Declaration | null;
  now: Declaration | null;
}

export class DeclarationDrafts {
  readonly #drafts = new Map<string, DeclarationDraft>();

  get(target: DeclarationTarget): Declaration | null {
    return this.#drafts.get(targetText(target))?.now ?? null;
  }

  /** Adds a stored declaration, unless its target already has a declaration. */
  add({ target, ...before }: StoredDeclaration): void {
    const text = targetText(target);
    if (!this.#drafts.has(text)) this.#drafts.set(text, { target, before, now: before });
  }

  /** Sets the declaration of a target; null removes it. */
  set(target: DeclarationTarget, declaration: Declaration | null): void {
    const text = targetText(target);
    const draft = this.#drafts.get(text);
    if (draft !== undefined) draft.now = declaration;
    else if (declaration !== null) this.#drafts.set(text, { target, before: null, now: declaration });
  }

  forget(isSelected: (declared: DeclaredKeys) => boolean): void {
    for (const draft of this.#drafts.values()) {
      if (draft.now !== null && isSelected({ target: draft.target, jobKey: draft.now.jobKey })) draft.now = null;
    }
  }

  changed(): readonly DeclarationDraft[] {
    return [...this.#drafts.values()].filter(({ before, now }) => !sameDeclaration(before, now));
  }
}

/**
 * Loads the declarations of the objects that the change set declares, edits or deletes. Loads all declarations if it deletes whole groups or the
 * whole schedule. `jobs`: jobs of the deleted triggers, which may be deleted with them.
 */
export async function loadDeclarations(
  tx: NodeTransaction,
  drafts: DeclarationDrafts,
  names: Pick<NamesInChanges, 'declared' | 'deletedJobs' | 'triggerGroups' | 'jobGroups' | 'everything'> & {
    readonly jobs: readonly JobKey[];
  },
): Promise<void> {
  const { declared, triggerGroups, jobGroups, everything } = names;
  const jobs = distinctKeys([...names.deletedJobs, ...names.jobs]);
  const isAnyMeant = everything || triggerGroups.length + jobGroups.length > 0;
  const rows = isAnyMeant
    ? await tx.all<DeclaredRow>('selectEveryDeclared')
    : [
        ...(await selectByRows<DeclaredRow>(tx, 'selectDeclared', declared.map(targetList))),
        ...(await selectByRows<DeclaredRow>(tx, 'selectDeclaredOfJobs', jobs.map(keyList))),
      ];
  for (const row of rows) drafts.add(toDeclaration(row));
}

export async function saveDeclarations(tx: NodeTransaction, drafts: DeclarationDrafts) {
  const changed = drafts.changed();
  const gone = changed.filter(({ before }) => before !== null).map(({ target }) => targetList(target));
  await writeEveryRow(tx, 'deleteDeclared', gone);
  const rows = changed.flatMap(({ target, now }) => (now === null ? [] : [columnsOf(target, now)]));
  await writeEveryRow(tx, 'insertDeclared', rows);
}

/** Returns the targets that these sets declare, each with the name of its set. */
export async function selectDeclaredSets(
  tx: NodeTransaction,
  sets: readonly string[],
): Promise<readonly (DeclarationTarget & { readonly set: string })[]> {
  const rows = await selectByRows<TargetRow>(tx, 'selectDeclaredSet', sets);
  return rows.map((row) => ({ ...targetIn(row), set: row.DECLARED_SET ?? '' }));
}

/** Returns the declarations of the targets. Leaves out targets without a declaration. */
export async function selectDeclarations(
  tx: NodeTransaction,
  targets: readonly DeclarationTarget[],
): Promise<readonly StoredDeclaration[]> {
  const rows = await selectByRows<DeclaredRow>(tx, 'selectDeclared', targets.map(targetList));
  return rows.map(toDeclaration);
}

/** Returns at most `take` declarations that were edited by hand, ordered by target. Starts after `after` (null: from the beginning). */
export async function selectOverrides(
  tx: NodeTransaction,
  { after, take }: { readonly after: DeclarationTarget | null; readonly take: number },
): Promise<readonly StoredDeclaration[]> {
  const { what: subject, group, name } = after ?? { what: '', group: '', name: '' };
  const rows = await tx.all<DeclaredRow>('selectEdited', { subject, group, name, limit: take });
  return rows.map(toDeclaration);
}

const targetList = ({ what, name, group }: DeclarationTarget) => [what, name, group];

function targetIn({ SUBJECT, SUBJECT_NAME, SUBJECT_GROUP }: TargetRow): DeclarationTarget {
  return { what: SUBJECT, name: SUBJECT_NAME, group: SUBJECT_GROUP };
}

function toDeclaration(row: DeclaredRow): StoredDeclaration {
  const { JOB_NAME, JOB_GROUP } = row;
  return {
    target: targetIn(row),
    jobKey: JOB_NAME === null || JOB_GROUP === null ? null : jobKey(JOB_NAME, JOB_GROUP),
    set: row.DECLARED_SET,
    definition: row.DEFINITION,
    owner: JSON.parse(row.OWNER),
    override: row.EDITS === null ? null : JSON.parse(row.EDITS),
  };
}

function columnsOf(
  { what, name, group }: DeclarationTarget,
  { jobKey: job, set, definition, owner, override }: Declaration,
) {
  return {
    ...{ subject: what, subjectName: name, subjectGroup: group, declaredSet: set, definition },
    ...{ jobName: job?.name ?? null, jobGroup: job?.group ?? null },
    ...{ owner: JSON.stringify(owner), isEdited: override === null ? 0 : 1 },
    edits: override === null ? null : JSON.stringify(override),
  };
}
