import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describeOnOneServer, startServer } from '../support/database/test-database';
import { freshDist } from '../support/fresh-dist';

const MAIN = join(__dirname, '../../bench/main.mjs');
const TRIGGERS = 6_000;

interface Answer {
  readonly operation: string;
  readonly what: string;
  readonly statements: number;
  readonly read: number;
  readonly p99: number;
}

function answers(...args: readonly string[]): Promise<readonly Answer[]> {
  const short = ['--n', String(TRIGGERS), '--runs', '12000', '--overdue', '500', '--times', '0'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [MAIN, 'console', ...short, '--json', ...args], (error, out) => {
      if (error !== null) reject(error);
      else resolve(JSON.parse(out).rows);
    });
  });
}

/** What is counted of a list, and the page itself: each entry of an index, with the row it leads to. */
const PAGE = 2_000;

/**
 * What is searched in parts: the entries of one part, once to find its end, once for what is in it (MySQL counts both; MariaDB does not count the
 * rows that an OFFSET skips). It does not grow with the table: by time, each further state is read up to the end of the first alone.
 */
const PART = 10_000;

/** What must not read the whole table. There are twice as many runs as triggers. */
const FEW: readonly (readonly [string, string, number])[] = [
  ['jobs.list', 'all', PAGE],
  ['jobs.list', 'deep', 500],
  ['triggers.list', 'all, by name', PAGE],
  ['triggers.list', 'group of half, by name', PAGE],
  ['triggers.list', 'group of half, by time', PART],
  ['triggers.list', 'group and calendar, by name', 2 * PAGE],
  ['triggers.list', 'deep, by name', 1_000],
  ['triggers.list', 'text of none, by name', PART + 500],
  ['triggers.list', 'text of none, by time', PART + 500],
  ['jobs.list', 'text of none', PART + 500],
  ['runs.list', 'text of none', PART + 500],
  ['triggers.show', 'any', 100],
  ['triggers.explain', 'any', 2_000],
  ['runs.list', 'all', 500],
  ['runs.list', 'job of 400,000', 1_500],
  ['runs.list', 'job and failed', 500],
  ['runs.list', 'failed', 500],
  ['runs.list', 'deep', 500],
  ['runs.list', 'since 30 days until 29', 500],
  ['runs.show', 'any', 500],
  ['deadLetters.list', 'all', 500],
  ['overview.show', 'all', 2 * PAGE],
  ['timeline.show', 'two days', 2 * PAGE],
  ['overdue.list', 'all', 800],
  ['actions.list', 'actor', 500],
  ['pauses.list', 'all', 200],
  ['backfills.list', 'all', 50],
  ['calendars.list', 'all', 100],
];

const MAX_STATEMENTS: Readonly<Record<string, number>> = {
  'calendars.list': 6, // one of them reads who declared those of the page
  'overview.show': 43, // 5 of them read the triggers that a calendar has ended
  'doctor.check': 120 + (2 * TRIGGERS * 8) / 500, // it reads at most 10,000 jobs and triggers, a page of 500 with 8 statements
};

describeOnOneServer('what a console asks a database for', () => {
  let all: readonly Answer[];

  beforeAll(async () => {
    freshDist();
    const server = await startServer(); // of its own: its counters tell of nobody else
    all = await answers('--url', server.url);
    await server.stop();
  }, 180_000);

  it('is a bounded number of statements, whatever is asked', () => {
    expect(all.length).toBeGreaterThan(150);
    const many = all.filter(({ operation, statements }) => statements > (MAX_STATEMENTS[operation] ?? 45));
    expect(many).toEqual([]);
  });

  it.each(FEW)('%s (%s) reads no more of its indexes than it answers and counts', (operation, what, most) => {
    const found = all.find((each) => each.operation === operation && each.what === what);
    expect(found?.read).toBeLessThanOrEqual(most);
  });
});
