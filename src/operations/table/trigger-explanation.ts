import { z } from 'zod';
import { toDate } from '../../api/trigger';
import { instant, keyFields } from '../fields';
import { findTrigger } from '../find-stored';
import { operation } from '../operation';
import { REASON_CODES, reasonsOf } from '../trigger-reasons';
import { instantOf } from '../views/plain';
import { stateField } from '../views/trigger-view';

export const triggersExplain = operation({
  summary: 'Says why a trigger does not fire now: its state, a pause, its job, the nodes, its time, what is busy.',
  role: 'viewer',
  effect: 'reads',
  http: { method: 'GET', path: '/triggers/:group/:name/explanation' },
  command: { words: ['triggers', 'explain'], aliases: [['explain']], arguments: ['name'] },
  input: z.strictObject(keyFields('trigger')),
  output: z.object({
    state: stateField,
    nextFireTime: instant.nullable(),
    reasons: z
      .array(z.object({ code: z.enum(REASON_CODES), text: z.string() }))
      .describe('What counts most comes first.'),
  }),
  async run(context, key) {
    const { scheduler, control } = context;
    const found = await findTrigger(context, key);
    const [job, nodes, executing] = await Promise.all([
      scheduler.getJobDetail(found.trigger.jobKey),
      scheduler.listNodes(),
      scheduler.listExecutingJobs(),
    ]);
    const known = { found, job, nodes, executing, workers: control.readRuntime(), now: control.now() };
    return {
      state: found.state,
      nextFireTime: instantOf(toDate(found.trigger.nextFireTime)),
      reasons: reasonsOf(known).map((reason) => ({ ...reason })),
    };
  },
});
