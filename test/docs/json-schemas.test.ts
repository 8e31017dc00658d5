import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { readYaml } from '../../src/config/read-yaml';
import { resolveDocument } from '../../src/config/resolve-config';
import { configurationSchema, scheduleFileJsonSchema } from '../support/json-schemas';

const ROOT = resolve(__dirname, '../..');
const SCHEMAS = {
  configuration: configurationSchema(),
  'schedule-file': scheduleFileJsonSchema(),
} as const;
type Kind = keyof typeof SCHEMAS;

const ajv = new Ajv({ strict: false, allErrors: true });
const validators = {
  configuration: ajv.compile(SCHEMAS.configuration),
  'schedule-file': ajv.compile(SCHEMAS['schedule-file']),
};
/** Paths of the errors that the schema finds in a text. */
function faultsOf(kind: Kind, text: string): readonly string[] {
  const isValid = validators[kind](parse(text));
  return isValid ? [] : [...new Set(validators[kind].errors?.map(({ instancePath }) => instancePath))];
}

const guides = readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`);
const pages = ['README.md', 'docs/reference/configuration.md', 'docs/reference/schedule-file.md', ...guides];
const documented = pages.flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/```ya?ml\n([\s\S]*?)```/g)].map(
    ([, text = ''], index) => [`${page} block ${index + 1}`, text] as const,
  ),
);
const isSchedule = (text: string) => /^(jobs|triggers|calendars|commands|directives|set|prune):/m.test(text);
const files = readdirSync(join(ROOT, 'config')).map(
  (name) => [name, readFileSync(join(ROOT, 'config', name), 'utf8')] as const,
);

describe('the JSON schemas', () => {
  it.each(
    Object.keys(SCHEMAS) as Kind[],
  )('match the program: schemas/%s.schema.json (UPDATE_BASELINE=1 writes it)', (kind) => {
    const file = join(ROOT, 'schemas', `${kind}.schema.json`);
    if (process.env.UPDATE_BASELINE === '1') writeFileSync(file, `${JSON.stringify(SCHEMAS[kind], null, 2)}\n`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(SCHEMAS[kind])));
  });

  it.each([...files, ...documented])('accept %s', (_, text) => {
    expect(faultsOf(isSchedule(text) ? 'schedule-file' : 'configuration', text)).toEqual([]);
  });

  it.each(files)('are named in the first line of config/%s', (name, text) => {
    const kind: Kind = name === 'schedule.yaml' ? 'schedule-file' : 'configuration';
    expect(text.split('\n')[0]).toBe(`# yaml-language-server: $schema=../schemas/${kind}.schema.json`);
  });

  it.each([
    ['configuration', 'threadPol: { threadCount: 3 }', ''],
    ['configuration', 'threadPool: { threadCont: 3 }', '/threadPool'],
    ['configuration', 'threadPool: { threadCount: many }', '/threadPool/threadCount'],
    ['configuration', 'threadPool: { threadCount: 0 }', '/threadPool/threadCount'],
    ['configuration', 'threadPool.threadCount: 10001', '/threadPool.threadCount'],
    ['configuration', 'jobStore: { class: oracle }', '/jobStore/class'],
    ['configuration', 'org.quartz.scheduler.instnceId: AUTO', ''],
    ['configuration', 'plugin: { x: { class: scheduleFile, file: a.yaml } }', '/plugin/x'],
    ['schedule-file', 'jobs: [{ name: a, triggers: [{ crn: 0 0 6 * * ? }] }]', '/jobs/0/triggers/0'],
    ['schedule-file', 'jobs: [{ group: a }]', '/jobs/0'],
    ['schedule-file', 'triggers: [{ name: a, job: b, priority: high }]', '/triggers/0/priority'],
    ['schedule-file', 'calendars: { a: { type: lunar } }', '/calendars/a'],
    ['schedule-file', 'job: []', ''],
  ] as const)('refuse the same as the program: %s %s', (kind, text, place) => {
    expect(faultsOf(kind, text)).toContain(place);
    if (kind === 'configuration') expect(() => resolveDocument(readYaml(text, 'a.yaml'), {})).toThrow(/expected/);
  });

  it.each([
    ["threadPool: { threadCount: '7' }"],
    [`threadPool.threadCount: \${THREADS:-3}`],
    ['org.quartz.jobStore.class: org.quartz.simpl.RAMJobStore'],
    ['org: { quartz: { threadPool: { threadCount: 3 } } }'],
    ['scheduler.skipUpdateCheck: true'],
    ['scheduler: { jobFactory.class: registered }'],
    ['database: ./quartz.db'],
    ['context.key.a.b: 5'],
  ])('accept the same as the program: %s', (text) => {
    expect(faultsOf('configuration', text)).toEqual([]);
    expect(resolveDocument(readYaml(text, 'a.yaml'), {}).config.instanceName).toBe('QuartzScheduler');
  });
});
