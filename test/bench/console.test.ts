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

/** Maximum index entries read to count a list and to read one page, each with its row. */
const PAGE = 2_000;

/**
 * Maximum index entries read by a search that reads one part of a list: once to find its end, once for its content (MySQL counts both; MariaDB does
 * not count rows that an OFFSET skips). It does not grow with the table: in time order, other states are read only to the end of the first part.
 */
const PART = 10_000;

/** Operations that must not read the whole table, with their limits. There are twice as many runs as triggers. */
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
  'calendars.list': 6, // one of them reads who declared the calendars of the page
  'overview.show': 43, // 5 of them read the triggers that a calendar has ended
  'doctor.check': 120 + (2 * TRIGGERS * 8) / 500, // it reads at most 10,000 jobs and triggers, a page of 500 with 8 statements
};

describeOnOneServer('console operations on a database', () => {
  let all: readonly Answer[];

  beforeAll(async () => {
    freshDist();
    const server = await startServer(); // a private server, so that its counters include no other test
    all = await answers('--url', server.url);
    await server.stop();
  }, 180_000);

  it('run a bounded number of statements each', () => {
    expect(all.length).toBeGreaterThan(150);
    const many = all.filter(({ operation, statements }) => statements > (MAX_STATEMENTS[operation] ?? 45));
    expect(many).toEqual([]);
  });

  it.each(FEW)('%s (%s) reads no more index entries than its limit', (operation, what, most) => {
    const found = all.find((each) => each.operation === operation && each.what === what);
    expect(found?.read).toBeLessThanOrEqual(most);
  });
});
