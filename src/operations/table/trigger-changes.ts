import { z } from 'zod';
import { readTrigger } from '../../definitions/read-entries';
import { triggerEntryOf } from '../../definitions/write-entries';
import { triggerVersion } from '../../domain/definition-version';
import type { JobData } from '../../domain/job-data';
import { formatKey } from '../../domain/keys';
import { keepsSchedule } from '../../domain/registration';
import type { ChangeOf, ChangeSet } from '../../domain/schedule-change';
import type { Trigger } from '../../domain/trigger';
import {
  type EditOptions,
  editFields,
  ifVersion,
  jobOfTrigger,
  newTriggerKey,
  triggerFields,
} from '../definition-fields';
import { editing, entryOf, keptData, mergedEntry, removeStored, requireRead } from '../edit-definition';
import { keyFields, keyView, timeView } from '../fields';
import { findTrigger } from '../find-stored';
import { action, authorOf, irreversible, type OperationContext } from '../operation';
import { Problem } from '../problem';
import { defaultsOf, reading } from '../read-definition';
import { countedKeys, fieldChanges } from '../recorded-changes';
import { withSecrets } from '../restore-secrets';

export const triggersAdd = action('admin', {
  summary: 'Stores a new trigger for a stored job.',
  http: { method: 'POST', path: '/triggers' },
  command: { words: ['triggers', 'add'], arguments: ['name', 'job'] },
  input: z.strictObject({ ...newTriggerKey, job: jobOfTrigger, ...triggerFields }),
  output: z.object({
    key: keyView,
    nextFireTime: timeView.nullable().describe('Null if the trigger waits for other jobs.'),
    startsPaused: z
      .boolean()
      .describe(
        'True if the group of the trigger is paused, so that the trigger does not fire until the group is resumed.',
      ),
    version: z.string(),
  }),
  async run(context, input) {
    const change = reading(() => readTrigger(entryOf(input), defaultsOf(context), 'fail'));
    const [outcome] = await context.control.apply([change], authorOf(context));
    // A trigger that fires once may already have fired and been deleted.
    const trigger = (await context.control.findTrigger(change.trigger.key))?.trigger ?? change.trigger;
    return {
      key: trigger.key,
      nextFireTime: outcome?.nextFireTime ?? null,
      startsPaused: outcome?.startsPaused === true,
      version: triggerVersion(trigger, await context.control.versionKey()),
    };
  },
});

const edited = z.object({
  status: z.enum(['replaced', 'unchanged']),
  nextFireTime: timeView.nullable(),
  version: z.string().describe('Version of the stored definition.'),
});

export const triggersEdit = action('admin', {
  summary:
    "Changes the given fields of a trigger's definition. A paused trigger stays paused, and past fire times do not fire again.",
  http: { method: 'PUT', path: '/triggers/:group/:name' },
  command: { words: ['triggers', 'edit'], arguments: ['name'] },
  input: z.strictObject({
    ...keyFields('trigger'),
    job: jobOfTrigger.optional(),
    ...triggerFields,
    ...editFields(triggerFields),
  }),
  output: edited,
  run: (context, { clear, ifVersion: version, ...given }) =>
    editing(version, () => editTrigger(context, given, { clear, ifVersion: version })),
});

type GivenTrigger = z.output<z.ZodObject<ReturnType<typeof keyFields> & typeof triggerFields>>;

async function editTrigger(context: OperationContext, given: GivenTrigger, { clear, ifVersion }: EditOptions) {
  const { trigger: stored } = await findTrigger(context, given);
  const versionKey = await context.control.versionKey();
  const version = triggerVersion(stored, versionKey);
  requireRead(`trigger '${formatKey(given)}'`, version, ifVersion);
  if (stored.unreadable !== undefined) {
    throw new Problem(
      'INVALID_TRIGGER',
      `This node cannot read the trigger '${formatKey(given)}': ${stored.unreadable}`,
    );
  }
  const change = editedTrigger(context, given, { stored, clear });
  const isSame = triggerVersion(asStored(change, stored), versionKey) === version;
  const key = stored.key;
  const changes: ChangeSet = [
    { type: 'expect', what: 'trigger', key, version, versionKey },
    // An unchanged definition is not stored again, because storing it would restart a trigger that has ended or failed.
    ...(isSame ? [] : [change]),
  ];
  await context.control.apply(changes, authorOf(context));
  const now = context.control.now();
  const fields = isSame ? [] : fieldChanges(triggerEntryOf(stored, now), triggerEntryOf(asStored(change, stored), now));
  context.note({ changes: { fields } });
  const { trigger } = await findTrigger(context, key);
  return {
    status: isSame ? ('unchanged' as const) : ('replaced' as const),
    nextFireTime: trigger.nextFireTime,
    version: triggerVersion(trigger, versionKey),
  };
}

function editedTrigger(
  context: OperationContext,
  given: GivenTrigger,
  { stored, clear }: { readonly stored: Trigger; readonly clear: readonly string[] | undefined },
): ChangeOf<'storeTrigger'> {
  const defaults = defaultsOf(context);
  const { data, ...fields } = given;
  const own = data === undefined ? {} : { data: withSecrets(data as JobData, stored.data) };
  const entry = mergedEntry(storedEntry(stored, defaults.now), { ...fields, ...own }, clear);
  const change = reading(() => readTrigger(entry, defaults, 'replace'));
  const edited = { ...change, trigger: { ...change.trigger, data: keptData(change.trigger.data, stored.data) } };
  if (!keepsSchedule(edited, stored)) return edited;
  // Without this, the start time would default to now, and a trigger that has ended would fire again.
  return { ...edited, trigger: { ...edited.trigger, startTime: stored.startTime }, startTimeDefaulted: false };
}

/** Returns the stored trigger as an entry, without a start time in the past: an unchanged schedule keeps its start time, a new one starts now. */
function storedEntry(stored: Trigger, now: number) {
  const { startAt, ...entry } = triggerEntryOf(stored, now);
  return startAt === undefined || stored.startTime <= now ? entry : { ...entry, startAt };
}

/** Returns the trigger with the values that the store would keep, for the comparison with the stored definition. */
function asStored(change: ChangeOf<'storeTrigger'>, stored: Trigger): Trigger {
  const { trigger } = change;
  if (!keepsSchedule(change, stored)) return trigger;
  const endTimeOfDay = 'endTimeOfDay' in stored ? { endTimeOfDay: stored.endTimeOfDay } : {};
  const timeZone = 'timeZone' in stored ? { timeZone: stored.timeZone } : {};
  return { ...trigger, startTime: stored.startTime, ...endTimeOfDay, ...timeZone } as Trigger;
}

export const triggersRemove = irreversible('admin', {
  summary:
    'Deletes a trigger, and its job if the job is not durable and has no other trigger. Waiting retries and recoveries become dead letters.',
  http: { method: 'DELETE', path: '/triggers/:group/:name' },
  command: { words: ['triggers', 'remove'], arguments: ['name'] },
  input: z.strictObject({ ...keyFields('trigger'), ifVersion }),
  output: z.object({
    jobs: z.array(keyView).describe('Job that was deleted with the trigger; null if the job was kept.'),
  }),
  async run(context, { ifVersion: version, ...key }) {
    const deletion = { type: 'deleteTrigger', key } as const;
    const { deletedJobs } = await removeStored(context, deletion, { what: 'trigger', key, version });
    context.note({ changes: countedKeys('jobs', deletedJobs) });
    return { jobs: deletedJobs };
  },
});
