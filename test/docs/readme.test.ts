import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freshDist } from '../support/fresh-dist';

const ROOT = resolve(__dirname, '../..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, code]) => code as string);
const { scripts } = require('../../package.json') as { scripts: Record<string, string> };

/** Runs a program in a folder where the package is installed; once it has printed `text`, asks it to end. */
async function runUntil(program: string, text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-ts-readme-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/quartz-ts'));
  writeFileSync(join(folder, 'example.mjs'), program);
  const child = spawn(process.execPath, ['example.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += String(chunk);
    if (printed.endsWith(text)) child.kill('SIGTERM');
  });
  await new Promise((resolve) => child.on('exit', resolve));
  rmSync(folder, { recursive: true });
  return printed;
}

describe('README', () => {
  it('shows a code example of about ten lines that runs as it stands', async () => {
    freshDist();
    const [example = ''] = blocks('ts');
    expect(example.trim().split('\n').length).toBeLessThanOrEqual(14);
    const printed = await runUntil(example, 'report to ops\n');
    expect(printed).toMatch(/^first report at \d{4}-.*\nreport to ops\n$/);
  });

  it('has one command to run and one to test, and both are scripts of the package', () => {
    const commands = blocks('sh')
      .flatMap((block) => block.split('\n'))
      .filter((line) => line.startsWith('npm '));
    expect(commands).toEqual(['npm ci && npm start', 'npm ci && npm test']);
    expect(scripts.start).toContain('run --config config/quartz.yaml');
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
