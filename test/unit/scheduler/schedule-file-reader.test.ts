import { join } from 'node:path';
import { SchedulerError } from '../../../src/base/errors';
import type * as Reader from '../../../src/scheduler/node/schedule-file-reader';
import { freshModules } from '../../support/fresh-dist';

const defaults = { timeZone: 'UTC', now: 0 };
const { signal } = new AbortController();

/** A schedule file that is long enough to be read in a thread. */
const fileOf = (count: number) => {
  const jobs = Array.from({ length: count }, (_, index) => `  - { name: job-${index}, type: work, durable: true }`);
  return `set: many\njobs:\n${jobs.join('\n')}\n`;
};

describe('a long schedule file', () => {
  // The built package: the thread is a file of dist/.
  const { readScheduleFile } = require(join(freshModules(), 'scheduler/node/schedule-file-reader.js')) as typeof Reader;

  it('is read in a thread, which can locate its entries until it is closed', async () => {
    const read = await readScheduleFile(fileOf(1_000), 'many.yaml', { defaults, signal });
    expect(read.changes).toHaveLength(1_000);
    expect(read.changes[999]).toMatchObject({ type: 'storeJob', job: { key: { name: 'job-999' }, durable: true } });
    expect(read.declared).toEqual({ set: 'many', prune: false });
    const refused = new SchedulerError('OBJECT_ALREADY_EXISTS', "job 'DEFAULT/job-7' exists");
    expect(await read.placed(refused)).toMatchObject({ code: 'OBJECT_ALREADY_EXISTS' });
    await read.close();
    await expect(read.placed(refused)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('reports the same problems as a short file', async () => {
    const wrong = `${fileOf(1_000)}  - { name: last, typ: work }\n`;
    await expect(readScheduleFile(wrong, 'many.yaml', { defaults, signal })).rejects.toMatchObject({
      code: 'CONFIGURATION',
      problems: [
        { file: 'many.yaml', line: 1_003, path: 'jobs[1000]' },
        { file: 'many.yaml', line: 1_003, column: 19, path: 'jobs[1000].typ', suggestion: 'type' },
      ],
    });
  });

  it('is refused for its number of entries before its entries are checked', async () => {
    const wrong = `${fileOf(1_000)}  - { name: last, typ: work }\n`;
    await expect(readScheduleFile(wrong, 'many.yaml', { defaults, signal, maxEntries: 1_000 })).rejects.toMatchObject({
      code: 'CONFIGURATION',
      problems: [{ message: expect.stringContaining('found 1001') }],
    });
  });

  it('is no longer read after its signal aborts', async () => {
    const abort = new AbortController();
    const reading = readScheduleFile(fileOf(50_000), 'many.yaml', { defaults, signal: abort.signal });
    abort.abort();
    await expect(reading).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
