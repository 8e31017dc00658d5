import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { freshDist } from '../support/fresh-dist';

/** Runs a program with a scheduler that has the job `hello`, and returns its standard error. */
function errorsOf(lines: string): string {
  const program = `
    const { createScheduler } = require(${JSON.stringify(join(freshDist(), 'index.js'))});
    (async () => {
      const scheduler = await createScheduler({}, { jobs: { hello: async () => {} }, unref: true });
      ${lines}
    })();`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  expect(status).toBe(0);
  return stderr;
}

const SCHEDULE = "await scheduler.schedule('hello', { every: '1h' });";

describe('the end of a process', () => {
  it('warns once about a scheduler that stored triggers and was never started', () => {
    const errors = errorsOf(`${SCHEDULE} await scheduler.enqueue('hello');`);
    expect(errors.match(/never started/g)).toHaveLength(1);
    expect(errors).toContain('QTZ106');
  });

  it.each([
    ['was started', `${SCHEDULE} await scheduler.start();`],
    ['was shut down, because it only schedules', `${SCHEDULE} await scheduler.shutdown();`],
    ['stored nothing', 'await scheduler.listJobs();'],
  ])('does not warn about a scheduler that %s', (_, lines) => {
    expect(errorsOf(lines)).not.toContain('never started');
  });
});
