import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { freshDist } from '../support/fresh-dist';
import { bytesIn, describeBundles } from './bundles';
import { describeTypes } from './types';

const ROOT = resolve(__dirname, '../..');
const BIN = join(ROOT, 'node_modules/.bin');
const MINUTES = 60_000;

const PROGRAM = `
  const scheduler = await createScheduler({}, { jobs: { hello: async () => {} } });
  const ran = new Promise((resolve) => scheduler.subscribe((event) => event.type === 'triggerCompleted' && resolve()));
  await scheduler.scheduleJob(newJob('hello').build(), newTrigger().build());
  await scheduler.start();
  await ran;
  await scheduler.shutdown({ waitForJobs: true });
  console.log('ran', typeof createTestScheduler);
`;
const NAMES = { main: 'createScheduler, newJob, newTrigger', testing: 'createTestScheduler' };
const AS_MODULE = `import { ${NAMES.main} } from 'quartz-ts'; import { ${NAMES.testing} } from 'quartz-ts/testing'; ${PROGRAM}`;
const AS_COMMONJS = `const { ${NAMES.main} } = require('quartz-ts'); const { ${NAMES.testing} } = require('quartz-ts/testing');
  (async () => { ${PROGRAM} })();`;

describe('the packed package', () => {
  let base: string;
  let folder: string;
  let tarball: string;

  beforeAll(() => {
    freshDist();
    base = mkdtempSync(join(tmpdir(), 'quartz-ts-pack-'));
    folder = join(base, 'somebody');
    mkdirSync(folder);
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' });
    tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'no tarball');
    writeFileSync(join(folder, 'package.json'), '{ "name": "somebody", "private": true }');
    execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], {
      cwd: folder,
      stdio: 'pipe',
    });
  }, 5 * MINUTES);

  afterAll(() => rmSync(base, { recursive: true, force: true }));

  const run = (file: string, text: string) => {
    writeFileSync(join(folder, file), text);
    return execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
  };

  it('weighs at most 8 MB, and 13 MB with the at most 21 packages that it needs', () => {
    const all = join(folder, 'node_modules');
    const names = readdirSync(all, { recursive: true, encoding: 'utf8' });
    const installed = names.filter((name) => /^(@[^/]+\/)?[^@./][^/]*\/package\.json$/.test(name));
    expect(installed.length).toBeGreaterThan(10);
    expect(installed.length).toBeLessThanOrEqual(22);
    expect(bytesIn(all)).toBeLessThan(13_000_000);
    expect(bytesIn(join(all, 'quartz-ts'))).toBeLessThan(8_000_000);
  });

  it('installs nothing that has a script of its own', () => {
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    expect(Object.keys(packages).length).toBeGreaterThan(10);
    expect(Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true)).toEqual([]);
  });

  it(
    'plays its demo in memory where Node has no SQLite, and gives the command that installs one',
    () => {
      // Packages in the folders above are not part of the installation.
      writeFileSync(
        join(folder, 'only-here.cjs'),
        `const Module = require('node:module'); const all = Module._nodeModulePaths;
        Module._nodeModulePaths = (from) => all(from).filter((path) => path.startsWith(__dirname));`,
      );
      const { status, stdout, stderr } = spawnSync(join(folder, 'node_modules/.bin/quartz'), ['demo', '--for', '15s'], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, NODE_OPTIONS: `--require ${join(folder, 'only-here.cjs')}` },
      });
      expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/ fired once, 0 twice/) });
      if (process.getBuiltinModule('node:sqlite') !== undefined) return expect(stderr).toBe('');
      expect(stdout).toMatch(/^1 node in memory …\nConsole: .*\n/);
      expect(stdout).not.toContain('killed.');
      const [warning, consequence] = stderr.split('\n');
      expect(warning).toMatch(
        /^warning: .*, found none\. Run: npm install @photostructure\/sqlite@~1\.2\.1 \(or .*\)\.$/,
      );
      expect(consequence).toBe(
        'The demo runs one node in memory, without a cluster: no node is killed, and none recovers its runs.',
      );
    },
    MINUTES,
  );

  it('names the command that installs the driver of MySQL and MariaDB', () => {
    const open = (url: string) =>
      `createScheduler({ database: '${url}' }).catch(({ code, message }) => console.log(code, message));`;
    const text = `const { createScheduler } = require('quartz-ts'); ${open('mysql://user@127.0.0.1:1/database')}`;
    expect(run('without-driver.cjs', text)).toBe(
      'CONFIGURATION The mysql job store needs the package mysql2 >= 3.24.5, found none. Run: npm install mysql2@3.\n',
    );
  });

  it('loads with import from an empty folder and runs a job', () => {
    expect(run('program.mjs', AS_MODULE)).toBe('ran function\n');
  });

  it('loads with require from an empty folder and runs a job', () => {
    expect(run('program.cjs', AS_COMMONJS)).toBe('ran function\n');
  });

  it('exports the same names to import and to require', () => {
    const entries = ['quartz-ts', 'quartz-ts/testing', 'quartz-ts/console'];
    const printed = run(
      'names.mjs',
      `import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      const namesOf = (entry) => Object.keys(entry).filter((name) => name !== 'default' && name !== '__esModule').sort();
      for (const name of ${JSON.stringify(entries)})
        console.log(JSON.stringify([namesOf(await import(name)), namesOf(require(name))]));`,
    );
    const lines = printed.trim().split('\n');
    expect(lines).toHaveLength(entries.length);
    for (const line of lines) {
      const [imported, required] = JSON.parse(line) as [string[], string[]];
      expect(imported).toEqual(required);
      expect(imported.length).toBeGreaterThan(0);
    }
  });

  it('uses OpenTelemetry only if its package is installed, and otherwise reports that it is missing', () => {
    const program = (plugin: string) => `
      const { createTestScheduler } = require('quartz-ts/testing');
      const { openTelemetryPlugin } = ${plugin};
      createTestScheduler({ plugins: [openTelemetryPlugin()] }).then(
        async ({ scheduler }) => { await scheduler.shutdown(); console.log('made'); },
        ({ code, message }) => console.log(code, message),
      );`;
    const asked = "require('quartz-ts/opentelemetry')";
    expect(existsSync(join(folder, 'node_modules/@opentelemetry'))).toBe(false);
    expect(run('otel.cjs', program(asked))).toMatch(/^CONFIGURATION .*npm install @opentelemetry\/api/);
    cpSync(join(ROOT, 'node_modules/@opentelemetry/api'), join(folder, 'node_modules/@opentelemetry/api'), {
      recursive: true,
    });
    const both = `import { createRequire } from 'node:module';
      import * as all from 'quartz-ts/opentelemetry';
      console.log(Object.keys(all).join(' '));
      const require = createRequire(import.meta.url);
      ${program(asked)}`;
    expect(run('otel.mjs', both)).toBe('openTelemetryPlugin\nmade\n');
    const [tool, bundle] = ['esbuild', join(folder, 'otel-bundle.cjs')];
    writeFileSync(join(folder, 'otel-app.cjs'), program(asked));
    execFileSync(
      join(BIN, tool),
      ['otel-app.cjs', '--bundle', '--platform=node', `--outfile=${bundle}`, '--log-level=error'],
      {
        cwd: folder,
      },
    );
    expect(execFileSync(process.execPath, [bundle], { cwd: folder, encoding: 'utf8' })).toBe('made\n');
    rmSync(join(folder, 'node_modules/@opentelemetry'), { recursive: true });
  });

  it('installs one command, which npx finds by the name of the package', () => {
    expect(existsSync(join(folder, 'node_modules/.bin/quartz-ts'))).toBe(false);
    for (const [program, ...args] of [
      [join(folder, 'node_modules/.bin/quartz')],
      ['npx', '--no-install', 'quartz-ts'],
    ]) {
      const printed = execFileSync(program as string, [...args, '--version'], { cwd: folder, encoding: 'utf8' });
      expect(printed.trim()).toBe((require('../../package.json') as { version: string }).version);
    }
  });

  it('contains the files that a user needs, and none of our tests and sources', () => {
    const root = join(folder, 'node_modules/quartz-ts');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.\w+$|LICENSE$/.test(file),
    );
    expect(files).toEqual(
      expect.arrayContaining([
        ...[
          'LICENSE',
          'README.md',
          'CHANGELOG.md',
          'dist/index.js',
          'dist/index.mjs',
          'dist/index.d.ts',
          'dist/index.d.mts',
        ],
        ...[
          'config/quartz.yaml',
          'config/cluster.yaml',
          'config/schedule.yaml',
          'examples/jobs.mjs',
          'docs/reference/configuration.md',
        ],
      ]),
    );
    const places = new Set(files.map((file) => file.split('/')[0] ?? ''));
    const expected = [
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'config',
      'dist',
      'docs',
      'examples',
      'package.json',
      'schemas',
      'sql',
    ];
    expect([...places].filter((place) => !place.startsWith('.')).sort()).toEqual(expected);
    expect(files.filter((file) => /\.(test|spec)\.|\.map$|(?<!\.d)\.m?ts$/.test(file))).toEqual([]);
    // The pages of the repository and of the registry load pictures from the repository.
    expect(files.filter((file) => file.endsWith('.png'))).toEqual([]);
  });

  it('links in its documents only to its own files, except for pictures', () => {
    const root = join(folder, 'node_modules/quartz-ts');
    const pages = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
    const dead = pages.flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^https?:|\.png$/.test(target) && !existsSync(join(root, dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    expect(pages.length).toBeGreaterThan(20);
    expect(dead).toEqual([]);
  });

  it('runs its example configuration, also a second time with the existing database file', () => {
    for (const each of ['@photostructure/sqlite', 'node-gyp-build'])
      cpSync(join(ROOT, 'node_modules', each), join(folder, 'node_modules', each), { recursive: true });
    const inside = join('node_modules', 'quartz-ts');
    const command = [
      'run',
      '--config',
      join(inside, 'config/quartz.yaml'),
      '--jobs',
      join(inside, 'examples/jobs.mjs'),
    ];
    const runOnce = () => {
      const args = [...command, '--for', '4s'];
      const { status, stdout, stderr } = spawnSync('node_modules/.bin/quartz', args, { cwd: folder, encoding: 'utf8' });
      expect(status).toBe(0);
      return { stdout, stderr };
    };
    const first = runOnce();
    expect(first.stdout).toMatch(/fired .*reports\/report/);
    expect(first.stderr).toContain('15 created');
    expect(readdirSync(folder)).toContain('quartz.db');
    const again = runOnce();
    expect(again.stdout).toMatch(/fired .*reports\/report/);
    expect(again.stderr).toContain('0 created');
  });

  describeBundles(() => folder); // before a driver is installed
  describeTypes(() => folder);

  it('passes publint', () => {
    expect(execFileSync(join(BIN, 'publint'), ['--strict', tarball], { encoding: 'utf8' })).toContain('All good');
  });

  it(
    'passes are-the-types-wrong',
    () => {
      expect(execFileSync(join(BIN, 'attw'), [tarball], { encoding: 'utf8' })).toContain('No problems found');
    },
    MINUTES,
  );
});
