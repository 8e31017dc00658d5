import fc from 'fast-check';
import { runsOf } from '../../support/long-forms';
import { DETECTION, type TestNode, World } from './harness';

const HOUR = 3_600_000;

/** A fault of one node or of the store clock, its delay after the previous fault, and its duration. */
const fault = fc.record({
  node: fc.nat(2),
  kind: fc.constantFrom('stop', 'cut', 'slow', 'clock'),
  after: fc.integer({ min: 0, max: 2 * DETECTION }),
  lasts: fc.integer({ min: 100, max: 4 * DETECTION }),
  latency: fc.integer({ min: 1, max: DETECTION }),
  jump: fc.integer({ min: -HOUR, max: HOUR }),
  /** Order in which the timers fire after SIGCONT. */
  order: fc.array(fc.nat(7), { minLength: 1, maxLength: 8 }),
  /** True if the node reads the store's answer to a firing before any timer fires. */
  fired: fc.boolean(),
});

const scenario = fc.record({
  skews: fc.array(fc.integer({ min: -2 * HOUR, max: 2 * HOUR }), { minLength: 3, maxLength: 3 }),
  faults: fc.array(fault, { minLength: 1, maxLength: 6 }),
});

type Fault = typeof fault extends fc.Arbitrary<infer T> ? T : never;
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function strike(world: World, node: TestNode, { kind, latency, jump }: Fault): void {
  if (kind === 'stop') node.stop();
  else if (kind === 'cut') node.cut();
  else if (kind === 'slow') node.latency = latency;
  else world.storeClock.stepTo(world.storeClock.now() + jump);
}

/** Resolves when the ownership of a firing is decided. */
interface Claim {
  readonly claim: Promise<void>;
}

/**
 * Resumes a suspended process. It must detect the end of its lease itself, whichever timer fires first. It owns what it fired
 * only if no other node has ended its incarnation.
 */
async function goOn(world: World, node: TestNode, { order, fired }: Fault): Promise<Claim> {
  const { epoch } = node.node;
  const lostBefore = node.leasesLost.length;
  const mightFire = node.firingAllowed.at(-1) === true;
  const isOver = mightFire && world.row(node)?.epoch !== epoch; // otherwise it may be about to start another incarnation
  const resumed = node.resumeInOrder(order);
  const isLost = node.node.lease.state === 'lost';
  const owned = fired ? node.node.owns(epoch) : Promise.resolve(false);
  const claim = owned.then((isOwner) => {
    if (isOver) expect(isOwner).toBe(false);
  });
  await resumed;
  if (mightFire && isLost) expect(node.leasesLost.length).toBeGreaterThan(lostBefore);
  return { claim };
}

async function heal(world: World, node: TestNode, fault: Fault): Promise<Claim> {
  node.mend();
  node.latency = 0;
  return goOn(world, node, fault);
}

async function play({ skews, faults }: Scenario): Promise<void> {
  const world = new World();
  const nodes = skews.map((skew, index) => world.node(`n${index}`, { skew }));
  const claims: Promise<void>[] = [];
  try {
    await world.start(...nodes);
    for (const each of faults) {
      const node = nodes[each.node] as TestNode;
      await world.advance(each.after, 100);
      strike(world, node, each);
      await world.advance(each.lasts, 100);
      if (each.lasts % 3 !== 0) claims.push((await heal(world, node, each)).claim); // otherwise the fault lasts longer
    }
    for (const node of nodes) claims.push((await heal(world, node, faults[0] as Fault)).claim);
    await world.advance(5 * DETECTION, 100);
    await Promise.all(claims);
    expect(world.recoveredTooEarly).toEqual([]);
    expect(nodes.map(({ node }) => node.lease.state)).toEqual(['firing', 'firing', 'firing']);
    expect(nodes.map(({ node }, index) => world.store.row(`n${index}`)?.epoch === node.epoch)).toEqual([
      true,
      true,
      true,
    ]);
    expect(nodes.map(({ firingAllowed }) => firingAllowed.at(-1))).toEqual([true, true, true]);
  } finally {
    await world.close();
  }
}

describe('random faults of cluster nodes', () => {
  it('never let a lease outlive a recovery, and afterwards every node is a member again', async () => {
    // Runs as many scenarios as a slow machine completes within the limit.
    await fc.assert(fc.asyncProperty(scenario, play), { numRuns: runsOf(100), interruptAfterTimeLimit: 8_000 });
  }, 60_000);
});
