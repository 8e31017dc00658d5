import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from '@typescript/typescript6';
import { readYaml } from '../../src/config/read-yaml';
import { resolveDocument } from '../../src/config/resolve-config';
import { configurationReference } from '../support/configuration-reference';
import { configurationTypes } from '../support/configuration-types';

const PAGE = resolve(__dirname, '../../docs/reference/configuration.md');

it('docs/reference/configuration.md matches the schema (UPDATE_BASELINE=1 writes it)', () => {
  const page = configurationReference();
  if (process.env.UPDATE_BASELINE === '1') writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, 'utf8')).toBe(page);
});

it('src/config/configuration.ts matches the schema (UPDATE_BASELINE=1 writes it)', () => {
  const file = resolve(__dirname, '../../src/config/configuration.ts');
  const types = configurationTypes();
  if (process.env.UPDATE_BASELINE === '1') writeFileSync(file, types);
  expect(printed(readFileSync(file, 'utf8'))).toBe(printed(types));
});

it('docs/reference/configuration.md contains a valid example', () => {
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(configurationReference()) ?? [];
  const { config } = resolveDocument(readYaml(example, 'conf/quartz.yaml'), { APP_NAME: 'billing' });
  expect(config.threadPool.threadCount).toBe(10);
  expect(config.instanceName).toBe('billing');
  expect(config.plugins[0]?.settings.fileNames).toEqual(['conf/schedule.yaml', 'conf/holidays.yaml']);
});

it('docs/reference/configuration.md describes every key', () => {
  expect(configurationReference()).not.toMatch(/\|\s*(undefined)?\s*\|$/m);
});

/** Text of the source without formatting. */
function printed(text: string): string {
  return ts
    .createPrinter()
    .printFile(ts.createSourceFile('configuration.ts', text, ts.ScriptTarget.Latest))
    .replace(/\s+/g, ' ');
}
