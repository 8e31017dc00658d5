import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compared } from '../lib/contest.mjs';
import { EXPRESSIONS, shuffledInstants, ZONES } from '../lib/cron-expressions.mjs';
import { options } from '../lib/options.mjs';
import { print } from '../lib/report.mjs';

const require = createRequire(import.meta.url);
const { CronExpression } = require('../../build/domain/cron/cron-expression.js');
const { CronExpressionParser } = require('cron-parser');
const { Cron } = require('croner');

export const usage = `  cron [--rounds 5] [--seconds 1] [--instants 50000]
         next fire times at distinct instants in shuffled order: ours, cron-parser and croner in turn, in UTC and America/New_York.
         Also the memory of an expression.`;

const FIGURES = [['perSecond', 'next fire times per second', 0]];
const MEMORY = [
  ['bytesPerExpression', 'bytes per expression', 0],
  ['bytesPerZone', 'bytes per time zone, every year requested', 0],
];

export async function run(args) {
  const chosen = options(args, { rounds: 5, seconds: 1, instants: 50_000 });
  const reports = [await memoryReport()];
  const dates = Array.from(shuffledInstants(chosen.instants), (instant) => new Date(instant));
  for (const zone of ZONES) reports.push(await zoneReport(zone, dates, chosen));
  print(reports, chosen);
}

function memoryReport() {
  const measure = async () => measureMemory();
  const sides = [{ name: 'ours', label: 'quartz-ts' }];
  const title = 'Memory of cron expressions';
  return compared({ workload: 'cron-memory', title, rounds: 1, sides, measure, figures: MEMORY, main: 'bytesPerZone' });
}

/** Our rate with all expressions, and with those that each peer supports beside the rate of this peer. */
async function zoneReport(zone, dates, { rounds, seconds }) {
  const expressions = EXPRESSIONS.map(({ quartz }) => quartz);
  const all = { name: 'ours', label: 'quartz-ts', functions: oursOf(expressions, zone) };
  const pairs = Object.entries(PEERS).map(([peer, nextOf]) => {
    const shared = EXPRESSIONS.filter((expression) => expression[peer] !== null);
    const theirs = shared.map((expression) => nextOf(expression[peer], zone));
    const ours = oursOf(
      shared.map(({ quartz }) => quartz),
      zone,
    );
    return [
      { name: 'ours', label: `quartz-ts, as ${peer}`, functions: ours },
      { name: peer, label: peer, functions: theirs },
    ];
  });
  const sides = [all, ...pairs.flat()];
  const measure = async ({ functions }) => ({ perSecond: rateOf(functions, dates, seconds * 1_000) });
  for (const side of sides) await measure(side); // compiles the code
  const title = `Next fire times, ${zone}, ${EXPRESSIONS.length} expressions`;
  return compared({ workload: 'cron', title, rounds, sides, measure, figures: FIGURES, main: 'perSecond', pairs });
}

const oursOf = (expressions, timeZone) =>
  expressions.map((text) => {
    const cron = new CronExpression(text, { timeZone });
    return (date) => cron.getNextValidTimeAfter(date);
  });

/** The peers, with expressions that are parsed beforehand. */
const PEERS = {
  'cron-parser'(text, tz) {
    const expression = CronExpressionParser.parse(text, { tz });
    return (date) => {
      expression.reset(date);
      return expression.next().toDate();
    };
  },
  croner(text, timezone) {
    const cron = new Cron(text, { timezone, paused: true });
    return (date) => cron.nextRun(date);
  },
};

let position = 0;

/** Calls per second. Each expression is called equally often, so that slow ones count as often as fast ones. */
function rateOf(functions, inputs, millis) {
  let calls = 0;
  let elapsed = 0;
  const begun = performance.now();
  do {
    for (let turn = 0; turn < 5; turn++) {
      const input = inputs[position];
      position = (position + 1) % inputs.length;
      for (const next of functions) if (next(input) !== undefined) calls++; // uses the result, so that no call is optimized away
    }
    elapsed = performance.now() - begun;
  } while (elapsed < millis);
  return (calls * 1_000) / elapsed;
}

/** Bytes of one expression, and of the tables of one zone after every year was requested. Averages over many. */
function measureMemory() {
  const zones = Intl.supportedValuesOf('timeZone')
    .filter((name) => name.startsWith('America/'))
    .slice(0, 40);
  const requestEveryMonth = (timeZone) => {
    const cron = new CronExpression('0 0 0 L * ?', { timeZone });
    for (let month = 0; month < 161 * 12; month++) cron.nextTimeAfter(Date.UTC(1970, month, 1));
  };
  const requestEveryYear = (_, index) => {
    const cron = new CronExpression(`0 ${index % 60} ${index % 24} ? * MON-FRI`, { timeZone: zones[0] });
    for (let year = 1970; year <= 2130; year++) cron.nextTimeAfter(Date.UTC(year, 6, 1));
    return cron;
  };
  for (const zone of zones.slice(0, 10)) requestEveryMonth(zone); // so that Intl and the compiler have allocated their memory
  const beforeZones = usedBytes();
  for (const zone of zones.slice(10)) requestEveryMonth(zone);
  const beforeExpressions = usedBytes();
  const kept = Array.from({ length: 2_000 }, requestEveryYear);
  return {
    bytesPerExpression: Math.round((usedBytes() - beforeExpressions) / kept.length),
    bytesPerZone: Math.round((beforeExpressions - beforeZones) / (zones.length - 10)),
  };
}

function usedBytes() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  collect();
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + Math.max(external, arrayBuffers);
}
