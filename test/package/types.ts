import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from '@typescript/typescript6';

const ROOT = resolve(__dirname, '../..');

/** As strict as TypeScript can be, and no library is spared. */
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
};

const OWN = 'claims.mts';

/** What must not compile is marked; TypeScript complains of a mark where nothing is wrong. */
const CLAIMS = `
import { createScheduler, type Configuration, type CreateSchedulerOptions, newJob } from 'quartz-ts';
import { createTestScheduler } from 'quartz-ts/testing';

const scheduler = await createScheduler({ database: 'mysql://user@host/db' }, { password: async () => 'token' });
await createScheduler({ database: './quartz.db' });
await createScheduler({ 'threadPool.threadCount': 5, 'org.quartz.scheduler.instanceId': 'AUTO', 'dataSource.main.URL': 'sqlite:x' });
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
// @ts-expect-error a misspelt dotted key
await createScheduler({ 'threadPool.threadCont': 5 });
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

/** Every TypeScript block of README, the guides and the page for users of other schedulers. */
function documentedPrograms(): ReadonlyMap<string, string> {
  const guides = readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`);
  const blocks = ['README.md', 'docs/coming-from.md', ...guides].flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(
      ([, text = ''], index) => [`${page.replace(/\W/g, '-')}-${index + 1}.mts`, text] as const,
    ),
  );
  return new Map(blocks);
}

/** `installed`: a folder in which the packed package is installed. */
export function describeTypes(installed: () => string): void {
  /** What the compiler says, by file. */
  function compile(files: ReadonlyMap<string, string>): readonly string[] {
    const folder = join(installed(), 'typed');
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    const names = [...files.keys()].map((name) => join(folder, name));
    const program = ts.createProgram(names, { ...OPTIONS, typeRoots: [join(installed(), 'node_modules/@types')] });
    return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
      return `${file?.fileName.replace(installed(), '')}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
  }

  describe('for TypeScript, strict and with every library checked,', () => {
    const documented = documentedPrograms();
    let complaints: readonly string[];

    beforeAll(() => {
      // What every TypeScript project on Node has, and what a guide installs; nothing else of ours.
      for (const each of ['@types/node', 'undici-types', '@opentelemetry']) {
        cpSync(join(ROOT, 'node_modules', each), join(installed(), 'node_modules', each), { recursive: true });
      }
      complaints = compile(new Map([...documented, [OWN, CLAIMS]])); // together: the libraries are checked once
    }, 120_000);

    it('accepts valid options, and refuses wrong keys, two times and no time', () => {
      expect(complaints.filter((line) => line.includes(OWN))).toEqual([]);
    });

    it('every program of README, the guides and docs/coming-from.md compiles', () => {
      expect(documented.size).toBeGreaterThan(10);
      expect([...documented.keys()].filter((name) => name.startsWith('docs-coming-from'))).toHaveLength(8);
      expect(complaints.filter((line) => !line.includes(OWN))).toEqual([]);
    });
  });
}
