import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { freshDist } from '../support/fresh-dist';

const DIST = freshDist();

/** Modules loaded when a program ends: files of this package, and names of other packages. */
function loadedBy(program: string): { readonly files: readonly string[]; readonly packages: readonly string[] } {
  const text = `(async () => { ${program}; console.log(JSON.stringify(Object.keys(require.cache))) })()`;
  const printed = execFileSync(process.execPath, ['-e', text], { encoding: 'utf8', cwd: DIST });
  const loaded = JSON.parse(printed) as string[];
  const packages = loaded.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  const files = loaded.filter((file) => file.startsWith(DIST)).map((file) => relative(DIST, file));
  return { files: files.sort(), packages: [...new Set(packages)].sort() };
}

const OF_PINO = ['@pinojs/redact', 'atomic-sleep', 'on-exit-leak-free', 'pino', 'pino-std-serializers'];
const MORE_OF_PINO = ['quick-format-unescaped', 'safe-stable-stringify', 'sonic-boom', 'thread-stream'];
const PACKAGE = ['chunks/package.js', 'chunks/rolldown-runtime.js', 'index.js'];
const SCHEDULER = ['chunks/scheduler.js', ...PACKAGE].sort();

it('the package loads no scheduler, no cron parser and no logger', () => {
  expect(loadedBy("require('./index')")).toEqual({ files: PACKAGE, packages: [] });
});

it('a crontab expression and describeCron load no further package', () => {
  const { packages } = loadedBy(
    "const { CronExpression, describeCron } = require('./index'); new CronExpression('* * * * *', { dialect: 'unix' }); describeCron('0 0 12 * * ?')",
  );
  expect(packages).toEqual([]);
});

it('a scheduler without configuration loads no schemas and no database', () => {
  const { files, packages } = loadedBy(
    "const { createScheduler } = require('./index'); await (await createScheduler()).shutdown()",
  );
  expect(files).toEqual([...SCHEDULER, 'chunks/own-loggers.js'].sort());
  expect(packages).toEqual([...OF_PINO, ...MORE_OF_PINO].sort());
});

it('a scheduler with a configuration object and a logger loads the schemas, but no parser and no other logger', () => {
  const { files, packages } = loadedBy(
    "const { createScheduler } = require('./index'); await (await createScheduler({ threadPool: { threadCount: 1 } }, { logger: console })).shutdown()",
  );
  expect(files).toEqual([...SCHEDULER, 'chunks/configuration.js', 'chunks/zod.js'].sort());
  expect(packages).toEqual([]);
});

it('the thread of a database store loads no driver before it opens a database, no schemas and no parser', () => {
  const { files, packages } = loadedBy(
    "try { require('./scheduler/node/store-thread-entry') } catch (error) { if (!(error instanceof TypeError)) throw error }",
  );
  // Outside a thread, the entry throws after it has loaded its modules, so it is not in the list itself.
  expect(files).toEqual(['scheduler/node/lists.js', 'scheduler/node/rolldown-runtime.js']);
  expect(packages).toEqual([]);
});

it('the other entry points load no database driver', () => {
  for (const entry of ['./testing', './console', './opentelemetry']) {
    const { files, packages } = loadedBy(`require('${entry}')`);
    expect(packages).not.toContain('mysql2');
    expect(files).not.toContain('chunks/sql.js');
  }
  expect(loadedBy("require('./opentelemetry')").files).not.toContain('chunks/zod.js');
});

it('the command is an executable script', () => {
  expect(readFileSync(join(DIST, 'cli/main.js'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
});
