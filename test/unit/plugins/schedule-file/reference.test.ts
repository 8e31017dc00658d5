import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseScheduleFile } from '../../../../src/plugins/schedule-file/parse-schedule-file';

const reference = readFileSync(join(__dirname, '../../../../docs/reference/schedule-file.md'), 'utf8');

describe('the reference of schedule files', () => {
  it('shows examples that are right', async () => {
    const examples = [...reference.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text as string);
    const files = examples.filter((text) => !text.startsWith('plugin:'));
    expect(files).toHaveLength(7);
    for (const text of files) await parseScheduleFile(text, 'example.yaml', { timeZone: 'UTC', now: 0 });
  });
});
