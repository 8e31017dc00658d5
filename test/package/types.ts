import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/** The strictest options of TypeScript, with library checks. */
const OPTIONS = {
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'ES2023',
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node'],
};

const OWN = 'claims.mts';

/** Lines that must not compile have a mark; TypeScript reports a mark without an error. */
const CLAIMS = `
import { createScheduler, type Configuration, type CreateSchedulerOptions, newJob } from 'quartz-ts';
import { createTestScheduler } from 'quartz-ts/testing';

const scheduler = await createScheduler({ database: 'mysql://user@host/db' }, { password: async () => 'token' });
await createScheduler({ database: './quartz.db' });
await createScheduler({ jobStore: { class: 'sqlite' }, threadPool: { threadCount: '\${THREADS:-3}' } });
await createScheduler('quartz.yaml', { logger: console });
await createTestScheduler({ config: { scheduler: { timeZone: 'UTC' } } });
const kept: Configuration = { plugin: { files: { class: 'scheduleFile', fileNames: ['a.yaml'] } } };
await createScheduler(kept, { pool: { getConnection() {} } });
const nest = { log() {}, error() {}, warn() {}, debug() {} };
const options: CreateSchedulerOptions = { logger: nest };

// @ts-expect-error a misspelt key
await createScheduler({ threadPol: { threadCount: 5 } });
// @ts-expect-error a misspelt key below one
await createScheduler({ threadPool: { threadCont: 5 } });
// @ts-expect-error dotted keys are for files
await createScheduler({ 'threadPool.threadCount': 5 });
// @ts-expect-error not a number
await createScheduler({ threadPool: { threadCount: 'many' } });
// @ts-expect-error not a store
await createScheduler({ jobStore: { class: 'oracle' } });
// @ts-expect-error a logger without methods
await createScheduler({}, { logger: {} });
// @ts-expect-error the second argument's
await createScheduler({ jobs: {} });

scheduler.registerJob('number', async () => 5);
await scheduler.schedule('number', { every: 'PT5M' }, async () => 5);
await scheduler.schedule('number', { cron: '0 0 6 * * ?', dialect: 'quartz' });
await scheduler.schedule('typed', { at: new Date(), data: { to: 'ops' } }, async ({ data }) => data.to.toUpperCase());
// @ts-expect-error two times
await scheduler.schedule('number', { cron: '0 0 6 * * ?', every: 5_000 });
// @ts-expect-error no time
await scheduler.schedule('number', { group: 'g' });
// @ts-expect-error a dialect of nothing
await scheduler.schedule('number', { every: 5_000, dialect: 'unix' });
export { newJob, options };
`;

/** Every TypeScript block of README, the guides and the page for users of other schedulers. Blocks in `typescript` are compiled, but not run. */
function documentedPrograms(): ReadonlyMap<string, string> {
  const guides = readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`);
  const blocks = ['README.md', 'docs/coming-from.md', ...guides].flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/```(?:ts|typescript)\n([\s\S]*?)```/g)].map(
      ([, text = ''], index) => [`${page.replace(/\W/g, '-')}-${index + 1}.mts`, text] as const,
    ),
  );
  return new Map(blocks);
}

/** `installed`: a folder in which the packed package is installed. */
export function describeTypes(installed: () => string): void {
  /** Compiles the files, and returns the errors. */
  function compile(files: ReadonlyMap<string, string>): readonly string[] {
    const folder = join(installed(), 'typed');
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: OPTIONS, files: [...files.keys()] }),
    );
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMPILER, '-p', folder, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const reported = (stdout + stderr).split('\n').filter((line) => line !== '');
    if (reported.length === 0 && status !== 0) throw new Error(`The compiler ended with ${status}.`);
    return reported;
  }

  describe('in strict TypeScript with library checks', () => {
    const documented = documentedPrograms();
    let complaints: readonly string[];

    beforeAll(() => {
      // What every TypeScript project on Node has, and what a guide installs; nothing else of ours.
      for (const each of ['@types/node', 'undici-types', '@opentelemetry', 'mysql2', 'sql-escaper']) {
        cpSync(join(ROOT, 'node_modules', each), join(installed(), 'node_modules', each), { recursive: true });
      }
      complaints = compile(new Map([...documented, [OWN, CLAIMS]])); // one compilation, so that the libraries are checked once
    }, 120_000);

    it('accepts valid options, and refuses unknown keys and schedules with two times or none', () => {
      expect(complaints.filter((line) => line.includes(OWN))).toEqual([]);
    });

    it('compiles every program of README, the guides and docs/coming-from.md', () => {
      expect(documented.size).toBeGreaterThan(10);
      expect([...documented.keys()].filter((name) => name.startsWith('docs-coming-from'))).toHaveLength(8);
      expect(complaints.filter((line) => !line.includes(OWN))).toEqual([]);
    });
  });
}
