import type { EpochMs } from '../base/clock';
import { addAll } from '../base/lists';
import { type DeclarationTarget, isDeclared, type StoredDeclaration, targetOf } from '../domain/declaration';
import type { Definition } from '../domain/definition-fields';
import { type JobKey, sameKey } from '../domain/keys';
import type { Author, Declarer } from '../domain/override';
import type { ChangeSet, Outcomes } from '../domain/schedule-change';
import type { ScheduleReader } from '../store/job-store';
import type { SchedulerParts } from './scheduler-parts';

/** Reads declarations and manual edits of definitions, and reverts edits. All methods reject with SCHEDULER_STATE or STORE_FAILURE. */
export interface Ownership {
  /** Returns the declarations of the targets. Omits targets that are not declared. */
  findDeclarations(targets: readonly DeclarationTarget[]): Promise<readonly StoredDeclaration[]>;
  /** Pages through declared definitions that were edited manually, sorted by target. */
  pageOverrides: ScheduleReader['pageOverrides'];
  /** Replaces an edited definition with the declared one. Returns null if the definition was not edited manually or its declaration is unknown. */
  dropOverride(target: DeclarationTarget, author: Author): Promise<Outcomes | null>;
}

export function ownership({ store, usableStore, writer, clock }: SchedulerParts): Ownership {
  return {
    findDeclarations: async (targets) => usableStore().getDeclarations(targets),
    pageOverrides: async (query) => usableStore().pageOverrides(query),
    async dropOverride(target, author) {
      const [found] = await usableStore().getDeclarations([target]);
      if (found === undefined || found.override === null) return null;
      const changes = [...(await ofDeletedJob(found)), ...changesOf(found, clock.now())];
      return changes.length === 0 ? null : writer.apply(await withTriggers(found, changes), { author });
    },
  };

  /** Returns the changes that restore a deleted trigger's job, if the job was deleted with the trigger or before it; otherwise an empty array. */
  async function ofDeletedJob({ target, jobKey, override }: StoredDeclaration): Promise<ChangeSet> {
    if (target.what !== 'trigger' || jobKey === null || override?.deleted === null) return [];
    const [ofJob] = await store.getDeclarations([targetOf('job', jobKey)]);
    if (ofJob?.override?.deleted) return changesOf(ofJob, clock.now());
    const job = override?.job ?? null;
    return job === null
      ? []
      : [{ type: 'storeJob', job, ifExists: 'keep', requireTrigger: true, registeredLater: true }];
  }

  /** For a deleted job, adds the triggers that were deleted together with it, so that both are restored. */
  async function withTriggers({ target, jobKey, override }: StoredDeclaration, changes: ChangeSet): Promise<ChangeSet> {
    if (target.what !== 'job' || jobKey === null || !override?.deleted) return changes;
    const { at } = override.deleted;
    const deleted: StoredDeclaration[] = [];
    let after: DeclarationTarget | null = target;
    while (after !== null) {
      const page: readonly StoredDeclaration[] = await store.pageOverrides({ after, take: PAGE });
      const isSelected = (each: StoredDeclaration) => isOfJob(each, jobKey) && each.override?.deleted?.at === at;
      addAll(deleted, page.filter(isSelected));
      after = page.length < PAGE ? null : (page.at(-1)?.target ?? null);
    }
    return [...changes, ...deleted.flatMap((each) => changesOf(each, clock.now()))];
  }
}

const PAGE = 1_000;

const isOfJob = ({ jobKey }: StoredDeclaration, key: JobKey) => jobKey !== null && sameKey(jobKey, key);

/** Returns the changes that restore the last declaration. Does not restore a deleted trigger that fires once and whose start time has passed. */
function changesOf(found: StoredDeclaration, now: EpochMs): ChangeSet {
  const definition = found.override?.declared ?? null;
  if (definition === null || !isDeclared(found)) return [];
  const { kind, file, version, onEdit } = found.owner;
  const declared: Declarer = {
    set: found.set,
    kind: kind === 'file' ? 'file' : 'code',
    ...(file !== null && { file }),
    ...(version !== null && { version }),
    onEdit,
    dropsOverride: true,
  };
  return storing(definition, declared, { name: found.target.name, now, isDeleted: found.override?.deleted !== null });
}

function storing(
  definition: Definition,
  declared: Declarer,
  { name, now, isDeleted }: { readonly name: string; readonly now: EpochMs; readonly isDeleted: boolean },
): ChangeSet {
  switch (definition.what) {
    case 'job': {
      const { job } = definition;
      return [
        { type: 'storeJob', job, ifExists: 'replace', requireTrigger: !job.durable, registeredLater: true, declared },
      ];
    }
    case 'calendar': {
      const { calendar } = definition;
      return [{ type: 'storeCalendar', name, calendar, ifExists: 'replace', updateTriggers: true, declared }];
    }
    case 'trigger': {
      const { trigger, isStartDefaulted = false, isZoneDefaulted = false } = definition;
      const isOver = trigger.kind === 'SIMPLE' && trigger.repeatCount === 0 && trigger.startTime <= now;
      if (isDeleted && isOver) return [];
      const startTime = isDeleted ? Math.max(trigger.startTime, now) : trigger.startTime;
      const defaults = { startTimeDefaulted: isStartDefaulted, timeZoneDefaulted: isZoneDefaulted };
      return [{ type: 'storeTrigger', trigger: { ...trigger, startTime }, ifExists: 'replace', ...defaults, declared }];
    }
  }
}
