import { z } from 'zod';
import { SchedulerError } from '../../base/errors';
import { maskValue } from '../../base/secrets';
import { ConfigurationError } from '../../config/problem';
import { changedTarget, targetName } from '../../domain/declaration';
import type { JsonValue } from '../../domain/job-data';
import { formatKey } from '../../domain/keys';
import type { ChangedField, PlannedChange } from '../../domain/plan-changes';
import { MAX_ATOMIC } from '../../domain/portions';
import { sameData } from '../../domain/same-data';
import { type ChangeSet, countsOf, type Outcomes, type ScheduleChange } from '../../domain/schedule-change';
import type { DeclaredPlan } from '../../scheduler/declared-set';
import type { ReadSchedule } from '../../scheduler/node/schedule-file-reader';
import { keyView } from '../fields';
import { authorOf, irreversible, type OperationContext, query, type Shown } from '../operation';
import { Problem } from '../problem';
import { defaultsOf, fieldsOfProblems } from '../read-definition';
import { instantOf } from '../views/plain';

const MAX_CHARACTERS = 4 * 1024 * 1024;

const fileFields = {
  text: z.string().max(MAX_CHARACTERS).describe('Text of a schedule file, as YAML or JSON.'),
  file: z
    .string()
    .max(190)
    .regex(/^[^/\\]+\.(ya?ml|json)$/i, 'expected a name that ends in .yaml, .yml or .json')
    .default('schedule.yaml')
    .describe('File name, for problem reports. Also the name of the declared set if the file names none.'),
};

/** Maximum number of definitions and commands in a file from a client, because a node sends all of them to its store in one message. */
const MAX_ENTRIES = 4_000;

type File = { readonly text: string; readonly file: string };

/** Maximum number of files of one actor that wait while another of the actor's files is processed. */
const MAX_WAITING_FILES = 4;

/** Last file and number of unfinished files of each actor. */
const FILES = new Map<string, { readonly last: Promise<unknown>; readonly count: number }>();

/** Runs `work` after the actor's earlier files, one at a time. Throws TOO_MANY_REQUESTS if more than 4 are waiting, because each occupies memory. */
async function oneAtATime<Done>({ name }: OperationContext['actor'], work: () => Promise<Done>): Promise<Done> {
  const { last, count } = FILES.get(name) ?? { last: Promise.resolve(), count: 0 };
  if (count > MAX_WAITING_FILES) {
    const message = `Expected at most ${MAX_WAITING_FILES} waiting schedule files per user, found more. Retry when they have been processed.`;
    throw new Problem('TOO_MANY_REQUESTS', message, { retryAfterS: 1 });
  }
  const done = last.then(work, work);
  FILES.set(name, { last: done, count: count + 1 });
  try {
    return await done;
  } finally {
    const { last: newest = done, count: left = 1 } = FILES.get(name) ?? {};
    if (left <= 1) FILES.delete(name);
    else FILES.set(name, { last: newest, count: left - 1 });
  }
}

/**
 * Reads the file and passes its changes to `work`. Processes the files of one actor one after another. Rejects with CONFIGURATION, which lists the
 * problems with their positions. If the store rejects a change, the error contains the position of the entry that caused it.
 */
function withFile<Done>(
  context: OperationContext,
  { text, file }: File,
  work: (schedule: ReadSchedule) => Promise<Done>,
): Promise<Done> {
  return oneAtATime(context.actor, async () => {
    const schedule = await readFile(context, { text, file });
    try {
      return await work(schedule);
    } catch (error) {
      throw await placed(schedule, error);
    } finally {
      await schedule.close();
    }
  });
}

async function readFile({ control, signal, ...context }: OperationContext, { text, file }: File) {
  try {
    return await control.readScheduleFile(text, file, {
      defaults: defaultsOf({ control, signal, ...context }),
      ...(context.actor.via !== 'command' && { maxEntries: MAX_ENTRIES }),
      signal,
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new Problem('CONFIGURATION', error.message, { fields: fieldsOfProblems(error.problems), cause: error });
  }
}

/** Adds the position in the file to an error of the scheduler. Returns any other error unchanged. */
async function placed({ placed: place }: ReadSchedule, error: unknown): Promise<unknown> {
  if (!(error instanceof SchedulerError)) return error;
  const refusal = await place(error);
  const [, line, column] = /^[^\n]*?:(\d+):(\d+)[ :]/.exec(refusal.message) ?? [];
  if (line === undefined) return refusal;
  const field = { field: '', message: error.message, line: Number(line), column: Number(column) };
  return new Problem(refusal.code, refusal.message, { fields: [field], cause: error });
}

const plannedChange = z.object({
  action: z.enum(['create', 'replace', 'unchanged', 'delete']),
  what: z.enum(['job', 'trigger', 'calendar']),
  group: z.string().nullable().describe('Null for a calendar.'),
  name: z.string(),
  fields: z
    .array(
      z.object({
        field: z
          .string()
          .describe('Name of the stored field, or `data.to` for a key of job data, whose values are not shown.'),
        before: z.unknown().optional(),
        after: z.unknown().optional(),
      }),
    )
    .describe('Fields whose values would change. Empty for a `replace` that stores the same values again.'),
  endedByCalendar: z
    .string()
    .optional()
    .describe(
      'Set for a trigger that would never fire again: the changed calendar that excludes all its fire times. Applying is refused unless the calendar sets `allowEnding`.',
    ),
  startsPaused: z.boolean().describe('True for a new trigger that would start paused because its group is paused.'),
  overridden: z
    .array(z.string())
    .optional()
    .describe('Fields that keep their manual edits; empty if the definition was deleted manually.'),
  conflicts: z.array(z.string()).optional().describe('Overridden fields whose declared value changes with this file.'),
});

function plannedChangeOf(change: PlannedChange): Shown<typeof plannedChange> {
  const {
    action,
    what,
    group,
    name,
    fields,
    startsPaused = false,
    overridden,
    conflicts = [],
    endedByCalendar,
  } = change;
  return {
    ...{ action, what, group, name, fields: fields.flatMap(fieldsOf), startsPaused },
    ...(overridden !== undefined && { overridden, conflicts }),
    ...(endedByCalendar !== undefined && { endedByCalendar }),
  };
}

/** Fields whose values the scheduler computes. A definition counts as unchanged even if these fields differ. */
const DERIVED = ['state', 'startTime', 'nextFireTime', 'previousFireTime', 'timesTriggered', 'ended'];

/** Replaces every secret with `***`. Otherwise, a caller who may plan but not apply could guess stored secrets by comparing them in plans. */
function withoutSecretValues(change: ScheduleChange): ScheduleChange {
  switch (change.type) {
    case 'storeJob':
      return { ...change, job: maskFields(change.job) };
    case 'storeTrigger':
    case 'replaceTrigger':
      return { ...change, trigger: maskFields(change.trigger) };
    case 'storeCalendar':
      return { ...change, calendar: maskFields(change.calendar) };
    default:
      return change;
  }
}

/** Fields that may contain arbitrary content, including secrets. */
const FREE_FIELDS = ['data', 'description', 'policy'];

function maskFields<Definition extends object>(definition: Definition): Definition {
  const masked = Object.entries(definition).filter(([name]) => FREE_FIELDS.includes(name));
  return { ...definition, ...Object.fromEntries(masked.map(([name, value]) => [name, maskField(name, value)])) };
}

const maskField = (name: string, value: unknown) =>
  (maskValue({ [name]: value }) as Readonly<Record<string, JsonValue | undefined>>)[name];

/** Returns the planned change without differences in secrets, as if the stored secrets were the same as in the file. */
function withoutComparedSecrets(change: PlannedChange): PlannedChange {
  const { conflicts } = change;
  const masked = change.fields.map(({ field, before, after }) => ({
    field,
    before: maskField(field, before),
    after: maskField(field, after),
  }));
  const fields = masked.filter(({ before, after }) => !sameData(before, after));
  const shown = conflicts ? { ...change, conflicts: conflicts.filter((name) => !FREE_FIELDS.includes(name)) } : change;
  if (fields.length === change.fields.length) return { ...shown, fields };
  const isUnchanged = fields.every(({ field }) => DERIVED.includes(field));
  return isUnchanged ? { ...shown, action: 'unchanged', fields: [] } : { ...shown, fields };
}

const TIMES = ['startTime', 'endTime', 'nextFireTime', 'previousFireTime'];

/** Converts a changed field for display. For job data, returns only the changed keys, because their values may be secret. */
function fieldsOf({ field, before, after }: ChangedField) {
  if (field === 'data') return changedKeys(before, after).map((key) => ({ field: `data.${key}` }));
  const isTime = TIMES.includes(field);
  const shown = (value: JsonValue | undefined) => (isTime && typeof value === 'number' ? instantOf(value) : value);
  return [
    {
      field,
      ...(before === undefined ? {} : { before: shown(before) }),
      ...(after === undefined ? {} : { after: shown(after) }),
    },
  ];
}

function changedKeys(before: JsonValue | undefined, after: JsonValue | undefined): readonly string[] {
  const [old, now] = [before, after].map((data) => (data ?? {}) as Readonly<Record<string, JsonValue>>);
  const keys = [...new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])];
  return keys.filter((key) => JSON.stringify(old?.[key]) !== JSON.stringify(now?.[key])).sort();
}

const MAX_RECORDED = 100;

/** Returns descriptions such as `created job reports/daily` or `deleted trigger reports/old`, at most 100. */
function changedKeysOf(changes: ChangeSet, outcomes: Outcomes): readonly string[] {
  const changed = outcomes.flatMap(({ status, deletedJobs, deletedTriggers }, index) => {
    const change = status === 'created' || status === 'replaced' ? changes[index] : undefined;
    const target = change && changedTarget(change);
    return [
      ...(target ? [`${status} ${target.what} ${targetName(target)}`] : []),
      ...deletedJobs.map((key) => `deleted job ${formatKey(key)}`),
      ...deletedTriggers.map((key) => `deleted trigger ${formatKey(key)}`),
    ];
  });
  return changed.slice(0, MAX_RECORDED);
}

const undeclared = z
  .array(keyView)
  .describe(
    'Triggers that the set declared before and the file no longer contains. They are kept because the file does not set prune.',
  );

const orphaned = z
  .array(
    z.object({ what: z.enum(['job', 'trigger', 'calendar']), group: z.string(), name: z.string(), set: z.string() }),
  )
  .describe('Items that no set declares any more after this file takes over part of another set. See `renamedFrom`.');

const planView = z.object({
  changed: z.boolean().describe('True if anything would be created, replaced or deleted.'),
  changes: z.array(plannedChange),
  undeclared,
  orphaned,
});

export type PlanView = Shown<typeof planView>;

/** Converts a plan to the form that interfaces show, without the values of job data. */
export function planViewOf({ changes, ...rest }: DeclaredPlan): PlanView {
  const changed = changes.some(
    ({ action, endedByCalendar }) => action !== 'unchanged' || endedByCalendar !== undefined,
  );
  return { changed, changes: changes.map(plannedChangeOf), ...rest };
}

export const schedulePlan = query({
  summary: 'Shows what applying a schedule file would change. Changes nothing.',
  http: { method: 'POST', path: '/schedule/plan' },
  command: { words: ['schedule', 'plan'], arguments: ['file'], textField: 'text' },
  input: z.strictObject(fileFields),
  output: planView,
  async run(context, input) {
    const isAdmin = context.actor.role === 'admin';
    const plan = await withFile(context, input, ({ changes, declared }) =>
      context.control.planDeclared(changes, declared, isAdmin ? undefined : withoutSecretValues),
    );
    return planViewOf(isAdmin ? plan : { ...plan, changes: plan.changes.map(withoutComparedSecrets) });
  },
});

export const scheduleApply = irreversible('admin', {
  summary: `Applies a schedule file. More than ${MAX_ATOMIC.toLocaleString('en')} changes are applied in portions, unless atomic.`,
  http: { method: 'POST', path: '/schedule/apply' },
  command: { words: ['schedule', 'apply'], arguments: ['file'], textField: 'text' },
  input: z.strictObject({
    ...fileFields,
    atomic: z
      .boolean()
      .default(false)
      .describe(
        'Apply all changes or none, in one transaction of any size. No trigger fires until the transaction is committed.',
      ),
  }),
  output: z.object({
    created: z.int(),
    replaced: z.int(),
    unchanged: z.int(),
    deleted: z
      .int()
      .describe(
        'Number of deleted jobs and triggers, including triggers deleted with their job and jobs deleted with their last trigger.',
      ),
  }),
  async run(context, input) {
    context.note({ target: input.file });
    const { changes, outcomes } = await withFile(context, input, async ({ changes, declared }) => {
      const settings = input.atomic ? { ...declared, atomic: true } : declared;
      return { changes, ...(await context.control.applyDeclared(changes, settings, authorOf(context))) };
    });
    const counts = countsOf(outcomes);
    context.note({ changes: { ...counts, changed: changedKeysOf(changes, outcomes) } });
    return counts;
  },
});
