import { TimeSlice } from '../../src/base/yield-to-event-loop';
import { OPERATIONS } from '../../src/operations/operations';
import { perform } from '../../src/operations/perform';
import { countTurns, HastyClock } from '../support/turns';
import { type Asked, openAsked } from './support';

/** More runs than are searched before and after a run. */
const RUNS = 1_010;

let asked: Asked;

beforeAll(async () => {
  const fails = async () => {
    throw new Error('no');
  };
  asked = await openAsked('memory', { fails });
});

afterAll(() => asked.close());

test('a run is shown with the attempts of its own occurrence, however many runs its trigger has', async () => {
  await asked.ask('jobs.add', { name: 'often', type: 'fails', durable: true });
  await asked.ask('triggers.add', {
    ...{ name: 'often', job: 'often', startAt: new Date(Date.now() - 5_000).toISOString(), retry: 'R1/PT0.001S' },
    simple: { interval: 'PT0.001S', repeatCount: RUNS / 2 - 1 },
  });
  await asked.scheduler.start();
  const all = async () => {
    const { items, next } = await asked.ask('runs.list', { limit: 1_000 });
    return next === null ? items : [...items, ...(await asked.ask('runs.list', { limit: 1_000, after: next })).items];
  };
  const end = Date.now() + 30_000;
  let runs = await all();
  while (runs.length < RUNS && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    runs = await all();
  }
  const shown = async (run: (typeof runs)[number] | undefined) => {
    const { attempts, hasMoreAttempts } = await asked.ask('runs.show', { runId: run?.runId ?? '' });
    for (const each of attempts) expect(each.occurrenceId).toBe(run?.occurrenceId);
    return { attempts: attempts.map(({ attempt }) => attempt), hasMoreAttempts };
  };
  expect(runs).toHaveLength(RUNS);
  expect(await shown(runs[RUNS / 2])).toEqual({ attempts: [1, 2], hasMoreAttempts: false });
  expect(await shown(runs.at(-1))).toEqual({ attempts: [1, 2], hasMoreAttempts: false });
});

test.each(['runs.list', 'deadLetters.list'] as const)('%s builds a page in several time slices', async (name) => {
  const { scheduler, control } = asked;
  const caller = {
    scheduler,
    control: { ...control, timeSlice: () => new TimeSlice(new HastyClock()) },
    actor: { name: 'Ada', role: 'admin', via: 'http', from: null } as const,
    signal: new AbortController().signal,
  };
  const answer = () => perform({ name, operation: OPERATIONS[name] as never, input: { limit: 200 } }, caller);
  const { result, turns } = await countTurns(answer);
  expect(result).toHaveProperty('items.length', 200);
  // A slice for each row, for the end of the rows, and for returning, checking and masking the page.
  expect(turns).toBeGreaterThanOrEqual(204);
});
