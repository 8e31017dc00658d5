import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { allOperations } from '../../src/operations/operations';

const ROOT = resolve(__dirname, '../..');
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => join(folder, file));

/** Documents and examples for users. The changelog is not checked, because it names the former words. */
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  ...filesIn('docs', /\.md$/),
  ...filesIn('examples', /\.(md|mjs|ya?ml)$/),
];
const sources = [...filesIn('src', /\.ts$/), ...filesIn('demo', /\.ts$/), ...filesIn('web/src', /\.tsx?$/)];

/** Words that CONTRIBUTING.md ("Words") excludes, and the files that may contain them, for example to name Java's word. */
const FORBIDDEN: readonly { readonly word: string; readonly pattern: RegExp; readonly allowed: readonly string[] }[] = [
  {
    word: 'fireInstanceId',
    pattern: /fire[ _-]?instance[ _-]?id|firing[ _-]id/i,
    allowed: ['docs/guides/migrating-from-quartz.md', 'src/api/scheduler.ts'],
  },
  { word: '--tz', pattern: /--tz\b/, allowed: [] },
  {
    word: 'skip and take as paging options',
    pattern: /\{ ?(skip|take)\b|\b(skip|take): ?\d/,
    allowed: ['src/store/', 'src/operations/', 'src/scheduler/'],
  },
  {
    word: 'quartz-ts as the name of the command',
    pattern:
      /(?<!npx )\bquartz-ts (run|jobs|triggers|runs|plan|schedule|doctor|validate|cron|demo|init|migrate|console|top|tail|fire)\b/,
    allowed: ['src/scheduler/node/schedule-file-reader.ts'],
  },
  { word: '--no-dry-run', pattern: /--(no-)?dry-run\b/, allowed: [] },
  {
    word: 'GROUP.NAME',
    pattern: /\bGROUP\.NAME\b|[`'"]group\.name\b|\bDEFAULT\.[a-z]/,
    // Java's form, and the text that `H` hashes.
    allowed: ['docs/guides/migrating-from-quartz.md', 'docs/guides/cron.md', 'src/domain/cron/spread.ts'],
  },
  {
    word: 'NORMAL as a state',
    pattern: /\bNORMAL\b/,
    allowed: ['docs/guides/migrating-from-quartz.md', 'src/domain/trigger-state.ts'],
  },
  // A name of Node.js.
  { word: 'tz', pattern: /\btz\b/, allowed: ['src/base/version.ts'] },
  {
    word: 'cursor and offset as words of paging',
    pattern: /\breadonly cursor\b|`cursor`|--(cursor|offset)\b|[?&](cursor|offset)=|\boffset: ?\d{2}/,
    allowed: ['src/store/'],
  },
  { word: '[object Object]', pattern: /\[object Object\]/, allowed: ['src/base/error-values.ts'] },
  {
    word: '"not yet" of what the program cannot do',
    pattern: /: not yet\b|\bnot yet (supported|implemented|available|there)\b/i,
    allowed: ['src/api/reading.ts'],
  },
  { word: 'Resume node', pattern: /resume(s|d)? (the |a )?node/i, allowed: [] },
  {
    word: 'overdue, of nodes and triggers',
    pattern:
      /overdue (node|trigger)|(nodes? (is|are)|triggers (that )?(are|stay)) overdue|nodes?Overdue|overdueSince|past due|'alive' \| 'overdue'|State of="overdue" \/> The node/i,
    allowed: [],
  },
];

describe('the words of CONTRIBUTING.md', () => {
  const words = textOf('CONTRIBUTING.md').split('\n## Words\n')[1]?.split('\n## ')[0] ?? '';

  it.each(FORBIDDEN)('exclude $word from documents and sources', ({ pattern, allowed }) => {
    const mayStand = (file: string) => allowed.some((each) => file.startsWith(each));
    const found = [...documents, ...sources].filter((file) => !mayStand(file) && pattern.test(textOf(file)));
    expect(found).toEqual([]);
  });

  it.each([
    ['fireInstanceId', 'the fireInstanceId of a run'],
    ['--tz', 'quartz cron next --tz UTC'],
    ['skip and take as paging options', 'listRuns({ take: 10 })'],
    ['quartz-ts as the name of the command', 'quartz-ts run --config quartz.yaml'],
    ['--no-dry-run', 'quartz jobs remove-many --no-dry-run'],
    ['GROUP.NAME', "reported as `the trigger 'GROUP.NAME'`"],
    ['GROUP.NAME', "pauseJob('DEFAULT.mail')"],
    ['NORMAL as a state', 'in the state NORMAL'],
    ['tz', "{ cron: '0 0 6 * * ?', tz: 'UTC' }"],
    ['cursor and offset as words of paging', 'GET /runs?offset=20'],
    ['[object Object]', 'Default: `[object Object]`.'],
    ['"not yet" of what the program cannot do', 'The console, OpenAPI: not yet.'],
    ['Resume node', 'Resume node'],
    ['overdue, of nodes and triggers', 'the number of overdue triggers'],
    ['overdue, of nodes and triggers', 'These nodes are overdue'],
  ])('are searched by patterns that find %s', (word, text) => {
    const { pattern } = FORBIDDEN.find((each) => each.word === word) ?? {};
    expect(pattern?.test(text)).toBe(true);
  });

  it('allow groupEquals only as a member of GroupMatcher', () => {
    const exported = textOf('test/api/exports.txt').split('\n');
    expect(exported.filter((line) => / value group(Equals|StartsWith|EndsWith|Contains)$/.test(line))).toEqual([]);
    const declared = sources.filter((file) => /\bgroupEquals(: |\()\(?\w+: /.test(textOf(file)));
    expect(declared).toEqual(['src/domain/keys.ts']);
  });

  it('exclude skip, take, offset, tz and a bare id from the fields of operations', () => {
    const fields = allOperations().flatMap(([name, { input }]) =>
      Object.keys(input.shape).map((field) => `${name}: ${field}`),
    );
    expect(fields.filter((each) => /: (skip|take|offset|cursor|tz|id|ids)$/.test(each))).toEqual([]);
  });

  it('have a row with their meaning each', () => {
    const rows = [...words.matchAll(/^\| (\*\*.+?\*\*) \| (\S.+?) \|/gm)];
    const defined = rows.flatMap(([, bold = '']) => [...bold.matchAll(/\*\*(.+?)\*\*/g)].map(([, word]) => word));
    expect(defined).toEqual([
      ...['key', 'job type', 'trigger', 'occurrence', 'firing', 'run', 'run id', 'attempt', 'dead letter'],
      ...['declared', 'override', 'state', 'limit', 'after', 'next', 'time zone', 'duration', 'time'],
      ...['retry', 'recovery', 'backfill', 'catch-up', 'node', 'drain', 'undrain', 'silent', 'overdue'],
      ...['backlog', 'dry run'],
    ]);
  });
});
