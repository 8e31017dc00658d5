import { z } from 'zod';
import type { Run, RunListOptions } from '../../api/runs';
import type { Scheduler } from '../../api/scheduler';
import { given } from '../../base/given';
import { inSlices, mapping } from '../../base/steps';
import { DEFAULT_GROUP, formatKey, GroupMatcher } from '../../domain/keys';
import { LIMITS } from '../../domain/limits';
import { FAILED_OUTCOMES } from '../../domain/run-statistics';
import type { SchedulerControl } from '../../scheduler/control';
import { instant, pageFields, pageOf, textField } from '../fields';
import { action, query } from '../operation';
import { Problem } from '../problem';
import { outcomeField, runRow, runRowOf, runWhole, runWholeOf } from '../views/run-view';

export const runFilter = {
  job: textField(
    190,
    'Only runs of this job: `group/name`, a name in the group DEFAULT, or a name together with `jobGroup`.',
  ),
  jobGroup: textField(190, 'Only runs of jobs in this group.'),
  jobType: textField(LIMITS.jobType, 'Only runs of jobs of this type, such as those that `enqueue` has stored.'),
  trigger: textField(
    190,
    'Only runs of this trigger: `group/name`, a name in the group DEFAULT, or a name together with `triggerGroup`.',
  ),
  triggerGroup: textField(190, 'Group of `trigger`.'),
  occurrence: textField(
    LIMITS.occurrenceId,
    'Only runs of the occurrence with this id. Add its `trigger` for a faster search.',
  ),
  outcome: z.array(outcomeField).min(1).max(8).optional().describe('Only runs with one of these outcomes.'),
  node: textField(190, 'Only runs on the node with this instance id.'),
  since: instant.optional().describe('Only runs that ended at or after this time.'),
  until: instant.optional().describe('Only runs that ended before this time.'),
  search: textField(
    200,
    'Only runs with this text in the key of the job or trigger (`group/name`), or in the error. If few match, a page may be short; `next` ' +
      'continues the search.',
  ),
};

type RunFilter = z.output<z.ZodObject<typeof runFilter>>;

export function runOptions({ job, jobGroup, trigger, triggerGroup, since, until, ...rest }: RunFilter): RunListOptions {
  return {
    ...given(rest),
    ...(job !== undefined && { job: { name: job, group: jobGroup ?? DEFAULT_GROUP } }),
    ...(job === undefined && jobGroup !== undefined && { jobGroup: GroupMatcher.groupEquals(jobGroup) }),
    ...(trigger !== undefined && { trigger: { name: trigger, group: triggerGroup ?? DEFAULT_GROUP } }),
    ...(since !== undefined && { since: new Date(since) }),
    ...(until !== undefined && { until: new Date(until) }),
  };
}

export const runIdField = z
  .string()
  .min(1)
  .max(LIMITS.runId)
  .describe('Id of the run, as in lists, logs and `context.runId`.');

export const runsList = query({
  summary: 'Lists recorded runs that have ended, newest first.',
  http: { method: 'GET', path: '/runs' },
  command: {
    words: ['runs', 'list'],
    columns: ['runId', 'job.group', 'job.name', 'outcome', 'error', 'endTime', 'attempt', 'durationMs', 'instanceId'],
  },
  input: z.strictObject({ ...runFilter, ...pageFields() }),
  output: pageOf(runRow),
  async run({ control }, { limit, after, ...filter }) {
    const options = { ...runOptions(filter), limit, ...(after !== undefined && { after }) };
    const { items, next } = await control.listRuns(options);
    return { items: await inSlices(mapping(items, runRowOf), control.timeSlice()), next };
  },
});

/** Maximum number of runs in which to search for other attempts, before and after a run. */
const MAX_ATTEMPTS = 1_000;

export const runsShow = query({
  summary: 'Shows a run with its error, its log lines, and the other attempts of its occurrence.',
  http: { method: 'GET', path: '/runs/:runId' },
  command: { words: ['runs', 'show'], arguments: ['runId'] },
  input: z.strictObject({ runId: runIdField }),
  output: runWhole.extend({
    attempts: z
      .array(runRow)
      .describe(
        'Recorded runs of the occurrence, oldest first. Only runs before this one and the newest runs of the trigger are searched.',
      ),
    hasMoreAttempts: z
      .boolean()
      .describe(
        'True if some runs of the trigger were not searched: `runs.list` with `trigger` and `occurrence` may find more attempts.',
      ),
  }),
  async run({ scheduler, control }, { runId }) {
    const run = await findRun(scheduler, runId);
    const { attempts, isTruncated } = await attemptsOf(control, run);
    return { ...runWholeOf(run), attempts: attempts.map(runRowOf), hasMoreAttempts: isTruncated };
  },
});

export const runsRerun = action('operator', {
  summary: 'Reruns a failed occurrence immediately, with its scheduled time and data.',
  http: { method: 'POST', path: '/runs/:runId/rerun' },
  command: { words: ['runs', 'rerun'], arguments: ['runId'] },
  input: z.strictObject({ runId: runIdField }),
  output: z.object({ rerun: z.literal(true) }),
  async run({ scheduler, note }, { runId }) {
    const run = await findRun(scheduler, runId);
    note({ target: `run ${runId} of job ${formatKey(run.jobKey)}` });
    if ((await scheduler.rerun(runId)) === 1) return { rerun: true as const };
    throw new Problem('SCHEDULER_STATE', `The run cannot be rerun: ${reasonAgainst(run)}.`);
  },
});

/** Explains why a run could not be rerun. Uses the state that the run had before the attempt. */
function reasonAgainst({ outcome, canRerun, jobKey }: Run): string {
  if (canRerun) return `its job '${formatKey(jobKey)}' is no longer stored, or someone else has just rerun it`;
  if (!FAILED_OUTCOMES.includes(outcome)) return `its outcome is '${outcome}', and only failed runs can be rerun`;
  return 'it was already rerun or discarded, a retry follows it, or it was lost with its node';
}

async function findRun(scheduler: Scheduler, runId: string): Promise<Run> {
  const run = await scheduler.getRun(runId);
  if (run !== null) return run;
  const running = (await scheduler.listExecutingJobs()).find((each) => each.runId === runId);
  if (running !== undefined)
    throw new Problem(
      'NOT_FOUND',
      `Expected a run that has ended, but '${runId}' still runs on ${running.instanceId}. See \`firings.list\`.`,
    );
  throw new Problem(
    'NOT_FOUND',
    `Expected a recorded run with the id '${runId}', found none. Retention may have deleted it.`,
  );
}

/**
 * Returns the recorded attempts of the run's occurrence. Searches before and after the run separately, because a frequent trigger has many other runs
 * between two attempts. `isTruncated` is true if attempts may be missing, because a search reached its limit.
 */
async function attemptsOf(
  control: SchedulerControl,
  run: Run,
): Promise<{ attempts: readonly Run[]; isTruncated: boolean }> {
  const { triggerKey: trigger, occurrenceId: occurrence, scheduledFireTime, endTime } = run;
  const until = new Date(endTime.getTime() + 1);
  const [before, since] = await Promise.all([
    control.listRuns({ trigger, occurrence, since: scheduledFireTime, until, limit: MAX_ATTEMPTS }),
    control.listRuns({ trigger, occurrence, since: endTime, limit: MAX_ATTEMPTS }),
  ]);
  const found = new Map([...since.items, run, ...before.items].map((each) => [each.runId, each]));
  return { attempts: [...found.values()].sort(byEnd), isTruncated: before.next !== null || since.next !== null };
}

function byEnd(a: Run, b: Run): number {
  return a.endTime.getTime() - b.endTime.getTime() || (a.runId < b.runId ? -1 : 1);
}
