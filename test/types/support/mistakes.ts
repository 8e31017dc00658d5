/** A mistake: its name, the options of a schedule that contain it, and the expected text of the error's first line. */
type Mistake = readonly [name: string, options: string, expected: RegExp];

/** Declarations that precede the programs. */
export const DECLARATIONS = `
import { createScheduler, cronSchedule } from 'quartz-ts';
import type { JobExecutionContext, Jobs, Scheduler, ScheduleOptions, ScheduleSettings, TransactionScheduler } from 'quartz-ts';
const mail = async ({ data }: JobExecutionContext<{ to: string; subject?: string }>) => data.to;
const report = async () => {};
const open = async ({ data }: JobExecutionContext) => data;
class Pages { async execute({ data }: JobExecutionContext<{ pages: number }>) { return data.pages; } }
const JOBS = { mail, report, open, pages: Pages };
declare const typed: Scheduler<typeof JOBS>;
declare const plain: Scheduler;
declare const text: string;
export const job = ({ transaction, scheduler }: JobExecutionContext) => transaction(async (sql) => {
  await scheduler.withConnection(sql.connection).triggerJob('invoice', { order: 5 });
});
`;

const DATA = `data: { to: 'a' }`;

/** Mistakes in the options of a schedule whose job takes \`{ to: string; subject?: string }\`. */
const OF_OPTIONS: readonly Mistake[] = [
  ['number of cron fields', `cron: '0 6 * * 1-5'`, /6 or 7 fields, seconds first.*found 5 fields/],
  ['range of a cron field', `cron: '0 0 26 ? * MON-FRI'`, /hours from 0 to 23, found '26'/],
  ['name in a cron field', `cron: '0 0 6 ? * MOO'`, /days of the week.*found 'MOO'/],
  ['numbers of days of a crontab', `cron: '0 0 6 ? * 1-5'`, /1 = Sunday.*SUN-THU.*MON-FRI/],
  ['two day fields', `cron: '0 0 6 * * *'`, /Expected '\?' in day-of-month or day-of-week/],
  ['range of a unix cron field', `cron: '0 25 * * *', dialect: 'unix'`, /hours from 0 to 23, found '25'/],
  ['interval', `every: '5 minuts'`, /duration.*found '5 minuts'/],
  ['time limit', `every: '5m', timeout: '5 minuts'`, /duration.*found '5 minuts'/],
  ['part of a time limit', `every: '5m', timeout: { after: '5m', grace: '5 sec' }`, /duration.*found '5 sec'/],
  ['other duration', `every: '5m', startWithin: '5 minuts'`, /duration.*found '5 minuts'/],
  ['period of a rate', `every: '5m', rate: { limit: 5, per: 'minute' }`, /duration.*found 'minute'/],
  ['text of a retry policy', `every: '5m', retry: 'R5/5m'`, /retry policy.*found 'R5\/5m'/],
  ['list of retries', `every: '5m', retry: ['1m', '5 minuts']`, /duration.*found '5 minuts'/],
  ['delay of retries', `every: '5m', retry: { max: 3, delay: '5 minuts' }`, /duration.*found '5 minuts'/],
  ['time zone', `cron: '0 0 6 * * ?', timeZone: 'Europe/Berln'`, /time zone.*found 'Europe\/Berln'/],
  ['unknown option', `every: '5m', tiemZone: 'UTC'`, /'tiemZone' does not exist/],
  ['unknown part of an option', `every: '5m', rate: { limt: 5, limit: 5, per: '1m' }`, /'limt' does not exist/],
  ['value of a policy', `every: '5m', overlap: 'skp'`, /"skp"/],
  ['other value of a policy', `every: '5m', misfire: 'later'`, /"later"/],
  ['placeholder', `every: '5m', concurrency: { key: '{data.custmer}', limit: 1 }`, /placeholder '{data\.custmer}'/],
  ['second placeholder', `every: '5m', rate: { key: '{data.to}{data.x}', limit: 1, per: '1m' }`, /'{data\.x}'/],
  ['two times', `every: '5m', at: new Date()`, /only one of cron, every, at and after/],
  ['no time', `group: 'g'`, /Expected one of cron, every, at and after/],
];

const OF_DATA: readonly Mistake[] = [
  ['missing data', `every: '5m'`, /needs data/],
  ['data of another type', `every: '5m', data: { to: 5 }`, /'number' is not assignable to type 'string'/],
  ['unknown field of the data', `every: '5m', data: { to: 'a', too: 5 }`, /'too' does not exist/],
  ['missing field of the data', `every: '5m', data: { subject: 'a' }`, /'to' is missing/],
];

/** Ways to schedule a job, each with the program for given options. */
const WAYS: Readonly<Record<string, (options: string) => string>> = {
  'by name': (options) => `await typed.schedule('mail', { ${options} });`,
  'by job type': (options) => `await typed.schedule('x', { job: 'mail', ${options} });`,
  inline: (options) => `await typed.schedule('x', { ${options} }, mail);`,
  'in a set, by name': (options) => `await typed.declare({ report: { every: '1h' }, mail: { ${options} } });`,
  'in a set, by job type': (options) => `await typed.sync({ x: { job: 'mail', ${options} } }, { prune: 'all' });`,
  'in a set, inline': (options) => `await typed.sync({ x: { job: mail, ${options} } });`,
  'in a transaction, by name': (options) => `await typed.withConnection({}).schedule('mail', { ${options} });`,
  'in a transaction, by job type': (options) =>
    `await typed.withConnection({}).schedule('x', { job: 'mail', ${options} });`,
  "in a job's transaction": (options) =>
    `void (({ transaction, scheduler }: JobExecutionContext) => transaction((sql) => scheduler.withConnection<typeof JOBS>(sql.connection).schedule('mail', { ${options} })));`,
};

const OTHERS: readonly Mistake[] = [
  ['name', `await typed.schedule('mial', { every: '5m', ${DATA} });`, /"mial"/],
  ['job type', `await typed.schedule('x', { job: 'mial', every: '5m', ${DATA} });`, /"mial"/],
  ['name in a set', `await typed.declare({ mial: { every: '5m', ${DATA} } });`, /No job type 'mial' is registered/],
  ['job type in a set', `await typed.sync({ x: { job: 'mial', every: '5m', ${DATA} } });`, /"mial"/],
  ['name in a transaction', `await typed.withConnection({}).schedule('mial', { every: '5m', ${DATA} });`, /"mial"/],
  ['job type in a transaction', `await typed.withConnection({}).enqueue('mial', { to: 'a' });`, /"mial"/],
  ['job type of enqueue', `await typed.enqueue('mial', { to: 'a' });`, /"mial"/],
  ['missing data of enqueue', `await typed.enqueue('mail');`, /Job 'mail' needs data/],
  ['data of enqueue', `await typed.enqueue('mail', { to: 5 });`, /'number' is not assignable to type 'string'/],
  ['data for a job without data', `await typed.enqueue('report', { to: 1 });`, /declares no data/],
  ['data for such a schedule', `await typed.schedule('report', { every: '5m', data: { to: 1 } });`, /declares no data/],
  ['option of enqueue', `await typed.enqueue('mail', { to: 'a' }, { pirority: 1 });`, /'pirority'/],
  ['duration of enqueue', `await typed.enqueue('mail', { to: 'a' }, { timeout: '5 minuts' });`, /'5 minuts'/],
  ['cron for a plain scheduler', `await plain.schedule('x', { cron: '0 6 * * 1-5' });`, /found 5 fields/],
  [
    'cron of an arrow',
    `await plain.schedule('x', { cron: '0 6 * * 1-5' }, async ({ log }) => log.info('x'));`,
    /found 5/,
  ],
  ['option for a plain scheduler', `await plain.schedule('x', { every: '5m', tiemZone: 'UTC' });`, /'tiemZone'/],
  [
    'arrow in a set',
    `await typed.sync({ x: { every: '5 minuts', job: async ({ log }) => log.info('x') } });`,
    /minuts/,
  ],
  ['data of a class', `await typed.schedule('pages', { every: '5m', data: { pages: '3' } });`, /to type 'number'/],
  [
    'data of an inline class',
    `await typed.schedule('x', { every: '5m', data: { pages: '3' } }, Pages);`,
    /to type 'number'/,
  ],
  ['cron of a builder', `cronSchedule('0 6 * * 1-5');`, /found 5 fields/],
  ['unix cron of a builder', `cronSchedule('0 26 * * MON-FRI', { dialect: 'unix' });`, /found '26'/],
  ['data of triggerJob', `await typed.triggerJob('mail', { to: 5 });`, /'number' is not assignable to type 'string'/],
  ['connection', `typed.withConnection({ getConnection() {}, query() {} });`, /'\(\) => void'/],
  ['dotted key', `await createScheduler({ 'org.quartz.threadPool.threadCount': 5 });`, /threadCount/],
];

/** Programs of one line that must not compile, each with the text that the first line of the error must have. */
export const MISTAKES: readonly Mistake[] = [
  ...Object.entries(WAYS).flatMap(([way, program]) => [
    ...OF_OPTIONS.map(
      ([name, options, expected]) => [`${name} ${way}`, program(`${options}, ${DATA}`), expected] as const,
    ),
    ...OF_DATA.map(([name, options, expected]) => [`${name} ${way}`, program(options), expected] as const),
  ]),
  ...OTHERS,
];

const ENTRIES = Array.from(
  { length: 200 },
  (_, index) =>
    `n${index}: { job: 'mail', cron: '0 ${index % 60} ${index % 24} ? * MON-FRI', timeZone: 'Europe/Berlin', timeout: '${index + 1}m', data: { to: 'a' } }`,
);
const LONG_LIST = Array.from({ length: 60 }, (_, value) => value).join(',');

/** Programs of one line that must compile. */
export const VALID: readonly string[] = `
await typed.schedule('mail', { every: '5m', data: { to: 'ops' } });
await typed.schedule('mail', { every: text, timeZone: text, timeout: text, retry: text, data: { to: text } });
await typed.schedule('mail', { cron: text, rate: { key: text, limit: 1, per: text }, data: { to: text } });
await typed.schedule('mail', { cron: \`0 \${1 + 1} 6 ? * MON\`, data: { to: 'ops' } });
await typed.schedule('report', { cron: '0 0/15 * ? * MON-FRI' });
await typed.schedule('report', { cron: '0 0 6 ? * 2-6' });
await typed.schedule('report', { cron: '30 8 * * 1-5', dialect: 'unix' });
await typed.schedule('report', { cron: '@daily', dialect: 'unix' });
await typed.schedule('report', { cron: '0 H H(0-5) ? * MON#2', timeZone: 'Asia/Kolkata' });
await typed.schedule('report', { cron: '0 0 22-2 L-3W * ? 2027-2030', timeZone: 'utc+3' });
await typed.schedule('report', { cron: '${LONG_LIST} ${LONG_LIST} 6 ? * MON,TUE' });
await typed.schedule('report', { cron: text.length > 2 ? '0 0 6 * * ?' : '0 0 7 * * ?' });
await typed.schedule('report', { every: 5, data: {} });
await typed.schedule('report', { every: '1h30m', retry: 'R5/PT5M', startWithin: 'P1DT12H', jitter: '1.5s', timeZone: 'Etc/GMT+5' });
await typed.schedule('report', { every: 'P1D', retry: ['1s', 5, 'PT1M'], timeout: { after: '5m', grace: 'PT5S', deadline: 5 } });
await typed.schedule('report', { every: '1h', prefers: { labels: ['a'], fallbackAfter: '2s' }, catchUp: { window: '1d' }, runsOn: 'gpu' });
await typed.schedule('open', { at: new Date(), data: { a: [1, 2], b: { c: null } }, concurrency: { key: '{data.x}', limit: 1 } });
await typed.schedule('m', { job: 'mail', at: new Date(), data: { to: 'a' }, concurrency: { key: '{data.to}-{job.group}', limit: 1 } });
await typed.schedule('x', { at: new Date(), data: { to: 'ops', n: 5, list: ['a'] } }, async ({ data }) => [data.to.at(0), data.n === 6, data.list.push('b')]);
await typed.schedule('x', { at: '2027-01-01', data: { to: 'ops' } }, mail);
await typed.schedule('x', { every: '5m', data: { pages: 3 } }, Pages);
await typed.schedule('x', { every: '5m', data: { to: 'a' } }, async ({ data, log }: JobExecutionContext<{ to: string }>) => log.info(data.to));
await typed.schedule('x', { after: 'report', on: 'end' }, async ({ origin }) => origin);
await typed.schedule('report', { after: ['a', { name: 'b', group: 'c' }] });
await typed.declare({ mail: { cron: '0 0 6 * * ?', data: { to: 'ops' } }, monthly: { job: 'pages', every: 'P1M', data: { pages: 3 } }, report: { every: '1h' } });
await typed.declare({ inline: { job: mail, at: new Date(), data: { to: 'ops' } }, arrow: { every: '5m', job: async ({ data, log }) => log.info(String(data.x)) } });
await typed.declare({ a: { every: '5m', job: async ({ log }: JobExecutionContext) => log.info('x') }, b: { every: '1h', job: Pages, data: { pages: 3 } } });
await typed.declare({ ${ENTRIES.join(', ')} });
const set = { r: { every: '5m', job: report } }; await typed.declare(set); await typed.sync({ report: { every: text } }, { set: 'x' });
await plain.declare({ x: { every: '5m' }, y: { every: '5m', job: mail, data: { to: 'a' } } });
await typed.enqueue('mail', { to: 'a' }); await typed.enqueue('mail', { to: 'a' }, { at: new Date(), name: text, timeout: '5s' });
await typed.enqueue('report'); await typed.enqueue('report', {}); await typed.enqueue('report', undefined, { at: new Date() });
await typed.enqueue('open', { x: 1 }); await typed.enqueue('open'); await plain.enqueue('x', { any: 1 }); await plain.enqueue(text);
await plain.schedule(text, { every: '5m', data: { x: 1 } }); await plain.schedule('x', { job: text, at: new Date(), data: { id: 5 } });
await plain.schedule('x', { every: '5m', data: { x: 1 } }, async ({ data }) => data.x + 1);
await typed.withConnection({}).enqueue('mail', { to: 'a' }); await typed.withConnection({}).triggerJob('mail', { subject: 'b' });
await typed.triggerJob('mail', { subject: 'b' }); await typed.triggerJob('other', { x: 5 }); await typed.triggerJob({ name: 'a', group: 'b' });
await typed.triggerJob(text, { a: 1 }); await plain.triggerJob('mail', { x: 1 });
const options: ScheduleOptions = { every: '5m' }; await typed.schedule('open', options); await plain.schedule('x', options, async () => {});
const settings: ScheduleSettings = { group: 'g' }; await typed.schedule('open', { ...settings, every: '5m' });
const takes = (scheduler: Scheduler) => scheduler; takes(typed); takes(await createScheduler({}, { jobs: JOBS }));
const takesTransaction = (scheduler: TransactionScheduler) => scheduler; takesTransaction(typed.withConnection({}));
const generic = async <R extends Jobs>(scheduler: Scheduler<R>): Promise<Scheduler> => scheduler; await generic(typed);
cronSchedule(text); cronSchedule('0 0 6 ? * MON-FRI'); cronSchedule('0 6 * * MON-FRI', { dialect: 'unix' });
for (const each of ['a', 'b'] as const) await typed.schedule(each, { every: '5m' }, async () => {});
`
  .trim()
  .split('\n');
