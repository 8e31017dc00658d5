import { COMMON_TEXT, FORGOTTEN_NODE, RARE_TEXT } from './console-rows.mjs';
import { DAY } from './tables.mjs';

/*
 * What a console may be asked for by whoever only reads: each operation, with each filter and sort, and the combinations that lead to other
 * statements. `path(k)` is the address of the k-th asking, so that not the same rows are read each time.
 */

const OUTCOMES = ['succeeded', 'failed', 'timedOut', 'interrupted', 'skipped', 'vetoed', 'lost', 'misfired'];
const STATES = ['WAITING', 'ACQUIRED', 'PAUSED', 'BLOCKED', 'PAUSED_BLOCKED', 'ERROR', 'COMPLETE'];
/** In no name and no error. */
const NOWHERE = 'zebra';
/** Of the jobs and triggers that are asked for by their keys. */
const SPREAD = 7919;

/** `n`: how many triggers; `runs`: how many runs; `places`: a cursor deep in each list, by its name; `now`: when they were loaded. */
export function consoleQuestions({ n, places, now }) {
  const time = (days) => new Date(now - days * DAY).toISOString();
  return [
    ...jobQuestions(n, places),
    ...triggerQuestions(n, places),
    ...runQuestions(places, time),
    ...deadLetterQuestions(places, time),
    ...otherQuestions(places, time),
  ];
}

function question(operation, what, path) {
  return { operation, what, path: typeof path === 'function' ? path : () => path };
}

/** Questions to one list, by what is asked: fields of its query. */
function lists(operation, path, asked) {
  return Object.entries(asked).map(([what, fields]) => question(operation, what, () => `${path}?${queryOf(fields)}`));
}

function queryOf(fields) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  return query;
}

function jobQuestions(n, places) {
  const whole = (k) => `/jobs/${groupOf((k * SPREAD) % n)}/j${(k * SPREAD) % n}`;
  return [
    ...lists('jobs.list', '/jobs', {
      all: {},
      'all, 1,000 a page': { limit: 1_000 },
      deep: { after: places.job },
      'group of half': { group: 'big' },
      'group of 20': { group: 'rare' },
      'no such group': { group: NOWHERE },
      'type of most': { type: 'noop' },
      'type of few': { type: 'seldom' },
      'no such type': { type: NOWHERE },
      'text of most': { search: 'j' },
      'text of few': { search: 'j9999' },
      'text of none': { search: NOWHERE },
      'group, type and text': { group: 'big', type: 'noop', search: '77' },
      'group and text of none': { group: 'big', search: NOWHERE },
    }),
    question('jobs.show', 'any', whole),
    question('jobs.show', 'with 400,000 runs and 20,000 triggers', '/jobs/big/j0'),
    question('jobs.show', 'with 200,000 runs', '/jobs/middle/j1'),
  ];
}

function triggerQuestions(n, places) {
  const key = (k) => `/triggers/${groupOf((k * SPREAD) % n)}/t${(k * SPREAD) % n}`;
  const filters = {
    all: {},
    'group of half': { group: 'big' },
    'group of 20': { group: 'rare' },
    'no such group': { group: NOWHERE },
    'job of 20,000': { job: 'j0', jobGroup: 'big' },
    'job of one': { job: 'j7', jobGroup: 'middle' },
    ERROR: { state: 'ERROR' },
    WAITING: { state: 'WAITING' },
    PAUSED: { state: 'PAUSED' },
    'all states': { state: STATES },
    paused: { paused: true },
    'not paused': { paused: false },
    'calendar of a third': { calendar: 'calendar 0' },
    'calendar of few': { calendar: 'calendar 2' },
    'no such calendar': { calendar: NOWHERE },
    'text of most': { search: 't' },
    'text of few': { search: 't9999' },
    'text of none': { search: NOWHERE },
    'group and calendar': { group: 'big', calendar: 'calendar 0' },
    'group and calendar that do not meet': { group: 'rare', calendar: 'calendar 0' },
    'group, calendar and text': { group: 'big', calendar: 'calendar 0', search: '77' },
    'group, calendar and text of none': { group: 'big', calendar: 'calendar 0', search: NOWHERE },
    'group and PAUSED': { group: 'big', state: 'PAUSED' },
    'group and ERROR': { group: 'big', state: 'ERROR' },
    'job and calendar': { job: 'j0', jobGroup: 'big', calendar: 'calendar 0' },
    'job and text of none': { job: 'j0', jobGroup: 'big', search: NOWHERE },
    'calendar and PAUSED': { calendar: 'calendar 0', state: 'PAUSED' },
    'calendar and text of none': { calendar: 'calendar 0', search: NOWHERE },
    'PAUSED and text of none': { state: 'PAUSED', search: NOWHERE },
    'WAITING and text of none': { state: 'WAITING', search: NOWHERE },
    'group and text of none': { group: 'big', search: NOWHERE },
  };
  const sorted = Object.entries(filters).flatMap(([what, fields]) => [
    [`${what}, by name`, { ...fields, sort: 'key' }],
    [`${what}, by time`, { ...fields, sort: 'nextFireTime' }],
  ]);
  return [
    ...lists('triggers.list', '/triggers', {
      ...Object.fromEntries(sorted),
      'all, 1,000 a page, by time': { limit: 1_000, sort: 'nextFireTime' },
      'deep, by name': { after: places.trigger, sort: 'key' },
      'deep, by time': { after: places.triggerTime, sort: 'nextFireTime' },
      'deep, group and calendar, by time': {
        after: places.triggerTime,
        sort: 'nextFireTime',
        group: 'big',
        calendar: 'calendar 0',
      },
    }),
    question('triggers.show', 'any', key),
    question('triggers.explain', 'any', (k) => `${key(k)}/explanation`),
  ];
}

function runQuestions(places, time) {
  const run = (k) => `/runs/${encodeURIComponent(places.runIds[k % places.runIds.length])}`;
  return [
    ...lists('runs.list', '/runs', {
      ...runFilters(time),
      'all, 1,000 a page': { limit: 1_000 },
      deep: { after: places.run },
      'job of 400,000, deep': { job: 'j0', jobGroup: 'big', after: places.run },
      'node, deep': { node: 'n1', after: places.run },
    }),
    question('runs.show', 'any', run),
  ];
}

function runFilters(time) {
  return {
    all: {},
    'job of 400,000': { job: 'j0', jobGroup: 'big' },
    'job of few': { job: 'j4444', jobGroup: 'big' },
    'no such job': { job: NOWHERE },
    'job and failed': { job: 'j0', jobGroup: 'big', outcome: 'failed' },
    'job and rare text': { job: 'j0', jobGroup: 'big', search: RARE_TEXT },
    'job and text of none': { job: 'j0', jobGroup: 'big', search: NOWHERE },
    'job and node that is gone': { job: 'j0', jobGroup: 'big', node: FORGOTTEN_NODE },
    'job, since 30 days until 29': { job: 'j0', jobGroup: 'big', since: time(30), until: time(29) },
    'trigger of 400,000': { trigger: 't0', triggerGroup: 'big' },
    'trigger of few': { trigger: 't4444', triggerGroup: 'big' },
    'trigger and text of none': { trigger: 't0', triggerGroup: 'big', search: NOWHERE },
    'trigger and timedOut': { trigger: 't0', triggerGroup: 'big', outcome: 'timedOut' },
    'group of most': { jobGroup: 'big' },
    'group of few': { jobGroup: 'rare' },
    'no such group': { jobGroup: NOWHERE },
    ...Object.fromEntries(OUTCOMES.map((outcome) => [outcome, { outcome }])),
    'failed or timedOut': { outcome: ['failed', 'timedOut'] },
    node: { node: 'n1' },
    'node that is gone': { node: FORGOTTEN_NODE },
    'no such node': { node: NOWHERE },
    'since an hour': { since: time(1 / 24) },
    'since 30 days until 29': { since: time(30), until: time(29) },
    'until 59 days': { until: time(59) },
    'text of all': { search: 'j' },
    'text of all failures': { search: COMMON_TEXT },
    'rare text': { search: RARE_TEXT },
    'text of none': { search: NOWHERE },
    'failed and rare text': { outcome: 'failed', search: RARE_TEXT },
    'failed and text of none': { outcome: 'failed', search: NOWHERE },
    'failed and node': { outcome: 'failed', node: 'n1' },
    'failed and group of few': { outcome: 'failed', jobGroup: 'rare' },
    'group, node and text of none': { jobGroup: 'big', node: 'n1', search: NOWHERE },
  };
}

function deadLetterQuestions(places, time) {
  return lists('deadLetters.list', '/dead-letters', {
    all: {},
    'all, 1,000 a page': { limit: 1_000 },
    deep: { after: places.run },
    'job of most': { job: 'j0', jobGroup: 'big' },
    'job of none': { job: 'j4444', jobGroup: 'big' },
    'trigger of none': { trigger: 't4444', triggerGroup: 'big' },
    group: { jobGroup: 'big' },
    node: { node: 'n1' },
    'node that is gone': { node: FORGOTTEN_NODE },
    'since 30 days until 29': { since: time(30), until: time(29) },
    timedOut: { outcome: 'timedOut' },
    'text of all': { search: COMMON_TEXT },
    'text of none': { search: NOWHERE },
  });
}

function otherQuestions(places, time) {
  const day = { from: time(1), to: time(-1) };
  return [
    question('overview.show', 'all', '/overview'),
    question('doctor.check', 'all', '/doctor'),
    ...lists('timeline.show', '/timeline', {
      'two days': day,
      'seven days': { from: time(6), to: time(-1), lanes: 200 },
      'text of few': { ...day, search: 't9999' },
      'text of none': { ...day, search: NOWHERE },
    }),
    question('scheduler.show', 'all', ''),
    question('nodes.list', 'all', '/nodes'),
    ...lists('firings.list', '/firings', {
      all: {},
      node: { node: 'n1' },
      job: { job: 'j0' },
      'no such job': { job: NOWHERE },
    }),
    question('occurrences.list', 'all', '/occurrences'),
    question('overdue.list', 'all', '/overdue'),
    question('pauses.list', 'all', '/pauses'),
    question('backfills.list', 'all', '/backfills'),
    ...lists('calendars.list', '/calendars', { all: {}, '10 a page': { limit: 10 } }),
    question('calendars.show', 'of a third', '/calendars/calendar%200'),
    question('calendars.show', 'of none', '/calendars/calendar%2039'),
    question('calendars.year', 'this year', `/calendars/calendar%200/years/${new Date().getUTCFullYear()}`),
    ...lists('actions.list', '/actions', {
      all: {},
      deep: { after: places.action },
      actor: { actor: 'person7' },
      'no such actor': { actor: NOWHERE },
      'operation of most': { operation: 'triggers.pause' },
      'operation of few': { operation: 'jobs.remove' },
      'actor and operation': { actor: 'person7', operation: 'jobs.remove' },
      'since an hour': { since: time(1 / 24) },
      'text of all': { search: 'trigger' },
      'text of few': { search: 't9999' },
      'text of none': { search: NOWHERE },
      'actor and text of none': { actor: 'person7', search: NOWHERE },
    }),
  ];
}

/** Of a job or trigger by its number, as the statements have it. */
function groupOf(i) {
  if (i % 5000 === 4999) return 'rare';
  if (i % 2 === 0) return 'big';
  return i % 6 === 5 ? `small${i % 100}` : 'middle';
}
