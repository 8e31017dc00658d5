import { z } from 'zod';
import { inSlices, mapping } from '../../base/steps';
import { LIMITS } from '../../domain/limits';
import { pageFields, pageOf } from '../fields';
import { action, irreversible, type OperationContext, query } from '../operation';
import { Problem } from '../problem';
import { selectionText } from '../recorded-changes';
import { runRow, runRowOf } from '../views/run-view';
import { runFilter, runOptions } from './runs';

export const deadLettersList = query({
  summary: 'Lists the dead letters: runs that exhausted their retries and were neither rerun nor discarded.',
  http: { method: 'GET', path: '/dead-letters' },
  command: {
    words: ['deadletters', 'list'],
    columns: ['endTime', 'job.group', 'job.name', 'attempt', 'outcome', 'error', 'runId'],
  },
  input: z.strictObject({ ...runFilter, ...pageFields() }),
  output: pageOf(runRow),
  async run({ control }, { limit, after, ...filter }) {
    const options = { ...runOptions(filter), limit, ...(after !== undefined && { after }) };
    const { items, next } = await control.listRuns({ ...options, deadLetters: true });
    return { items: await inSlices(mapping(items, runRowOf), control.timeSlice()), next };
  },
});

/** Fields that select dead letters by run ids or by a filter. One of the two is required, so that no caller selects all dead letters by mistake. */
const which = {
  runIds: z
    .array(z.string().min(1).max(LIMITS.runId))
    .min(1)
    .max(1_000)
    .optional()
    .describe('Run ids of dead letters. A rerun also accepts other runs whose `canRerun` is true.'),
  all: z
    .boolean()
    .default(false)
    .describe('Select all dead letters that match the filter, or every dead letter if there is no filter.'),
  ...runFilter,
};

type Which = z.output<z.ZodObject<typeof which>>;

function chosen({ runIds, all, ...filter }: Which): readonly string[] | ReturnType<typeof runOptions> {
  if (runIds !== undefined && !all) return runIds;
  if (runIds === undefined && all) return runOptions(filter);
  throw new Problem(
    'INVALID_INPUT',
    'Expected either run ids or all (with or without a filter), found both or neither.',
  );
}

/** Applies the change. Adds the selection and the number of changed dead letters to the action log entry. */
async function counted(
  { note }: OperationContext,
  { all, ...selected }: Which,
  change: (which: ReturnType<typeof chosen>) => Promise<number>,
) {
  note({ target: `dead letters: ${selectionText(selected)}` });
  const done = await change(chosen({ all, ...selected }));
  note({ changes: { count: done } });
  return { count: done };
}

const count = z.object({ count: z.int().describe('Number of changed dead letters.') });

export const deadLettersRerun = action('operator', {
  summary: 'Reruns dead letters immediately, with their scheduled times and data.',
  http: { method: 'POST', path: '/dead-letters/rerun' },
  command: { words: ['deadletters', 'rerun'], aliases: [['rerun']], arguments: ['runIds'] },
  input: z.strictObject(which),
  output: count,
  run: (context, input) => counted(context, input, (which) => context.scheduler.rerun(which)),
});

export const deadLettersDiscard = irreversible('operator', {
  summary: 'Discards dead letters. The runs stay in the history as failed.',
  http: { method: 'POST', path: '/dead-letters/discard' },
  command: { words: ['deadletters', 'discard'], arguments: ['runIds'] },
  input: z.strictObject(which),
  output: count,
  run: (context, input) => counted(context, input, (which) => context.scheduler.discard(which)),
});

export const deadLettersSetRetries = action('operator', {
  summary: 'Sets the number of further attempts of failed occurrences. 0 turns waiting retries into dead letters.',
  http: { method: 'POST', path: '/dead-letters/set-retries' },
  command: { words: ['deadletters', 'set-retries'], arguments: ['runIds'] },
  input: z.strictObject({
    ...which,
    max: z
      .int()
      .min(0)
      .max(1_000)
      .describe(
        'Number of further attempts, including the rerun or the waiting retry. 0 turns a waiting retry into a dead letter.',
      ),
  }),
  output: count,
  run: (context, { max, ...input }) => counted(context, input, (which) => context.scheduler.setRetries(which, max)),
});
