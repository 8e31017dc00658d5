import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshDist } from '../support/fresh-dist';

const DIST = freshDist();

/** The packages a program has loaded at its end. */
function packagesLoadedBy(program: string): readonly string[] {
  const list = `console.log(JSON.stringify(Object.keys(require.cache).flatMap((file) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file)?.[1] ?? [])))`;
  const text = `(async () => { ${program}; ${list} })()`;
  return [
    ...new Set(JSON.parse(execFileSync(process.execPath, ['-e', text], { encoding: 'utf8', cwd: DIST })) as string[]),
  ];
}

const CREATE =
  "const { createScheduler } = require('./scheduler/create-scheduler'); const quiet = { logger: require('pino').pino({ level: 'silent' }) };";

it('a scheduler without configuration loads no parser and no validation', () => {
  const packages = packagesLoadedBy(`${CREATE} await (await createScheduler(undefined, quiet)).shutdown()`);
  expect(packages).toContain('pino');
  for (const name of ['zod', 'yaml', 'dot-properties', 'commander', 'cronstrue', 'mysql2'])
    expect(packages).not.toContain(name);
});

it('the package itself loads no file parser and no validation', () => {
  const packages = packagesLoadedBy("require('./index'); require('./testing')");
  for (const name of ['zod', 'yaml', 'dot-properties', 'commander']) expect(packages).not.toContain(name);
});

it('a scheduler with an object as configuration loads no parser', () => {
  const packages = packagesLoadedBy(
    `${CREATE} await (await createScheduler({ threadPool: { threadCount: 1 } }, quiet)).shutdown()`,
  );
  expect(packages).toContain('zod');
  for (const name of ['yaml', 'dot-properties', 'commander']) expect(packages).not.toContain(name);
});

it('the command is an executable script', () => {
  expect(readFileSync(join(DIST, 'cli/main.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
});
