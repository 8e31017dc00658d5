// The real Quartz and ours on the same tables: node test/mixed-fleet/main.mjs [seconds]; see README.md.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mysql2/promise';
import { databaseServer } from '../../bench/lib/server.mjs';
import { hasJava } from '../../bench/lib/sides.mjs';
import { createScheduler, newJob, newTrigger } from '../../dist/index.mjs';

const SELF = fileURLToPath(import.meta.url);
const JARS = ['quartz2', 'HikariCP', 'slf4j-api', 'slf4j-nop', 'mariadb-java-client'].map(
  (jar) => `/usr/share/java/${jar}.jar`,
);
const OURS = 'ours';

/** Everything both sides said: who, and the words of the line. */
const said = [];

const jobs = (who) => {
  const say = (...words) => said.push({ who, words: words.map(String) });
  const begin = ({ trigger: { key }, scheduledFireTime, isRecovering, data }) =>
    say('start', `${key.group}.${key.name}`, scheduledFireTime.getTime(), isRecovering, data.to, Date.now());
  return {
    MixedNode$Tick: async (context) => begin(context),
    MixedNode$Alone: async (context) => {
      begin(context);
      await pause(400);
      say('end', `${context.trigger.key.group}.${context.trigger.key.name}`, Date.now());
    },
    MixedNode$Slow: async (context) => {
      begin(context);
      if (!context.isRecovering) await pause(60_000);
    },
  };
};

const configOf = (url, instanceId) => ({
  scheduler: { instanceName: 'Mixed', instanceId, logLevel: 'error' },
  jobStore: { class: 'mysql', dataSource: 'd', schema: 'create', useProperties: true, clusterCheckinInterval: 1_000 },
  dataSource: { d: { URL: url } },
});

/** As a process of its own, `node main.mjs ours URL`: runs a job that asks for recovery, and is killed. */
async function victim(url) {
  const scheduler = await createScheduler(configOf(url, 'victim'), { jobs: jobs('victim') });
  await scheduler.start();
  await scheduler.scheduleJob(
    newJob('MixedNode$Slow').withIdentity('slow').requestRecovery().build(),
    newTrigger().build(),
  );
  while (said.length === 0) await pause(20);
  console.log('READY');
}

function nodeProcess(who, command, args) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  createInterface({ input: child.stdout }).on('line', (line) => said.push({ who, words: line.split(' ') }));
  return { tell: (line) => child.stdin.write(`${line}\n`), kill: () => child.kill('SIGKILL') };
}

async function until(isSo, what) {
  for (let waited = 0; !said.some(isSo); waited += 20) {
    if (waited > 60_000) throw new Error(`Expected ${what} within a minute.`);
    await pause(20);
  }
}

const isReady =
  (node) =>
  ({ who, words }) =>
    who === node && words[0] === 'READY';
const startsIn = (since) => said.slice(since).filter(({ words }) => words[0] === 'start');

/** Fire times that were begun more than once; and those between the first and the last that nobody has begun. */
function judge(starts) {
  const timesOf = new Map();
  for (const { words } of starts) timesOf.set(words[1], [...(timesOf.get(words[1]) ?? []), Number(words[2])]);
  let twice = 0;
  let missing = 0;
  for (const [trigger, all] of timesOf) {
    const times = [...new Set(all)].sort((a, b) => a - b);
    twice += all.length - times.length;
    const interval = trigger.includes('.a') ? 1_500 : 1_000;
    missing += (times.at(-1) - times[0]) / interval + 1 - times.length;
  }
  return { twice, missing };
}

/** Who began the non-concurrent job while it ran. */
function overlaps(lines) {
  const steps = lines
    .filter(({ words: [kind, trigger] }) => kind !== 'READY' && trigger.includes('.a'))
    .map(({ who, words }) => ({ who, kind: words[0], trigger: words[1], at: Number(words.at(-1)) }))
    .sort((a, b) => a.at - b.at || a.kind.localeCompare(b.kind));
  const running = new Set();
  const found = [];
  for (const { who, kind, trigger } of steps) {
    if (kind === 'end') running.delete(`${who} ${trigger}`);
    else {
      if (running.size > 0) found.push(`${who} began it while ${[...running].join(', ')} ran it`);
      running.add(`${who} ${trigger}`);
    }
  }
  return { runs: steps.length / 2, found };
}

async function prove(server, seconds, java) {
  const admin = await createConnection(server.url);
  await admin.query('CREATE OR REPLACE DATABASE mixed_fleet CHARACTER SET utf8mb4');
  const url = new URL('/mixed_fleet', server.url).href;
  await (await createScheduler(configOf(url, 'maker'))).shutdown(); // the tables are ours
  const first = java('java-1', url);
  await until(isReady('java-1'), 'Java to start on our tables');
  first.tell('schedule');
  await pause(4_000);
  console.log(`Java alone on our tables: ${startsIn(0).length} firings`);

  const ours = await createScheduler(configOf(url, OURS), { jobs: jobs(OURS) });
  await ours.start();
  const since = said.length;
  await pause(seconds * 1_000);
  first.tell('standby');
  await ours.standby();
  await pause(2_500);
  const count = (node) => startsIn(since).filter(({ who }) => who === node).length;
  const { twice, missing } = judge(startsIn(0));
  console.log(
    `both for ${seconds} s: Java ${count('java-1')}, ours ${count(OURS)} firings; ${twice} twice, ${missing} missing`,
  );
  const { runs, found } = overlaps(said);
  console.log(
    `the non-concurrent job: ${runs} runs, ${found.length} overlaps${found.length > 0 ? `, such as: ${found[0]}` : ''}`,
  );
  const ofOurs = found.filter((text) => text.startsWith(OURS)).length;
  console.log(`  begun by ours while another ran it: ${ofOurs}`);
  if (twice + missing + ofOurs > 0) process.exitCode = 1;
  await ours.clear();
  first.tell('stop');

  const second = java('java-2', url);
  await until(isReady('java-2'), 'Java to start');
  second.tell('slow');
  await until(({ who, words }) => who === 'java-2' && words[0] === 'start', 'Java to run the slow job');
  await ours.start();
  await pause(1_500);
  const killedJava = Date.now();
  second.kill();
  await until(({ who, words }) => who === OURS && words[3] === 'true', 'ours to run the job of Java again');
  console.log(`Java killed: ours ran its job again after ${Date.now() - killedJava} ms`);
  await ours.clear();
  await ours.shutdown();

  const dying = nodeProcess('victim', process.execPath, [SELF, OURS, url]);
  await until(isReady('victim'), 'ours to run the slow job');
  const third = java('java-3', url);
  await until(isReady('java-3'), 'Java to start');
  await pause(3_000);
  const killedOurs = Date.now();
  dying.kill();
  await until(({ who, words }) => who === 'java-3' && words[3] === 'true', 'Java to run our job again');
  console.log(`ours killed: Java ran its job again after ${Date.now() - killedOurs} ms`);
  third.tell('stop');
  await admin.query('DROP DATABASE mixed_fleet');
  await admin.end();
}

async function main(seconds) {
  if (!hasJava())
    throw new Error('Expected a JDK and the packages of the real Quartz, found none. Install them first.');
  const classes = mkdtempSync(join(tmpdir(), 'mixed-fleet-'));
  const server = await databaseServer();
  try {
    const source = fileURLToPath(new URL('MixedNode.java', import.meta.url));
    execFileSync('javac', ['-nowarn', '-d', classes, '-cp', JARS.join(':'), source], { stdio: 'inherit' });
    const path = [classes, ...JARS].join(':');
    const jdbc = (url) => `jdbc:mariadb://${new URL(url).host}${new URL(url).pathname}`;
    await prove(server, seconds, (who, url) => nodeProcess(who, 'java', ['-cp', path, 'MixedNode', jdbc(url), who]));
  } finally {
    rmSync(classes, { recursive: true });
    await server.stop();
  }
}

const [what, url] = process.argv.slice(2);
if (what === OURS) await victim(url);
else {
  await main(Number(what ?? 20));
  process.exit();
}
