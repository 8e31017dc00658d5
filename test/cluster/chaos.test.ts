import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOnServer, sharedServer, startServer } from '../support/database/test-database';
import { type ChaosPlan, type ChaosResult, type Fault, runChaos } from './support/chaos';
import { CHAOS_SECONDS, CHAOS_SEED, IS_LONG, seededDraw } from './support/chaos-settings';
import { checkHistory, describeVerdict, errorsIn } from './support/check-history';
import { MIXED_LOADS } from './support/loads';
import { mysqlTables, sqliteTables } from './support/tables';

/*
 * Three nodes under load, of which some are killed. `npm run test:chaos` does it for minutes, with more kinds of faults:
 * CHAOS_SECONDS says for how long, CHAOS_SEED repeats a run.
 */

const PATIENCE = CHAOS_SECONDS * 1_000 + 120_000;

const SHORT: ChaosPlan = {
  loads: MIXED_LOADS,
  duration: 8_000,
  faults: [
    { fault: 'kill', pause: 2_300 },
    { fault: 'kill', pause: 1_700 },
  ],
  choices: [0, 1],
};

/** Faults at random, drawn from the seed. */
function longPlan(kinds: readonly Fault[]): ChaosPlan {
  const draw = seededDraw(CHAOS_SEED);
  const duration = CHAOS_SECONDS * 1_000;
  const faults: ChaosPlan['faults'][number][] = [];
  for (let time = 0; time < duration - 20_000; ) {
    const pause = 2_000 + draw(6_000);
    faults.push({ fault: kinds[draw(kinds.length)] as Fault, pause });
    time += pause + 2_000; // a fault takes its time too
  }
  return { loads: MIXED_LOADS, duration, faults, choices: faults.map(() => draw(1_000)) };
}

function judge({ run, rest }: ChaosResult): void {
  const verdict = checkHistory(run);
  process.stdout.write(`${expect.getState().currentTestName}\n  ${describeVerdict(verdict)}\n`);
  expect(Object.entries(verdict.violations).filter(([, found]) => found.length > 0)).toEqual([]);
  expect(verdict.counts.expected).toBeGreaterThan(800);
  expect(verdict.counts.interrupted).toBeGreaterThan(0);
  expect(verdict.counts.runAgain).toBeGreaterThan(0);
  expect(rest).toEqual({ firedRows: 0, states: {}, nodes: [], locks: 2 });
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quartz-chaos-'));
  if (IS_LONG) process.stdout.write(`CHAOS_SEED=${CHAOS_SEED} CHAOS_SECONDS=${CHAOS_SECONDS}\n`);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

if (!IS_LONG) {
  it(
    'kill -9 on SQLite: nothing twice, nothing lost but with its node, what asked for it run again',
    async () => {
      const result = await runChaos(sqliteTables(join(folder, 'short.db')), SHORT);
      judge(result);
      expect(errorsIn(result.run.history)).toEqual([]);
    },
    PATIENCE,
  );
} else {
  it(
    'faults of all kinds on SQLite',
    async () => {
      // No freeze: whoever is stopped while it writes keeps the file locked, and the others lose their leases too.
      judge(await runChaos(sqliteTables(join(folder, 'long.db')), longPlan(['kill', 'kill', 'leave'])));
    },
    PATIENCE,
  );
}

describeOnServer('on a server', () => {
  if (!IS_LONG) {
    it(
      'kill -9: nothing twice, nothing lost but with its node, what asked for it run again',
      async () => {
        const result = await runChaos(await mysqlTables(await sharedServer()), SHORT);
        judge(result);
        expect(errorsIn(result.run.history)).toEqual([]);
      },
      PATIENCE,
    );
  } else {
    it(
      'faults of all kinds, of the server too',
      async () => {
        const server = await startServer();
        try {
          const plan = longPlan(['kill', 'kill', 'leave', 'freeze', 'restartServer']);
          judge(await runChaos(await mysqlTables(server), { ...plan, server }));
        } finally {
          await server.stop();
        }
      },
      PATIENCE,
    );
  }
});
