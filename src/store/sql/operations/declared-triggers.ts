import { type Declaration, type DeclaredKeys, sameDeclaration } from '../../../domain/declaration';
import { keyText, type TriggerKey } from '../../../domain/keys';
import { jobKeyColumns, jobKeyOf, keyList, triggerKeyOf } from '../rows/rows';
import type { SqlNode } from '../rows/sql-node';
import { selectByRows, writeEveryRow } from '../runtime/row-batches';
import type { SqlTransaction } from '../runtime/sql-driver';
import type { NamesInChanges } from './names-in-changes';

interface DeclaredRow {
  readonly TRIGGER_NAME: string;
  readonly TRIGGER_GROUP: string;
  readonly JOB_NAME: string;
  readonly JOB_GROUP: string;
  readonly DECLARED_SET: string | null;
  readonly DEFINITION: string | null;
}

/** What is remembered of a declared trigger, as it was read and as the change set leaves it; null: nothing. */
interface DeclaredDraft {
  readonly key: TriggerKey;
  readonly before: Declaration | null;
  now: Declaration | null;
}

/** What was declared of the triggers that a change set touches. */
export class DeclaredDrafts {
  readonly #drafts = new Map<string, DeclaredDraft>();

  get(key: TriggerKey): Declaration | null {
    return this.#drafts.get(keyText(key))?.now ?? null;
  }

  /** As it was read. */
  add(key: TriggerKey, before: Declaration): void {
    this.#drafts.set(keyText(key), { key, before, now: before });
  }

  /** Null: it is not declared any more. */
  set(key: TriggerKey, declaration: Declaration | null): void {
    const text = keyText(key);
    const draft = this.#drafts.get(text);
    if (draft !== undefined) draft.now = declaration;
    else if (declaration !== null) this.#drafts.set(text, { key, before: null, now: declaration });
  }

  forget(isMeant: (declared: DeclaredKeys) => boolean): void {
    for (const draft of this.#drafts.values()) {
      if (draft.now !== null && isMeant({ key: draft.key, jobKey: draft.now.jobKey })) draft.now = null;
    }
  }

  changed(): readonly DeclaredDraft[] {
    return [...this.#drafts.values()].filter(({ before, now }) => !sameDeclaration(before, now));
  }
}

/** Reads what is remembered of the triggers and jobs that the change set declares or deletes; nothing where it does neither. */
export async function loadDeclared(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  drafts: DeclaredDrafts,
  names: NamesInChanges,
): Promise<void> {
  const { declared, deletedJobs, triggerGroups, jobGroups, everything } = names;
  const isAnyMeant = everything || triggerGroups.length + jobGroups.length > 0;
  const rows = isAnyMeant
    ? await tx.all<DeclaredRow>('selectEveryDeclared', { schedName })
    : [
        ...(await selectByRows<DeclaredRow>(tx, 'selectDeclared', { schedName }, declared.map(keyList))),
        ...(await selectByRows<DeclaredRow>(tx, 'selectDeclaredOfJobs', { schedName }, deletedJobs.map(keyList))),
      ];
  for (const row of rows) drafts.add(triggerKeyOf(row), toDeclaration(row));
}

/** Writes what changed. */
export async function saveDeclared(tx: SqlTransaction, { schedName }: SqlNode, drafts: DeclaredDrafts): Promise<void> {
  const changed = drafts.changed();
  const gone = changed.filter(({ before }) => before !== null).map(({ key }) => keyList(key));
  await writeEveryRow(tx, 'deleteDeclared', { schedName }, gone);
  const rows = changed.flatMap(({ key, now }) => (now === null ? [] : [declaredColumns(key, now)]));
  await writeEveryRow(tx, 'insertDeclared', { schedName }, rows);
}

/** The declared triggers of a set. */
export async function selectDeclaredSet(
  tx: SqlTransaction,
  { schedName }: SqlNode,
  set: string,
): Promise<readonly TriggerKey[]> {
  const rows = await tx.all<DeclaredRow>('selectEveryDeclared', { schedName });
  return rows.filter(({ DECLARED_SET }) => DECLARED_SET === set).map(triggerKeyOf);
}

function toDeclaration(row: DeclaredRow): Declaration {
  return { jobKey: jobKeyOf(row), set: row.DECLARED_SET, definition: row.DEFINITION };
}

function declaredColumns(key: TriggerKey, { jobKey, set, definition }: Declaration) {
  return { triggerName: key.name, triggerGroup: key.group, ...jobKeyColumns(jobKey), set, definition };
}
