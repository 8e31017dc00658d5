import { proves } from '../../../support/proves';
import { node, silentNode } from '../../../support/world/cluster';
import { changeIn, rowsIn } from '../../../support/world/sqlite-file';
import { passUntil } from '../../../support/world/time';
import { closeAll, deleteFolders, endless, newFile, open } from '../../../support/world/world';

/** Time until a node notices a silent one, and the report of the recovery of its firing. */
async function recoveredBy(keys: object) {
  const path = newFile();
  await silentNode(path, keys);
  const other = await open(node(path, 'other', keys), { jobs: { job: endless } });
  await other.soon(other.scheduler.start());
  const failedAfter = await other.until(() => other.heard('nodeFailed').length > 0);
  await other.until(() => other.heard('nodeRecovered').length > 0);
  return { failedAfter, report: other.heard('nodeRecovered')[0]?.report };
}

/** Number of check-ins of a node that are stored within ten seconds. */
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

/** As PACE, with a lease that outlasts any pause of a busy machine. */
const PATIENT = { clusterCheckinInterval: 500, clusterCheckinGrace: 20_000 };

/** Durations of the stalls that a node reports after one of 10 s, next to another node. */
async function stallsWith(yieldAfterStall: number): Promise<readonly number[]> {
  const path = newFile();
  const keys = { ...PATIENT, yieldAfterStall };
  const [first, second] = [await open(node(path, 'first', keys)), await open(node(path, 'second', keys))];
  for (const world of [first, second]) await world.soon(world.scheduler.start());
  const clocks = [first.clock, second.clock];
  await passUntil(clocks, () => first.heard('nodeJoined').some(({ instanceId }) => instanceId === 'second'));
  first.clock.advanceTo(first.clock.now() + 10_000);
  const end = first.clock.now() + 2_000;
  await passUntil(clocks, () => first.clock.now() >= end, end);
  return first.heard('nodeStalled').map(({ stalledFor }) => stalledFor);
}

afterEach(closeAll);
afterAll(deleteFolders);

describe('the cluster setting', () => {
  it('jobStore.clusterCheckinInterval sets how often a node checks in', async () => {
    proves('configuration', 'jobStore.clusterCheckinInterval');
    // A node checks in three times per interval.
    expect(await checkInsIn10s(1_000)).toBeGreaterThan(25);
    expect(await checkInsIn10s(10_000)).toBeLessThan(5);
  });

  it('jobStore.clusterCheckinGrace delays the detection of a silent node', async () => {
    proves('configuration', 'jobStore.clusterCheckinGrace');
    const detected = async (clusterCheckinGrace: number) =>
      (await recoveredBy({ clusterCheckinInterval: 1_000, clusterCheckinGrace })).failedAfter;
    expect(await detected(1_000)).toBeLessThan(5_000);
    expect(await detected(20_000)).toBeGreaterThan(20_000);
  });

  it('jobStore.maxRecoveryAttempts limits how often a firing is recovered', async () => {
    proves('configuration', 'jobStore.maxRecoveryAttempts');
    const reportWith = async (maxRecoveryAttempts: number) =>
      (await recoveredBy({ ...PACE, maxRecoveryAttempts })).report;
    const key = { group: 'RECOVERING_JOBS' };
    expect(await reportWith(0)).toMatchObject({ recovered: [], exhausted: [key] });
    expect(await reportWith(3)).toMatchObject({ recovered: [key], exhausted: [] });
  });

  it('jobStore.yieldAfterStall sets the shortest stall that a node reports', async () => {
    proves('configuration', 'jobStore.yieldAfterStall');
    expect(await stallsWith(5_000)).toEqual([expect.closeTo(9_000, -4)]);
    expect(await stallsWith(20_000)).toEqual([]);
  });
});
