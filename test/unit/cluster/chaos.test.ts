import fc from 'fast-check';
import { DETECTION, type TestNode, World } from './harness';

const HOUR = 3_600_000;

/** What befalls one node, or the store's clock; how long after the one before, and for how long. */
const fault = fc.record({
  node: fc.nat(2),
  kind: fc.constantFrom('stop', 'cut', 'slow', 'clock'),
  after: fc.integer({ min: 0, max: 2 * DETECTION }),
  lasts: fc.integer({ min: 100, max: 4 * DETECTION }),
  latency: fc.integer({ min: 1, max: DETECTION }),
  jump: fc.integer({ min: -HOUR, max: HOUR }),
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

function heal(node: TestNode): void {
  node.resume();
  node.mend();
  node.latency = 0;
}

async function play({ skews, faults }: Scenario): Promise<void> {
  const world = new World();
  const nodes = skews.map((skew, index) => world.node(`n${index}`, { skew }));
  try {
    await world.start(...nodes);
    for (const each of faults) {
      const node = nodes[each.node] as TestNode;
      await world.advance(each.after, 100);
      strike(world, node, each);
      await world.advance(each.lasts, 100);
      if (each.lasts % 3 !== 0) heal(node); // else it lasts longer
    }
    for (const node of nodes) heal(node);
    await world.advance(5 * DETECTION, 100);
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

describe('whatever befalls the nodes of a cluster', () => {
  it('no lease outlives a recovery by its own clock, and afterwards every node is a member again', async () => {
    // As many as a slow machine plays in the time there is.
    await fc.assert(fc.asyncProperty(scenario, play), { numRuns: 60, interruptAfterTimeLimit: 8_000 });
  }, 60_000);
});
