import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RULE_DIFFERENCES } from '../../src/domain/rules';

const guide = readFileSync(resolve(__dirname, '../../docs/guides/migrating-from-quartz.md'), 'utf8');

it('the guide lists every rule that differs from Quartz, and no other', () => {
  const section = guide.split('\n## Fire times that differ, on purpose\n')[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  expect(rows.slice(1)).toEqual(RULE_DIFFERENCES.map(({ name, quartz, safe }) => `| ${name} | ${quartz} | ${safe} |`));
});
