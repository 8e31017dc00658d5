import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseScheduleFile } from '../../../src/definitions/parse-schedule-file';
import { withTables } from '../../support/definition-reference';

const PAGE = join(__dirname, '../../../docs/reference/schedule-file.md');
const reference = readFileSync(PAGE, 'utf8');

describe('the reference page of schedule files', () => {
  it('contains the tables of job and trigger fields (UPDATE_BASELINE=1 writes them)', () => {
    const page = withTables(reference);
    if (process.env.UPDATE_BASELINE === '1') writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });

  it('contains only valid examples', async () => {
    const examples = [...reference.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text as string);
    const files = examples.filter((text) => !text.startsWith('plugin:'));
    expect(files).toHaveLength(7);
    for (const text of files) await parseScheduleFile(text, 'example.yaml', { timeZone: 'UTC', now: 0 });
  });
});
