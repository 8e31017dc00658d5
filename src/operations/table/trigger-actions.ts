import { z } from 'zod';
import { keyFields } from '../fields';
import { findTrigger } from '../find-stored';
import { action } from '../operation';
import { pauseFields, pauseOptions, pauseReport } from './pauses';

export const triggersPause = action('operator', {
  summary: 'Pauses a trigger.',
  http: { method: 'POST', path: '/triggers/:group/:name/pause' },
  command: { words: ['triggers', 'pause'], aliases: [['pause', 'trigger']], arguments: ['name'] },
  input: z.strictObject({ ...keyFields('trigger'), ...pauseFields }),
  output: pauseReport,
  async run(context, { name, group, ...explanation }) {
    const { trigger } = await findTrigger(context, { name, group });
    return context.scheduler.pauseTrigger(trigger.key, pauseOptions(context, explanation));
  },
});

export const triggersResume = action('operator', {
  summary: 'Resumes a trigger. Missed fire times follow its misfire policy.',
  http: { method: 'POST', path: '/triggers/:group/:name/resume' },
  command: { words: ['triggers', 'resume'], aliases: [['resume', 'trigger']], arguments: ['name'] },
  input: z.strictObject(keyFields('trigger')),
  output: z.object({}),
  async run(context, given) {
    const { trigger } = await findTrigger(context, given);
    await context.scheduler.resumeTrigger(trigger.key);
    return {};
  },
});

export const triggersReset = action('operator', {
  summary: 'Resets a trigger in the state ERROR so that it fires again. No effect in other states.',
  http: { method: 'POST', path: '/triggers/:group/:name/reset' },
  command: { words: ['triggers', 'reset'], arguments: ['name'] },
  input: z.strictObject(keyFields('trigger')),
  output: z.object({}),
  async run(context, given) {
    const { trigger } = await findTrigger(context, given);
    await context.scheduler.resetTriggerFromErrorState(trigger.key);
    return {};
  },
});
