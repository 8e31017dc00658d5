import { z } from 'zod';
import { calendarEntryOf, type Entry, jobEntryOf, triggerEntryOf } from '../../definitions/write-entries';
import { type Declaration, type DeclarationTarget, targetText } from '../../domain/declaration';
import type { Definition } from '../../domain/definition-fields';
import { timeView } from '../fields';
import type { OperationContext, Shown } from '../operation';

const kind = z.enum(['code', 'file', 'console', 'http', 'command']);
const edit = { by: z.string().nullable(), via: z.enum(['console', 'http', 'command', 'program']), at: timeView };

export const ownerView = z.object({
  kind: kind.describe('Declared by `code` or a `file`, or stored manually over `console`, `http` or `command`.'),
  set: z.string().nullable().describe('Name of the set that declares the definition.'),
  file: z.string().nullable(),
  version: z
    .string()
    .nullable()
    .describe('Version of the program that first declared the definition in its current form.'),
  by: z.string().nullable().describe('User who stored the definition manually or applied the file.'),
  at: timeView,
  onDeclaredEdit: z.enum(['override', 'codeWins', 'refuse']).describe('Policy for manual edits of the definition.'),
});

export const overrideView = z.object({
  deleted: z.object(edit).nullable().describe('Author of the deletion; null if the definition was not deleted.'),
  fields: z
    .array(z.object({ field: z.string(), ...edit }))
    .describe('Edited fields, with `schedule` for the schedule of a trigger and `data.to` for a key of job data.'),
  declared: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('The declared definition in the form of a schedule file.'),
});

export function ownerOf({ owner, set }: Declaration): Shown<typeof ownerView> {
  return { ...owner, set, onDeclaredEdit: owner.onEdit };
}

export function overrideOf({ override }: Declaration, now: number): Shown<typeof overrideView> | null {
  if (override === null) return null;
  const { deleted, fields, declared } = override;
  return {
    deleted,
    fields: Object.entries(fields).map(([field, edited]) => ({ ...edited, field })),
    declared: declared && declaredEntry(declared, now),
  };
}

function declaredEntry(declared: Definition, now: number): Entry {
  if (declared.what === 'job') return jobEntryOf(declared.job);
  if (declared.what === 'calendar') return calendarEntryOf(declared.calendar);
  const { startAt, ...entry } = triggerEntryOf(declared.trigger, now);
  return declared.isStartDefaulted || startAt === undefined ? entry : { ...entry, startAt };
}

export const ownershipFields = {
  owner: ownerView
    .nullable()
    .describe('Owner of the definition; null if a program or Java stored it without a declaration.'),
  override: overrideView.nullable().describe('Manual edits of the declared definition; null if there are none.'),
};

export async function ownershipOf({ control }: OperationContext, target: DeclarationTarget) {
  const [found = null] = await control.findDeclarations([target]);
  return { owner: found && ownerOf(found), override: found && overrideOf(found, control.now()) };
}

export const ownershipMark = {
  owner: kind.nullable().describe('Owner of the definition; null if unknown.'),
  isOverridden: z.boolean().describe('True if the declared definition was edited manually.'),
};

/** Reads the declarations of the targets. Returns a function that returns the ownership fields of a target. */
export async function ownershipMarks({ control }: OperationContext, targets: readonly DeclarationTarget[]) {
  const found = await control.findDeclarations(targets);
  const byText = new Map(found.map((each) => [targetText(each.target), each]));
  return (target: DeclarationTarget) => {
    const { owner, override = null } = byText.get(targetText(target)) ?? {};
    return { owner: owner?.kind ?? null, isOverridden: override !== null };
  };
}
