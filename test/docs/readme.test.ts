import { spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readYaml } from '../../src/config/read-yaml';
import { resolveDocument } from '../../src/config/resolve-config';
import { folderWithPackage } from '../support/folder-with-package';
import { readme, readmeBlocks, readmeCommands } from '../support/readme';

const ROOT = resolve(__dirname, '../..');
const { scripts } = require('../../package.json') as { scripts: Record<string, string> };

/** Runs a program in a folder where the package is installed. Sends SIGTERM after it has printed `text`. */
async function runUntil(program: string, text: string, folder: string): Promise<string> {
  writeFileSync(join(folder, 'example.mjs'), program);
  const child = spawn(process.execPath, ['example.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += String(chunk);
    if (printed.endsWith(text)) child.kill('SIGTERM');
  });
  await new Promise((resolve) => child.on('exit', resolve));
  return printed;
}

describe('README', () => {
  it('begins with the installation and a program of five lines, which also runs a second time', async () => {
    expect(readmeCommands()[0]).toBe('npm install quartz-ts');
    const [example = ''] = readmeBlocks('ts');
    expect(example.split('\n').filter((line) => line !== '')).toHaveLength(5);
    const folder = folderWithPackage('readme');
    try {
      for (let start = 0; start < 2; start++)
        expect(await runUntil(example, 'hello\n', folder)).toMatch(/^(hello\n)+$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('fits into 150 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  it('has one command to run and one to test, and both are scripts of the package', () => {
    expect(readmeCommands().filter((line) => line.startsWith('npm '))).toEqual([
      'npm install quartz-ts',
      'npm ci && npm start',
      'npm ci && npm test',
    ]);
    expect(scripts.start).toBe('node dist/cli/main.js demo');
    expect(scripts.prestart).toBe('npm run -s build');
    expect(scripts.test).toContain('jest');
  });

  it('configures a database without a warning', () => {
    const [configuration = ''] = readmeBlocks('yml');
    const { config, warnings } = resolveDocument(readYaml(configuration, 'README.md'), { QUARTZ_DB_PASSWORD: 'x' });
    expect(config.jobStore).toMatchObject({
      sql: { schema: 'create', dataSource: { url: 'mysql://db.example/quartz' } },
    });
    expect(warnings).toEqual([]);
  });

  it('links only to files that exist', () => {
    const targets = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, target]) => target as string);
    const local = targets.filter((target) => !/^https?:/.test(target));
    expect(local.filter((target) => !existsSync(join(ROOT, target)))).toEqual([]);
  });
});
