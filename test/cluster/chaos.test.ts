import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findingsOf, play } from '../chaos/play';
import { toMarkdown } from '../chaos/report/markdown';
import type { RunOptions, Scenario } from '../chaos/scenario';
import { SCENARIOS } from '../chaos/scenarios';
import { flavoursOfRun, isServerSkipped } from '../support/database/test-database';
import { memoryFolder } from '../support/memory-folder.cjs';

/*
 * The short form of the chaos suite, its faults on each server of the run: `npm run chaos` plays all of its scenarios, for as long as one likes. What it measures of
 * lateness is not judged here.
 */

const PATIENCE = 180_000;

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
  expect(report.counts.expected).toBeGreaterThan(options.seconds * ('play' in scenario ? 20 : 100));
  if (!('play' in scenario)) expect(Object.keys(report.deeds)).not.toEqual([]);
}

const SERVERS = isServerSkipped ? [] : flavoursOfRun();

// Two or three at a time: most of a run is waiting.
it(
  'kill -9 on SQLite, beside restarts of a server, lost connections and commits',
  () =>
    Promise.all([
      prove('kill', { store: 'sqlite', seconds: 12 }),
      ...SERVERS.slice(0, 1).map((store) => prove('database', { store, seconds: 12, defaults: true })),
    ]),
  PATIENCE,
);

it(
  'kill -9 on one server, SIGSTOP for about a lease on the other, jobs with policies on nodes that differ',
  () =>
    Promise.all([
      ...SERVERS.slice(0, 1).map((store) => prove('kill', { store, seconds: 10 })),
      ...SERVERS.slice(-1).map((store) => prove('freeze-short', { store, seconds: 10 })),
      prove('policies', { store: 'sqlite', seconds: 8 }),
    ]),
  PATIENCE,
);

it(
  'firings that share keys, of which five may run at once; parts, chains and checkpoints; a rate, and edits of what nodes declare while they are drained',
  () =>
    Promise.all([
      prove('further-runs', { store: 'sqlite', seconds: 10, share: 0.4 }),
      ...SERVERS.slice(0, 1).map((store) => prove('keyed', { store, seconds: 10, share: 0.2 })),
      ...SERVERS.slice(-1).map((store) => prove('crossings', { store, seconds: 10 })),
      ...SERVERS.slice(0, 1).map((store) => prove('operations', { store, seconds: 8 })),
    ]),
  PATIENCE,
);
