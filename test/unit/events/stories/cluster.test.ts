import { renameSync } from 'node:fs';
import { ManualClock } from '../../../../src/testing';
import { proves } from '../../../support/proves';
import { node, silentNode } from '../../../support/world/cluster';
import { once } from '../../../support/world/once';
import { changeIn } from '../../../support/world/sqlite-file';
import { passUntil, settled } from '../../../support/world/time';
import { closeAll, deleteFolders, newFile, noop, open, type World } from '../../../support/world/world';
import { expectEvents } from './expect-events';

const PACE = { clusterCheckinInterval: 1_000, clusterCheckinGrace: 1_000 };

async function startedNode(path: string, instanceId = 'n', clock = new ManualClock(Date.now())): Promise<World> {
  const world = await open(node(path, instanceId, PACE), { clock, jobs: { job: noop } });
  await world.soon(world.scheduler.start());
  return world;
}

const has = (world: World, type: Parameters<World['heard']>[0]) => world.until(() => world.heard(type).length > 0);

/** A node that becomes silent, and another one that takes over its firings. */
const takeover = once(async () => {
  const path = newFile();
  let end = () => {};
  const job = () =>
    new Promise<void>((resolve) => {
      end = resolve;
    });
  const silent = await silentNode(path, PACE, job);
  const other = await startedNode(path, 'other');
  await has(other, 'nodeRecovered');
  end(); // the node no longer owns this completion
  await passUntil([silent.clock], () => silent.heard('completionFenced').length > 0);
  await has(silent, 'nodeFenced');
  return { silent, other };
});

/** A node that sees another one join and leave. */
async function company() {
  const path = newFile();
  const first = await startedNode(path, 'first');
  const second = await startedNode(path, 'second');
  const clocks = [first.clock, second.clock];
  await passUntil(clocks, () => first.heard('nodeJoined').some(({ instanceId }) => instanceId === 'second'));
  await settled(clocks, second.scheduler.shutdown());
  await passUntil(clocks, () => first.heard('nodeLeft').length > 0);
  return first;
}

/** A database that is unavailable for a while. */
async function outage() {
  const path = newFile();
  const world = await startedNode(path);
  renameSync(path, `${path}.away`);
  await has(world, 'storeUnavailable');
  renameSync(`${path}.away`, path);
  await has(world, 'storeAvailable');
  return world;
}

/** A trigger that a person edits in the database. */
async function edited() {
  const path = newFile();
  const world = await startedNode(path);
  await world.soon(world.scheduler.schedule('noop', { at: new Date('2099-01-01') }));
  await changeIn(path, "UPDATE QRTZ_TRIGGERS SET TRIGGER_STATE = 'ACQUIRED'");
  await has(world, 'statesRepaired');
  return world;
}

/** A node whose time zone data is newer than that of the stored fire times. */
async function updated() {
  const path = newFile();
  const earlier = await startedNode(path, 'earlier');
  await settled([earlier.clock], earlier.scheduler.shutdown());
  await changeIn(path, "REPLACE INTO QRTZ_X_META VALUES ('QuartzScheduler', 'timeZoneData', '2000a')");
  const world = await startedNode(path);
  await has(world, 'fireTimesRecomputed');
  return world;
}

/** A Java node and one of ours with a wrong clock, until the Java node leaves. */
async function besideJava() {
  const path = newFile();
  await startedNode(path, 'earlier');
  const inAnHour = Date.now() + 3_600_000;
  await changeIn(path, `INSERT INTO QRTZ_SCHEDULER_STATE VALUES ('QuartzScheduler', 'java', ${inAnHour}, 7500)`);
  const world = await startedNode(path, 'n', new ManualClock(Date.now() + 10_000));
  await has(world, 'clockUnsafe');
  await changeIn(path, "DELETE FROM QRTZ_SCHEDULER_STATE WHERE INSTANCE_NAME = 'java'");
  await has(world, 'clockSafe');
  return world;
}

/** Jobs that no node can run: one of an unknown type, and one with unreadable data. */
async function unrunnable() {
  const path = newFile();
  const world = await startedNode(path);
  const { scheduler, clock } = world;
  const now = { at: new Date(clock.now() + 1_000) };
  await world.soon(scheduler.schedule('renamed', { ...now, registeredLater: true }));
  await world.soon(scheduler.schedule('noop', now));
  await changeIn(path, "UPDATE QRTZ_JOB_DETAILS SET JOB_DATA = X'ACED0005FF' WHERE JOB_NAME = 'noop'");
  await has(world, 'rowUnreadable');
  await has(world, 'jobTypesMissing');
  return world;
}

/** A node that is drained and undrained. */
async function drained() {
  const world = await startedNode(newFile());
  await world.soon(world.scheduler.drain());
  await world.soon(world.scheduler.undrain());
  return world;
}

/** A node of a cluster whose clock jumps, as when its event loop is blocked. */
async function stalled() {
  const path = newFile();
  const first = await startedNode(path, 'first');
  const second = await startedNode(path, 'second');
  const clocks = [first.clock, second.clock];
  await passUntil(clocks, () => first.heard('nodeJoined').some(({ instanceId }) => instanceId === 'second'));
  first.clock.advanceTo(first.clock.now() + 10_000);
  await passUntil(clocks, () => first.heard('nodeStalled').length > 0);
  return first;
}

afterEach(closeAll);
afterAll(deleteFolders);

describe('events and log lines in a cluster', () => {
  it('report that another node joins and leaves', async () => {
    proves('events', 'nodeJoined', 'nodeLeft');
    expectEvents(await company(), ['nodeJoined', 'nodeLeft']);
  });

  it('report the failure and recovery of another node', async () => {
    proves('events', 'nodeFailed', 'nodeRecovered');
    expectEvents((await takeover()).other, ['nodeFailed', 'nodeRecovered']);
  });

  it('report that a silent node was fenced', async () => {
    proves('events', 'completionFenced', 'nodeFenced');
    expectEvents((await takeover()).silent, ['completionFenced', 'nodeFenced']);
  });

  it('report a blocked event loop', async () => {
    proves('events', 'nodeStalled');
    expectEvents(await stalled(), ['nodeStalled']);
  });

  it('report an outage of the database', async () => {
    proves('events', 'storeUnavailable', 'storeAvailable');
    expectEvents(await outage(), ['storeUnavailable', 'storeAvailable']);
  });

  it('report the repair of a trigger that was edited in the database', async () => {
    proves('events', 'statesRepaired');
    expectEvents(await edited(), ['statesRepaired']);
  });

  it('report fire times that were recomputed with newer time zone data', async () => {
    proves('events', 'fireTimesRecomputed');
    expectEvents(await updated(), ['fireTimesRecomputed']);
  });

  it('report a wrong clock in a cluster with a Java node', async () => {
    proves('events', 'clockUnsafe', 'clockSafe');
    expectEvents(await besideJava(), ['clockUnsafe', 'clockSafe']);
  });

  it('report that a node is drained and undrained', async () => {
    proves('events', 'nodeDraining', 'nodeUndrained');
    expectEvents(await drained(), ['nodeDraining', 'nodeUndrained']);
  });

  it('report jobs that no node can run', async () => {
    proves('events', 'rowUnreadable', 'jobTypesMissing');
    expectEvents(await unrunnable(), ['rowUnreadable', 'jobTypesMissing']);
  });
});
