import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Scheduler, SchedulerEvent } from '../../../../src';
import { freshDist } from '../../../support/fresh-dist';
import { node, silentNode } from '../support/cluster';
import { once, type Proofs } from '../support/proof';
import { changeIn, rowsIn } from '../support/sqlite-file';
import { passUntil } from '../support/time';
import { endless, keep, newFile, open } from '../support/world';

/** Which database time a node checked in at last. */
const lastCheckIn = (path: string, instanceId: string): unknown =>
  rowsIn(path, `SELECT LAST_CHECKIN_TIME AS time FROM QRTZ_SCHEDULER_STATE WHERE INSTANCE_NAME = '${instanceId}'`)[0]
    ?.time;

/** How long a node takes to notice that another one is silent, and what becomes of its firing. */
async function recoveredBy(keys: object) {
  const path = newFile();
  await silentNode(path, keys);
  const other = await open(node(path, 'other', keys), { jobs: { job: endless } });
  await other.soon(other.scheduler.start());
  const failedAfter = await other.until(() => other.heard('nodeFailed').length > 0);
  await other.until(() => other.heard('nodeRecovered').length > 0);
  return { failedAfter, report: other.heard('nodeRecovered')[0]?.report };
}

/** How many check-ins of a node are stored within ten seconds. */
async function checkInsIn10s(clusterCheckinInterval: number): Promise<number> {
  const path = newFile();
  const world = await open(node(path, 'n', { clusterCheckinInterval }));
  await world.soon(world.scheduler.start());
  const end = world.clock.now() + 10_000;
  await changeIn(path, 'CREATE TABLE SEEN (TIME INTEGER)');
  await changeIn(
    path,
    'CREATE TRIGGER seen AFTER UPDATE ON QRTZ_SCHEDULER_STATE BEGIN INSERT INTO SEEN VALUES (1); END',
  );
  await passUntil([world.clock], () => world.clock.now() >= end, end);
  return rowsIn(path, 'SELECT TIME FROM SEEN').length;
}

const PACE = { clusterCheckinInterval: 500, clusterCheckinGrace: 500 };

/** The same with a lease that outlasts any machine that is busy with something else. */
const PATIENT = { clusterCheckinInterval: 500, clusterCheckinGrace: 20_000 };

/** For how long each of the stalls lasted that a node reported after one of 10 s, beside another node. */
async function stallsWith(handOverAfterStall: number): Promise<readonly number[]> {
  const path = newFile();
  const keys = { ...PATIENT, handOverAfterStall };
  const [first, second] = [await open(node(path, 'first', keys)), await open(node(path, 'second', keys))];
  for (const world of [first, second]) await world.soon(world.scheduler.start());
  const clocks = [first.clock, second.clock];
  await passUntil(clocks, () => first.heard('nodeJoined').some(({ instanceId }) => instanceId === 'second'));
  first.clock.advanceTo(first.clock.now() + 10_000);
  const end = first.clock.now() + 2_000;
  await passUntil(clocks, () => first.clock.now() >= end, end);
  return first.heard('nodeStalled').map(({ stalledFor }) => stalledFor);
}

/** For how long the main thread is blocked at most, where nobody checks in meanwhile. Milliseconds. */
const LONGEST_BLOCK = 20_000;
/** So many check-ins of one node while another one makes none: that one has stopped. */
const CHECK_INS = 8;

/** Blocks this thread, asleep, until a node has checked in many times since the other one did last. */
function blockUntilOneStops(checkIn: () => unknown, ofOther: () => unknown): void {
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  let [last, lastOfOther, count] = [checkIn(), ofOther(), 0];
  for (let slept = 0; count < CHECK_INS && slept < LONGEST_BLOCK; slept += 50) {
    Atomics.wait(asleep, 0, 0, 50);
    const [now, nowOfOther] = [checkIn(), ofOther()];
    count = nowOfOther === lastOfOther ? count + (now === last ? 0 : 1) : 0;
    [last, lastOfOther] = [now, nowOfOther];
  }
}

interface Blocked {
  readonly events: readonly SchedulerEvent[];
  /** Whether it checked in while the main thread was blocked. */
  readonly checkedIn: boolean;
}

/** Three nodes of this process, each on a file of its own, whose jobs block its main thread; from dist/, which has the store's thread. */
const blockedNodes = once(async () => {
  const { createScheduler } = require(join(freshDist(), 'index.js')) as typeof import('../../../../src');
  const variants = {
    inThread: { storeThread: true, maxMainStall: 0 },
    stalled: { storeThread: true, maxMainStall: 500 },
    inMain: { storeThread: false, maxMainStall: 0 },
  } as const;
  const nodes = await Promise.all(
    Object.entries(variants).map(async ([name, keys]) => {
      const path = newFile();
      const events: SchedulerEvent[] = [];
      const job = () => new Promise<void>((resolve) => ends.push(resolve));
      const scheduler: Scheduler = keep(
        await createScheduler(node(path, name, { ...PATIENT, ...keys }), { jobs: { job }, logger: silentLogger }),
      );
      scheduler.subscribe((event) => void events.push(event));
      const begun = new Promise<void>((resolve) => {
        scheduler.subscribe(({ type }) => type === 'jobStarted' && resolve());
      });
      const fenced = new Promise<void>((resolve) => {
        scheduler.subscribe(({ type }) => type === 'nodeFenced' && resolve());
      });
      await scheduler.schedule('job', { at: new Date(), disallowConcurrentExecution: true });
      await scheduler.start();
      await begun;
      return { name, path, events, scheduler, fenced };
    }),
  );
  const checkIns = nodes.map(
    ({ path, name }) =>
      () =>
        lastCheckIn(path, name),
  );
  const before = checkIns.map((read) => read());
  blockUntilOneStops(...(checkIns as [() => unknown, () => unknown]));
  const after = checkIns.map((read) => read());
  await nodes[1]?.fenced;
  for (const end of ends.splice(0)) end();
  await Promise.all(nodes.map(({ scheduler }) => scheduler.shutdown()));
  const blocked = (name: keyof typeof variants): Blocked => {
    const index = nodes.findIndex((each) => each.name === name);
    return { events: nodes[index]?.events ?? [], checkedIn: before[index] !== after[index] };
  };
  return { inThread: blocked('inThread'), stalled: blocked('stalled'), inMain: blocked('inMain') };
});

const ends: (() => void)[] = [];

const quiet = () => {};
const silentLogger = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, fatal: quiet };

const fencingOf = ({ events }: Blocked) =>
  events.flatMap((event) => (event.type === 'nodeFenced' ? [event.reason] : []));

/** How a process ends whose node loses its lease, because its job blocks it. */
function endOfProcess(onLeaseLost: string): Promise<string> {
  const program = `
    const { createScheduler } = require(${JSON.stringify(join(freshDist(), 'index.js'))});
    const block = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
    const config = ${JSON.stringify(node(newFile(), 'n', { ...PACE, storeThread: false, onLeaseLost }))};
    (async () => {
      const scheduler = await createScheduler({ ...config, scheduler: { ...config.scheduler, logLevel: 'silent' } }, { jobs: { block } });
      let isFenced = false;
      scheduler.subscribe(({ type }) => { isFenced ||= type === 'nodeFenced'; });
      await scheduler.schedule('block', { at: new Date() });
      await scheduler.start();
      const look = setInterval(() => {
        if (!isFenced || scheduler.getMetaData().isFenced) return;
        clearInterval(look);
        void scheduler.shutdown();
      }, 50);
    })();`;
  const child = spawn(process.execPath, ['-e', program], { stdio: 'inherit' });
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(`${code ?? signal}`)));
}

/** A node among others. */
export const clusterProofs: Proofs = {
  async 'jobStore.clusterCheckinInterval'() {
    // Three times an interval.
    expect(await checkInsIn10s(1_000)).toBeGreaterThan(25);
    expect(await checkInsIn10s(10_000)).toBeLessThan(5);
  },

  async 'jobStore.clusterCheckinGrace'() {
    const detected = async (clusterCheckinGrace: number) =>
      (await recoveredBy({ clusterCheckinInterval: 1_000, clusterCheckinGrace })).failedAfter;
    expect(await detected(1_000)).toBeLessThan(5_000);
    expect(await detected(20_000)).toBeGreaterThan(20_000);
  },

  async 'jobStore.maxRecoveryAttempts'() {
    const reportWith = async (maxRecoveryAttempts: number) =>
      (await recoveredBy({ ...PACE, maxRecoveryAttempts })).report;
    const key = { group: 'RECOVERING_JOBS' };
    expect(await reportWith(0)).toMatchObject({ recovered: [], exhausted: [key] });
    expect(await reportWith(3)).toMatchObject({ recovered: [key], exhausted: [] });
  },

  async 'jobStore.storeThread'() {
    const { inThread, inMain } = await blockedNodes();
    expect([inThread.checkedIn, inMain.checkedIn]).toEqual([true, false]);
    expect(fencingOf(inThread)).toEqual([]);
  },

  async 'jobStore.maxMainStall'() {
    const { inThread, stalled } = await blockedNodes();
    expect(fencingOf(stalled)).toEqual(['mainStalled']);
    expect(fencingOf(inThread)).toEqual([]);
  },

  async 'jobStore.handOverAfterStall'() {
    expect(await stallsWith(5_000)).toEqual([expect.closeTo(9_000, -4)]);
    expect(await stallsWith(20_000)).toEqual([]);
  },

  async 'jobStore.onLeaseLost'() {
    expect(await Promise.all([endOfProcess('abort'), endOfProcess('exit-process')])).toEqual(['0', 'SIGKILL']);
  },
};
