import { z } from 'zod';
import { readJob, readNewJob } from '../../definitions/read-entries';
import { jobEntryOf } from '../../definitions/write-entries';
import { jobVersion } from '../../domain/definition-version';
import type { JobData } from '../../domain/job-data';
import { formatKey } from '../../domain/keys';
import type { ChangeSet } from '../../domain/schedule-change';
import { type EditOptions, editFields, ifVersion, jobFields } from '../definition-fields';
import { editing, entryOf, keptData, mergedEntry, removeStored, requireRead } from '../edit-definition';
import { keyFields } from '../fields';
import { findJob, notStored } from '../find-stored';
import { action, authorOf, irreversible, type OperationContext } from '../operation';
import { Problem } from '../problem';
import { defaultsOf, reading } from '../read-definition';
import { countedKeys, fieldChanges } from '../recorded-changes';
import { withSecrets } from '../restore-secrets';

const edited = z.object({
  status: z.enum(['replaced', 'unchanged']),
  version: z.string().describe('Version of the stored definition.'),
});

export const jobsAdd = action('admin', {
  summary: 'Stores a new job, optionally with triggers.',
  http: { method: 'POST', path: '/jobs' },
  command: { words: ['jobs', 'add'], arguments: ['name'] },
  input: z.strictObject({
    ...keyFields('job'),
    ...jobFields,
    triggers: z
      .array(z.record(z.string(), z.unknown()))
      .max(200)
      .optional()
      .describe(
        'Triggers in the form of a schedule file. A job without triggers must be durable. For more than 200 use `schedule.apply`.',
      ),
  }),
  output: z.object({ version: z.string() }),
  async run(context, input) {
    const changes = reading(() => readNewJob(entryOf(input), defaultsOf(context)));
    await context.control.apply(changes, authorOf(context));
    // A non-durable job may already have run and been deleted.
    const added = changes.flatMap((change) => (change.type === 'storeJob' ? [change.job] : []))[0];
    const stored = (await context.scheduler.getJobDetail({ group: input.group, name: input.name })) ?? added;
    if (stored === undefined) throw notStored('job', input);
    return { version: jobVersion(stored, await context.control.versionKey()) };
  },
});

export const jobsEdit = action('admin', {
  summary: "Changes the given fields of a job's definition. Its triggers and current runs do not change.",
  http: { method: 'PUT', path: '/jobs/:group/:name' },
  command: { words: ['jobs', 'edit'], arguments: ['name'] },
  input: z.strictObject({ ...keyFields('job'), ...jobFields, ...editFields(jobFields) }),
  output: edited,
  run: (context, { clear, ifVersion: version, ...given }) =>
    editing(version, () => editJob(context, given, { clear, ifVersion: version })),
});

type GivenJob = z.output<z.ZodObject<ReturnType<typeof keyFields> & typeof jobFields>>;

async function editJob(context: OperationContext, given: GivenJob, { clear, ifVersion }: EditOptions) {
  const stored = await findJob(context, given);
  const versionKey = await context.control.versionKey();
  const version = jobVersion(stored, versionKey);
  requireRead(`job '${formatKey(given)}'`, version, ifVersion);
  if (stored.unreadable !== undefined) {
    throw new Problem('INVALID_JOB_DATA', `This node cannot read the job '${formatKey(given)}': ${stored.unreadable}`);
  }
  const { data, ...fields } = given;
  const own = data === undefined ? {} : { data: withSecrets(data as JobData, stored.data) };
  const entry = mergedEntry(jobEntryOf(stored), { ...fields, ...own }, clear);
  const change = reading(() => readJob(entry, defaultsOf(context)));
  const job = { ...change.job, data: keptData(change.job.data, stored.data) };
  const changes: ChangeSet = [
    { type: 'expect', what: 'job', key: stored.key, version, versionKey },
    // If the edit keeps the job type, the type is accepted even if no node can run it now.
    { ...change, job, registeredLater: given.registeredLater ?? job.jobType === stored.jobType },
  ];
  const [, outcome] = await context.control.apply(changes, authorOf(context));
  context.note({ changes: { fields: fieldChanges(jobEntryOf(stored), jobEntryOf(job)) } });
  const status = outcome?.status === 'replaced' ? ('replaced' as const) : ('unchanged' as const);
  return { status, version: jobVersion(await findJob(context, given), versionKey) };
}

export const jobsRemove = irreversible('admin', {
  summary:
    'Deletes a job with all its triggers. Current runs continue; waiting retries and recoveries become dead letters.',
  http: { method: 'DELETE', path: '/jobs/:group/:name' },
  command: { words: ['jobs', 'remove'], arguments: ['name'] },
  input: z.strictObject({ ...keyFields('job'), ifVersion }),
  output: z.object({ triggers: z.int().describe('Number of triggers deleted with the job.') }),
  async run(context, { ifVersion: version, ...key }) {
    const { deletedTriggers } = await removeStored(context, { type: 'deleteJob', key }, { what: 'job', key, version });
    context.note({ changes: countedKeys('triggers', deletedTriggers) });
    return { triggers: deletedTriggers.length };
  },
});
