import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { progress } from '../lib/contest.mjs';
import { EXPRESSIONS, shuffledInstants, ZONES } from '../lib/cron-expressions.mjs';
import { LineNode } from '../lib/line-node.mjs';
import { machine } from '../lib/report.mjs';
import { buildJava, javaMissing } from '../lib/sides.mjs';
import { formatNumber, formatSummary, summary } from '../lib/statistics.mjs';

const require = createRequire(import.meta.url);
const { CronExpression } = require('../../build/domain/cron/cron-expression.js');
const { CronExpressionParser } = require('cron-parser');
const { Cron } = require('croner');

export const usage = `  cron [--rounds 5] [--seconds 1] [--instants 50000] [--no-java] [--json]
         next fire times at distinct instants in shuffled order: ours, the real Quartz, cron-parser and croner in turn, in UTC and
         America/New_York. Also the memory of an expression.`;

export async function run(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '1' },
      instants: { type: 'string', default: '50000' },
      'no-java': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const options = { rounds: Number(values.rounds), millis: Number(values.seconds) * 1000 };
  const memory = measureMemory();
  const instants = shuffledInstants(Number(values.instants));
  const dates = Array.from(instants, (instant) => new Date(instant));
  const java = values['no-java'] ? null : await startJava(instants, options);
  try {
    if (java !== null) checkSameAnswers(java.checksums, dates);
    const zones = await measure({ ...options, instants, dates, java });
    if (values.json) console.log(JSON.stringify({ machine: machine(), zones, memory }, null, 2));
    else print(zones, memory);
  } finally {
    java?.node.kill();
  }
}

/** The real Quartz in its own process, warmed up, with the checksum of its answers in each zone. */
async function startJava(instants, { millis }) {
  const missing = javaMissing();
  if (missing !== null) {
    console.error(`Without the real Quartz: ${missing}.`);
    return null;
  }
  const file = join(mkdtempSync(join(tmpdir(), 'quartz-cron-')), 'workload');
  const lines = [
    ...ZONES.map((zone) => `zone ${zone}`),
    ...EXPRESSIONS.map(({ quartz }) => `expression ${quartz}`),
    ...Array.from(instants, (instant) => `instant ${instant}`),
  ];
  writeFileSync(file, lines.join('\n'));
  const node = new LineNode('java', buildJava()('cronslices', { file, millis }));
  const bar = progress(ZONES.length, 'real Quartz, warm-up');
  const answers = ZONES.map((zone) => node.hear((line) => line.startsWith(`C ${zone} `)));
  const ready = node.hear((line) => line === 'READY');
  const checksums = [];
  for (const answer of answers) {
    checksums.push(Number((await answer).split(' ')[2]));
    bar.step();
  }
  await ready;
  bar.end();
  return { node, checksums };
}

/** Every answer of both sides, in order: a comparison of speed means nothing without it. Warms ours up, too. */
function checkSameAnswers(checksums, dates) {
  for (const [index, zone] of ZONES.entries()) {
    const expressions = EXPRESSIONS.map(({ quartz }) => new CronExpression(quartz, { timeZone: zone }));
    let sum = 0;
    for (const date of dates) {
      for (const expression of expressions) {
        const time = expression.getNextValidTimeAfter(date);
        sum = (Math.imul(sum, 31) + (time === null ? 0 : time.getTime() / 1000)) | 0;
      }
    }
    if (sum !== checksums[index]) throw new Error(`In ${zone} the real Quartz gives other answers than ours.`);
  }
  console.error(`Same answers as the real Quartz: ${formatNumber(dates.length * EXPRESSIONS.length)} per zone.`);
}

/** All contestants in turn, round after round, so that a slow phase of the machine hits each of them. */
async function measure({ rounds, ...options }) {
  const contestants = ZONES.flatMap((zone) => contestantsOf(zone, options));
  for (const { slice } of contestants) await slice(); // the first one compiles
  const bar = progress(rounds * contestants.length, 'cron');
  for (let round = 0; round < rounds; round++) {
    for (const { name, zone, seen, slice } of contestants) {
      bar.now(`${name}, ${zone}`);
      seen.push(await slice());
      bar.step();
    }
  }
  bar.end();
  return Object.fromEntries(ZONES.map((zone) => [zone, compare(contestants.filter((c) => c.zone === zone))]));
}

/** What takes part in a zone: each works for a slice of time and returns its calls per second. */
function contestantsOf(zone, { millis, instants, dates, java }) {
  const ours = (texts) => texts.map((text) => new CronExpression(text, { timeZone: zone }));
  const all = ours(EXPRESSIONS.map(({ quartz }) => quartz));
  const list = [
    [
      'ours',
      () =>
        spin(
          all.map((cron) => (date) => cron.getNextValidTimeAfter(date)),
          dates,
          millis,
        ),
    ],
    [
      'oursEpochMs',
      () =>
        spin(
          all.map((cron) => (instant) => cron.nextTimeAfter(instant)),
          instants,
          millis,
        ),
    ],
  ];
  if (java !== null) list.push(['java', () => javaSlice(java.node, zone)]);
  for (const [peer, nextOf] of Object.entries(PEERS)) {
    const shared = EXPRESSIONS.filter((expression) => expression[peer] !== null);
    const same = ours(shared.map(({ quartz }) => quartz));
    const theirs = shared.map((expression) => nextOf(expression[peer], zone));
    list.push([
      `oursAs_${peer}`,
      () =>
        spin(
          same.map((cron) => (date) => cron.getNextValidTimeAfter(date)),
          dates,
          millis,
        ),
    ]);
    list.push([peer, () => spin(theirs, dates, millis)]);
  }
  return list.map(([name, slice]) => ({ name, zone, slice, seen: [] }));
}

/** The peers with everything parsed beforehand, as one would use them in a loop. */
const PEERS = {
  cronParser(text, tz) {
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

/** Each input after each other, and each expression equally often, so that slow ones weigh in as they would. */
function spin(functions, inputs, millis) {
  let calls = 0;
  let sink = 0;
  const began = performance.now();
  let elapsed = 0;
  do {
    for (let turn = 0; turn < 5; turn++) {
      const input = inputs[position];
      position = position + 1 === inputs.length ? 0 : position + 1;
      for (const next of functions) if (next(input) !== null) sink++;
      calls += functions.length;
    }
    elapsed = performance.now() - began;
  } while (elapsed < millis);
  return sink < 0 ? 0 : (calls * 1000) / elapsed;
}
let position = 0;

async function javaSlice(node, zone) {
  const result = node.hear((line) => line.startsWith('R '));
  node.say();
  const { zone: measured, perSecond } = JSON.parse((await result).slice(2));
  if (measured !== zone) throw new Error(`The real Quartz measured ${measured} instead of ${zone}.`);
  return perSecond;
}

function compare(contestants) {
  const rates = Object.fromEntries(contestants.map(({ name, seen }) => [name, summary(seen)]));
  const ratio = (our, their) => (rates[their] === undefined ? null : rates[our].median / rates[their].median);
  return {
    callsPerSecond: rates,
    ratios: {
      java: ratio('ours', 'java'),
      cronParser: ratio('oursAs_cronParser', 'cronParser'),
      croner: ratio('oursAs_croner', 'croner'),
    },
  };
}

/** Bytes of one expression, and of the tables of one zone when every year was asked for: averages over many. */
function measureMemory() {
  const zones = Intl.supportedValuesOf('timeZone')
    .filter((name) => name.startsWith('America/'))
    .slice(0, 40);
  const askEveryMonth = (timeZone) => {
    const cron = new CronExpression('0 0 0 L * ?', { timeZone });
    for (let month = 0; month < 161 * 12; month++) cron.nextTimeAfter(Date.UTC(1970, month, 1));
  };
  const askEveryYear = (_, index) => {
    const cron = new CronExpression(`0 ${index % 60} ${index % 24} ? * MON-FRI`, { timeZone: zones[0] });
    for (let year = 1970; year <= 2130; year++) cron.nextTimeAfter(Date.UTC(year, 6, 1));
    return cron;
  };
  for (const zone of zones.slice(0, 10)) askEveryMonth(zone); // Intl and the compiler take their share first
  const beforeZones = usedBytes();
  for (const zone of zones.slice(10)) askEveryMonth(zone);
  const beforeExpressions = usedBytes();
  const kept = Array.from({ length: 2_000 }, askEveryYear);
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

const NAMES = {
  ours: 'quartz-ts',
  oursEpochMs: 'quartz-ts, epoch ms',
  java: 'Quartz 2.3.2 (Java)',
  cronParser: 'cron-parser',
  croner: 'croner',
};

function print(zones, memory) {
  const { node, processors, memory: ram, date } = machine();
  console.log(`${date}, Node ${node}, ${processors}, ${ram}`);
  for (const [zone, { callsPerSecond, ratios }] of Object.entries(zones)) {
    console.log(`Next fire times per second, ${zone}, ${EXPRESSIONS.length} expressions: median (min–max)`);
    for (const [name, rate] of Object.entries(callsPerSecond)) {
      if (NAMES[name] === undefined) continue;
      const times = ratios[name] ? `   ours is ${formatNumber(ratios[name], 1)} times as fast` : '';
      console.log(`  ${NAMES[name].padEnd(20)} ${formatSummary(rate)}${times}`);
    }
  }
  console.log(
    `Memory: ${formatNumber(memory.bytesPerExpression)} bytes an expression; ${formatNumber(memory.bytesPerZone)} a zone, if asked for every year.`,
  );
}
