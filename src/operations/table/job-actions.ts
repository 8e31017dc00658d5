import { z } from 'zod';
import type { JobData } from '../../domain/job-data';
import { keyFields, keyView } from '../fields';
import { findJob } from '../find-stored';
import { action } from '../operation';
import { pauseFields, pauseOptions, pauseReport, resumeFields } from './pauses';

export const jobsFire = action('operator', {
  summary: 'Runs a job once, now, independently of its triggers.',
  http: { method: 'POST', path: '/jobs/:group/:name/fire' },
  command: { words: ['jobs', 'fire'], aliases: [['fire']], arguments: ['name'] },
  input: z.strictObject({
    ...keyFields('job'),
    data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Job data of this run, which overrides the job's data."),
  }),
  output: z.object({ trigger: keyView.describe('The one-time trigger that was stored for the run.') }),
  async run({ scheduler }, { data, name, group }) {
    return { trigger: await scheduler.triggerJob({ name, group }, data as JobData | undefined) };
  },
});

export const jobsPause = action('operator', {
  summary: 'Pauses all current triggers of a job.',
  http: { method: 'POST', path: '/jobs/:group/:name/pause' },
  command: { words: ['jobs', 'pause'], aliases: [['pause', 'job']], arguments: ['name'] },
  input: z.strictObject({ ...keyFields('job'), ...pauseFields }),
  output: pauseReport,
  async run(context, { name, group, ...explanation }) {
    const { key } = await findJob(context, { name, group });
    return context.scheduler.pauseJob(key, pauseOptions(context, explanation));
  },
});

export const jobsResume = action('operator', {
  summary:
    "Resumes the triggers of a job. Pauses of single triggers stay, unless `alsoSingle` is set. Missed fire times follow each trigger's " +
    'misfire policy.',
  http: { method: 'POST', path: '/jobs/:group/:name/resume' },
  command: { words: ['jobs', 'resume'], aliases: [['resume', 'job']], arguments: ['name'] },
  input: z.strictObject({ ...keyFields('job'), ...resumeFields }),
  output: z.object({}),
  async run(context, { alsoSingle, ...given }) {
    const { key } = await findJob(context, given);
    await context.scheduler.resumeJob(key, { alsoSingle });
    return {};
  },
});

export const jobsInterrupt = action('operator', {
  summary: 'Interrupts all runs of a job on every node: aborts their signals. A job that ignores its signal continues.',
  http: { method: 'POST', path: '/jobs/:group/:name/interrupt' },
  command: { words: ['jobs', 'interrupt'], arguments: ['name'] },
  input: z.strictObject(keyFields('job')),
  output: z.object({ interrupted: z.boolean().describe('False if no run was executing.') }),
  async run(context, given) {
    const { key } = await findJob(context, given);
    return { interrupted: await context.scheduler.interrupt(key, { by: context.actor.name }) };
  },
});
