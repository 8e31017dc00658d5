import { z } from 'zod';
import type { JobStatus } from '../../api/runs';
import { given } from '../../base/given';
import { jobEntryOf } from '../../definitions/write-entries';
import { targetOf } from '../../domain/declaration';
import { jobVersion } from '../../domain/definition-version';
import type { JobDetail } from '../../domain/job-detail';
import { jobCursor, jobPlace } from '../../store/list-cursor';
import { placeAfter } from '../cursor';
import { keyView, pageFields, pageOf, searchedKeyFields, searchField, textField, timeView, totalView } from '../fields';
import { findJob } from '../find-stored';
import { query, type Shown } from '../operation';
import { groupOf } from '../page-triggers';
import { ownershipFields, ownershipMark, ownershipMarks, ownershipOf } from '../views/owner-view';
import { runRow, runRowOf } from '../views/run-view';
import { triggerRow, triggerRowOf } from '../views/trigger-view';

export const jobFilter = {
  group: textField(190, 'Only jobs of this group.'),
  type: textField(250, 'Only jobs of this job type.'),
  search: searchField('the key, `group/name`'),
};

type JobFilter = z.output<z.ZodObject<typeof jobFilter>>;

export function jobQuery({ group, type, search }: JobFilter) {
  return given({ group: groupOf(group), jobType: type, search });
}

const jobRow = z.object({
  key: keyView,
  type: z.string(),
  description: z.string().nullable(),
  durable: z.boolean(),
  disallowConcurrentExecution: z.boolean(),
  persistJobDataAfterExecution: z.boolean(),
  requestsRecovery: z.boolean(),
  unreadable: z.string().nullable().describe('Reason why this node cannot read the definition; null if it can.'),
});

function jobRowOf(job: JobDetail): Shown<typeof jobRow> {
  return { ...job, type: job.jobType, unreadable: job.unreadable ?? null };
}

const percentile = z.number().nullable();
const percentiles = z.object({ p50: percentile, p95: percentile, p99: percentile });

const statusView = z.object({
  lastRun: runRow.nullable(),
  lastSuccess: runRow.nullable(),
  failuresInARow: z.int(),
  runs: z.int().describe('Number of runs in these statistics: the newest, at most 200.'),
  durationMs: percentiles,
  latenessMs: percentiles,
  nextFireTime: timeView.nullable(),
});

function statusOfJob({ lastRun, lastSuccess, ...status }: JobStatus): Shown<typeof statusView> {
  return { ...status, lastRun: lastRun && runRowOf(lastRun), lastSuccess: lastSuccess && runRowOf(lastSuccess) };
}

export const jobsList = query({
  summary: 'Lists the jobs, sorted by name and group.',
  http: { method: 'GET', path: '/jobs' },
  command: {
    words: ['jobs', 'list'],
    columns: ['key.group', 'key.name', 'type', 'durable', 'disallowConcurrentExecution', 'description'],
  },
  input: z.strictObject({ ...jobFilter, ...pageFields() }),
  output: pageOf(jobRow.extend(ownershipMark)).extend({ total: totalView }),
  async run(context, { limit, after, ...filter }) {
    const query = { ...jobQuery(filter), take: limit };
    const page = await context.control.pageJobs(
      after === undefined ? query : { ...query, after: placeAfter(after, jobPlace) },
    );
    const targets = page.items.map(({ key }) => targetOf('job', key));
    const markOf = await ownershipMarks(context, targets);
    return {
      items: page.items.map((job) => ({ ...jobRowOf(job), ...markOf(targetOf('job', job.key)) })),
      next: page.next && jobCursor(page.next),
      total: page.total,
    };
  },
});

/** Maximum number of triggers to list with their job. `triggers.list` returns all of them. */
const TRIGGERS_SHOWN = 100;

export const jobsShow = query({
  summary: 'Shows a job in the form of a schedule file, with its triggers and the statistics of its runs.',
  http: { method: 'GET', path: '/jobs/:group/:name' },
  command: { words: ['jobs', 'show'], arguments: ['name'] },
  input: z.strictObject(searchedKeyFields('job')),
  output: jobRow.extend({
    definition: z
      .record(z.string(), z.unknown())
      .describe('The job in the form of a schedule file, without its triggers. Secrets are shown as ***.'),
    version: z.string().describe('Version of the definition, for `ifVersion` of an edit.'),
    triggers: z
      .array(triggerRow)
      .describe(`The first ${TRIGGERS_SHOWN} triggers of the job, sorted by next fire time.`),
    triggerTotal: totalView,
    status: statusView,
    ...ownershipFields,
  }),
  async run(context, key) {
    const job = await findJob(context, key);
    const page = await context.control.firstTriggers({ jobKey: job.key, sort: 'nextFireTime', take: TRIGGERS_SHOWN });
    return {
      ...jobRowOf(job),
      definition: jobEntryOf(job),
      version: jobVersion(job, await context.control.versionKey()),
      triggers: page.items.map(triggerRowOf),
      triggerTotal: page.total,
      ...(await ownershipOf(context, targetOf('job', job.key))),
      status: statusOfJob(await context.scheduler.getJobStatus(job.key)),
    };
  },
});
