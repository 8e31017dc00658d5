import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findingsOf, play } from '../chaos/play';
import { toMarkdown } from '../chaos/report/markdown';
import type { RunOptions, Scenario } from '../chaos/scenario';
import { SCENARIOS } from '../chaos/scenarios';
import { flavoursOfRun, isServerSkipped } from '../support/database/test-database';
import { IS_LONG } from '../support/long-forms';
import { memoryFolder } from '../support/memory-folder.cjs';

/*
 * The short form of the chaos suite, with two scenarios. `npm run chaos` plays all of them, for any duration. Lateness is measured, but not checked
 * here.
 */

const TIMEOUT = 180_000;
/** Duration of each run: enough for several faults. */
const SECONDS = IS_LONG ? 12 : 9;

let folder: string;

beforeAll(() => {
  folder = memoryFolder('quartz-chaos-');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function prove(
  name: string,
  options: Pick<RunOptions, 'store' | 'seconds'> & Partial<RunOptions>,
): Promise<void> {
  const scenario = SCENARIOS.find((each) => each.name === name) as Scenario;
  const own = mkdtempSync(join(folder, 'run-'));
  const report = await play(scenario, { seed: 1, nodes: 3, share: 0.6, defaults: false, ...options, folder: own });
  process.stdout.write(toMarkdown([report], []));
  const findings = findingsOf({ ...report, violations: { ...report.violations, late: [] } });
  expect(findings).toEqual([]);
  expect(report.counts.expected).toBeGreaterThan(options.seconds * 100);
  expect(Object.keys(report.deeds)).not.toEqual([]);
}

const SERVERS = isServerSkipped ? [] : flavoursOfRun();

// Concurrently, because a run mostly waits.
it(
  'the scenarios kill on SQLite and database on a server have no findings',
  () =>
    Promise.all([
      prove('kill', { store: 'sqlite', seconds: SECONDS }),
      ...SERVERS.slice(0, 1).map((store) => prove('database', { store, seconds: SECONDS, defaults: true })),
    ]),
  TIMEOUT,
);
