import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freshDist } from '../support/fresh-dist';

const ROOT = resolve(__dirname, '../..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, code]) => code as string);
const { scripts } = require('../../package.json') as { scripts: Record<string, string> };

describe('README', () => {
  it('shows a code example of about ten lines that runs as it stands', () => {
    freshDist();
    const [example = ''] = blocks('ts');
    expect(example.trim().split('\n').length).toBeLessThanOrEqual(14);
    // Inside the repository the package's own name resolves to it, as it would for a user.
    const folder = join(ROOT, 'node_modules/.cache/readme');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'example.mjs'), example);
    const printed = execFileSync(process.execPath, ['example.mjs'], { cwd: folder, encoding: 'utf8', timeout: 15_000 });
    rmSync(folder, { recursive: true });
    expect(printed).toMatch(/^first report at \d{4}-.*\nreport to ops\n$/);
  });

  it('has one command to run and one to test, and both are scripts of the package', () => {
    const commands = blocks('sh')
      .flatMap((block) => block.split('\n'))
      .filter((line) => line.startsWith('npm '));
    expect(commands).toEqual(['npm ci && npm start', 'npm ci && npm test']);
    expect(scripts.start).toContain('--for 30s');
    expect(scripts.test).toContain('jest');
  });

  it('links only to files that exist', () => {
    const targets = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map(([, target]) => target as string);
    const missing = targets
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        try {
          readFileSync(join(ROOT, target));
          return false;
        } catch {
          return true;
        }
      });
    expect(missing).toEqual([]);
  });
});
