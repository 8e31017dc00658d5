import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { IS_LONG } from '../../support/long-forms';

const MODULES = resolve(__dirname, '../../../node_modules');
const CACHE = join(MODULES, '.cache/quartz-ts/compilers');

/** Supported versions of TypeScript, each with the path of its compiler. The short form uses the oldest and the newest. */
export const COMPILERS: readonly (readonly [version: string, path: () => string])[] = [
  ['5.4', () => fetched('5.4.5')],
  ...(IS_LONG ? ([['5.9', () => fetched('5.9.3')]] as const) : []),
  ...(IS_LONG ? ([['6', () => join(MODULES, '@typescript/old/lib/tsc.js')]] as const) : []),
  ['7', () => join(MODULES, 'typescript/bin/tsc')],
];

/** A compiler that is not among the development dependencies. Installed once, into the cache. */
function fetched(version: string): string {
  const folder = join(CACHE, version);
  const compiler = join(folder, 'node_modules/typescript/lib/tsc.js');
  if (existsSync(compiler)) return compiler;
  mkdirSync(folder, { recursive: true });
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--no-save'];
  execFileSync('npm', ['install', '--prefix', folder, ...options, `typescript@${version}`], { stdio: 'pipe' });
  return compiler;
}

/** First lines of the errors that the compiler reports for a project, by file and line, such as `valid:12`. */
export function compile(compiler: string, folder: string): ReadonlyMap<string, string> {
  const run = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
  const reported = (run.stdout + run.stderr).split('\n').filter((line) => line !== '' && !line.startsWith(' '));
  if (reported.length === 0 && run.status !== 0) throw new Error(`The compiler ended with ${run.status}.`);
  const found = new Map<string, string>();
  for (const line of reported) {
    const [, file, at, message] = /(\w+)\.mts\((\d+),\d+\): error TS\d+: (.*)$/.exec(line) ?? [];
    if (message === undefined) throw new Error(line);
    if (!found.has(`${file}:${at}`)) found.set(`${file}:${at}`, message);
  }
  return found;
}
