import { z } from 'zod';
import type { JobData } from '../../domain/job-data';
import { keyFields, keyView } from '../fields';
import { findJob } from '../find-stored';
import { operation } from '../operation';
import { pauseFields, pauseOptions, pauseReport, reportOf } from './pauses';

export const jobsFire = operation({
  summary: 'Runs a job once, now, beside its triggers.',
  role: 'operator',
  effect: 'changes',
  http: { method: 'POST', path: '/jobs/:group/:name/fire' },
  command: { words: ['jobs', 'fire'], aliases: [['fire']], arguments: ['name'] },
  input: z.strictObject({
    ...keyFields('job'),
    data: z.record(z.string(), z.unknown()).optional().describe('Job data of this run; it overrides that of the job.'),
  }),
  output: z.object({ trigger: keyView.describe('The trigger that fires once for it.') }),
  async run({ scheduler }, { data, name, group }) {
    return { trigger: { ...(await scheduler.triggerJob({ name, group }, data as JobData | undefined)) } };
  },
});

export const jobsPause = operation({
  summary: 'Pauses all triggers that a job has now.',
  role: 'operator',
  effect: 'changes',
  http: { method: 'POST', path: '/jobs/:group/:name/pause' },
  command: { words: ['jobs', 'pause'], aliases: [['pause', 'job']], arguments: ['name'] },
  input: z.strictObject({ ...keyFields('job'), ...pauseFields }),
  output: pauseReport,
  async run(context, { name, group, ...said }) {
    const { key } = await findJob(context, { name, group });
    return reportOf(await context.scheduler.pauseJob(key, pauseOptions(context, said)));
  },
});

export const jobsResume = operation({
  summary: 'Resumes all triggers of a job; what they missed is handled by their misfire policies.',
  role: 'operator',
  effect: 'changes',
  http: { method: 'POST', path: '/jobs/:group/:name/resume' },
  command: { words: ['jobs', 'resume'], aliases: [['resume', 'job']], arguments: ['name'] },
  input: z.strictObject(keyFields('job')),
  output: z.object({}),
  async run(context, given) {
    const { key } = await findJob(context, given);
    await context.scheduler.resumeJob(key);
    return {};
  },
});

export const jobsInterrupt = operation({
  summary: 'Asks all executions of a job to stop, on every node.',
  role: 'operator',
  effect: 'changes',
  http: { method: 'POST', path: '/jobs/:group/:name/interrupt' },
  command: { words: ['jobs', 'interrupt'], arguments: ['name'] },
  input: z.strictObject(keyFields('job')),
  output: z.object({ interrupted: z.boolean().describe('False: none was running.') }),
  async run(context, given) {
    const { key } = await findJob(context, given);
    return { interrupted: await context.scheduler.interrupt(key) };
  },
});
