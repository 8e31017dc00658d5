import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createDatabase, isServerSkipped, sharedServer, type TestDatabase } from '../support/database/test-database';
import { IS_LONG } from '../support/long-forms';

const BUNDLE = resolve(__dirname, 'support/bundle.cjs');
const MINUTE = 60_000;

/** Runs a job on the store of each configuration file of its arguments, and prints the store and the job data. */
const PROGRAM = `
async function run(file) {
  const scheduler = await createScheduler(file);
  const ran = new Promise((resolve) => scheduler.registerJob('count', async ({ data }) => resolve(data.by)));
  await scheduler.schedule('count', { every: 60_000, data: { by: 7 } });
  await scheduler.start();
  const by = await ran;
  const { jobStore } = scheduler.getMetaData();
  const refused = await scheduler.schedule('count', { cron: 'not one' }).catch((error) => error.name);
  await scheduler.shutdown({ waitForJobs: true });
  console.log(jobStore.name, by, refused);
}
(async () => { for (const file of process.argv.slice(2)) await run(file); })();
`;
const NAMES = 'createScheduler';
const ONE_NAME =
  "import { CronExpression } from 'quartz-ts'; console.log(new CronExpression('0 0 12 * * ?').toString());";
/** Maximum bytes of that bundle with the default options of each bundler: esbuild, Vite and ncc do not minify. */
const MAX_FOR_ONE_NAME = { esbuild: 90_000, webpack: 65_000, vite: 85_000, ncc: 85_000 };
/** All bundlers resolve the package by the same conditions, so the short form uses the fastest one. */
const TOOLS = (Object.keys(MAX_FOR_ONE_NAME) as (keyof typeof MAX_FOR_ONE_NAME)[]).filter(
  (tool) => IS_LONG || tool === 'esbuild',
);
/** The bundled package does not depend on the form of the program, so only the fastest bundler also bundles CommonJS. */
const formsOf = (tool: string) => (tool === 'esbuild' ? (['esm', 'cjs'] as const) : (['esm'] as const));

const execute = promisify(execFile);

/** `installed`: a folder in which the packed package is installed. */
export function describeBundles(installed: () => string): void {
  const folderOf = (name: string) => join(installed(), 'bundles', name);

  describe('a bundle', () => {
    let database: TestDatabase | undefined;

    beforeAll(async () => {
      writeFileSync(join(installed(), 'app.mjs'), `import { ${NAMES} } from 'quartz-ts'; ${PROGRAM}`);
      writeFileSync(join(installed(), 'app.cjs'), `const { ${NAMES} } = require('quartz-ts'); ${PROGRAM}`);
      writeFileSync(join(installed(), 'one-name.mjs'), ONE_NAME);
      if (!isServerSkipped) database = await createDatabase(await sharedServer());
    }, MINUTE);
    afterAll(() => database?.drop());

    describe.each(TOOLS)('made by %s', (tool) => {
      beforeAll(async () => {
        const programs = [
          ...formsOf(tool).map((form) => [form, form === 'esm' ? 'app.mjs' : 'app.cjs', `${tool}-${form}`] as const),
          ['esm', 'one-name.mjs', `${tool}-one-name`],
        ] as const;
        const args = programs.flatMap(([form, entry, name]) => [form, join(installed(), entry), folderOf(name)]);
        const { stdout } = await execute(process.execPath, [BUNDLE, tool, ...args], { cwd: installed() });
        expect(JSON.parse(stdout)).toEqual([]); // no warnings
      }, 5 * MINUTE);

      it.each(formsOf(tool))(
        'runs jobs on every store in a folder without the package: %s',
        async (form) => {
          const elsewhere = leaveTheProject(installed(), `${tool}-${form}`);
          const files = configurations(elsewhere, `${tool}-${form}`, database?.url);
          const program = join(elsewhere, form === 'esm' ? 'bundle.mjs' : 'bundle.cjs');
          // Another working directory: the binary is found next to the started program.
          const { stdout, stderr } = await execute(process.execPath, [program, ...files], { cwd: '/' });
          const lines = stdout.trim().split('\n');
          const server = database === undefined ? [] : [expect.stringMatching(/^(mariadb|mysql) /)];
          expect({ stderr, stores: lines }).toEqual({
            stderr: '',
            stores: [expect.stringMatching(/^memory /), expect.stringMatching(/^sqlite /), ...server],
          });
          for (const line of lines) expect(line.split(' ').slice(1)).toEqual(['7', 'CronSyntaxError']);
        },
        MINUTE,
      );

      it('contains only the needed code if it imports CronExpression alone', async () => {
        const folder = folderOf(`${tool}-one-name`);
        expect(bytesIn(folder)).toBeLessThan(MAX_FOR_ONE_NAME[tool]);
        const { stdout } = await execute(process.execPath, [join(folder, 'bundle.mjs')]);
        expect(stdout).toBe('0 0 12 * * ?\n');
      });
    });
  });
}

/** Sum of the sizes of the files in a folder. */
export function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => statSync(join(folder, file)));
  return files.filter((file) => file.isFile()).reduce((sum, { size }) => sum + size, 0);
}

/** Copies the bundle to a folder without the package, together with the one package that is not bundled. */
function leaveTheProject(installed: string, name: string): string {
  const elsewhere = join(installed, '..', name);
  cpSync(join(installed, 'bundles', name), elsewhere, { recursive: true });
  for (const each of ['@photostructure/sqlite', 'node-gyp-build']) {
    const from = join(installed, 'node_modules', each);
    if (existsSync(from)) cpSync(from, join(elsewhere, 'node_modules', each), { recursive: true });
  }
  return elsewhere;
}

/** Writes a configuration file for each available store. */
function configurations(folder: string, name: string, url: string | undefined): readonly string[] {
  const stores = [
    ['memory', null],
    ['sqlite', `sqlite:${folder}/q.db`],
    ...(url === undefined ? [] : [['mysql', url] as const]),
  ] as const;
  return stores.map(([store, URL]) => {
    const file = join(folder, `${store}.yaml`);
    const source = URL === null ? '' : `, dataSource: main, schema: create }\ndataSource.main: { URL: '${URL}'`;
    writeFileSync(
      file,
      `scheduler: { instanceName: ${name}, logLevel: error }\njobStore: { class: ${store}${source} }\n`,
    );
    return file;
  });
}
