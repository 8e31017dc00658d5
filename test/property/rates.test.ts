import fc from 'fast-check';
import { refuse } from '../../src/domain/admission';
import type { TriggerFiring } from '../../src/domain/firing';
import { occurrenceOf } from '../../src/domain/occurrence';
import type { RateRule } from '../../src/domain/rate-limit';
import type { JobStore } from '../../src/store/job-store';
import { MemoryJobStore } from '../../src/store/memory/memory-job-store';
import { job, NOW, once, POLICY, SCOPE } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { storesOfNodes } from '../support/database/cluster-stores';
import { openSqliteStores, type StoreDatabase } from '../support/database/sql-store';
import { runsOf } from '../support/long-forms';
import { settings } from './cron-expressions';

/** A time at which a node polls, and the number of triggers that it acquires. */
interface Visit {
  /** Time since the previous visit, as a share of the period. */
  readonly gap: number;
  readonly node: number;
  readonly maxCount: number;
  /** Maximum number of batches in the visit. */
  readonly batches: number;
}

interface Case {
  readonly rule: RateRule;
  /** Due times of the firings, as shares of the period. */
  readonly due: readonly number[];
  readonly visits: readonly Visit[];
}

interface Begun {
  readonly name: string;
  readonly due: number;
  readonly at: number;
}

const rules = fc
  .record({
    limit: fc.integer({ min: 1, max: 12 }),
    per: fc.integer({ min: 1_000, max: 600_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ limit, per, share }): RateRule => ({ limit, per, burst: 1 + Math.floor(share * (limit - 1)) }));

/** Gaps between the visits of quick, busy and absent nodes. */
const gaps = fc.oneof(
  { weight: 4, arbitrary: fc.double({ min: 0, max: 0.05, noNaN: true }) },
  { weight: 3, arbitrary: fc.double({ min: 0, max: 0.4, noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ min: 0, max: 4, noNaN: true }) },
);

const visit = fc.record({
  gap: gaps,
  node: fc.integer({ min: 0, max: 1 }),
  maxCount: fc.integer({ min: 1, max: 8 }),
  batches: fc.integer({ min: 1, max: 6 }),
});

const cases = fc.record({
  rule: rules,
  due: fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { minLength: 1, maxLength: 40 }),
  visits: fc.array(visit, { minLength: 10, maxLength: 80 }),
});

/** Maximum number of these times within any half-open period of this length. */
function most(times: readonly number[], length: number): number {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + length).length));
}

/** Runs one visit of a node and returns the firings that it has started. */
async function visitOnce(driver: StoreDriver, { maxCount, batches }: Visit): Promise<readonly Begun[]> {
  const begun: Begun[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const firings = await driver.fireDue({ maxCount });
    if (firings.length === 0) break;
    for (const firing of firings) if (await handle(driver, firing)) begun.push(toBegun(firing));
  }
  return begun;
}

async function handle(driver: StoreDriver, firing: TriggerFiring): Promise<boolean> {
  const refusal = refuse(firing);
  const further = refusal?.status === 'defer' ? { further: refusal.further } : {};
  await driver.complete(firing, 'DELETE_TRIGGER', further);
  return refusal === null;
}

function toBegun(firing: TriggerFiring): Begun {
  const { triggerKey: key, scheduledTime } = occurrenceOf(firing);
  return { name: key.name, due: scheduledTime, at: firing.fireTime };
}

/** Number of started firings after each visit, if each starts as soon as fewer than the limit have started within `span`. */
function slowOracle(
  { rule, due }: Case,
  times: readonly { readonly at: number; readonly most: number }[],
  span: number,
) {
  const waiting = due.map((share) => dueTime(rule, share)).sort((a, b) => a - b);
  const begun: number[] = [];
  return times.map(({ at, most: capacity }) => {
    for (let taken = 0; taken < capacity; taken++) {
      const isFull = begun.filter((time) => time > at - span).length >= rule.limit;
      if (isFull || waiting[0] === undefined || waiting[0] > at) break;
      waiting.shift();
      begun.push(at);
    }
    return begun.length;
  });
}

const dueTime = ({ per }: RateRule, share: number) => NOW + Math.floor(share * per);

async function store(driver: StoreDriver, { rule, due }: Case): Promise<void> {
  const detail = job('job', { durable: true, policy: { rate: { key: 'api', ...rule } } });
  await driver.schedule(
    detail,
    ...due.map((share, at) =>
      once(`t${at}`, { startTime: dueTime(rule, share), misfireInstruction: 'IGNORE_MISFIRE_POLICY' }),
    ),
  );
}

function describeRatesOf(name: string, numRuns: number, open: () => Promise<readonly JobStore[]>): void {
  describe(`rate limits on the ${name} store`, () => {
    async function play(each: Case) {
      const drivers = (await open()).map((opened) => new StoreDriver(opened));
      for (const driver of drivers) await driver.open();
      const [first] = drivers as [StoreDriver];
      await store(first, each);
      const begun: Begun[] = [];
      const after: { readonly at: number; readonly count: number }[] = [];
      let now = NOW;
      for (const visited of each.visits) {
        now += Math.floor(visited.gap * each.rule.per);
        const driver = drivers[visited.node % drivers.length] as StoreDriver;
        // A node that has acquired triggers polls again at once.
        for (const later of [0, 1, 2]) {
          driver.now = now + later;
          begun.push(...(await visitOnce(driver, visited)));
        }
        after.push({ at: now, count: begun.length });
        now += 2;
      }
      return { begun, after, drivers, now };
    }

    async function close(drivers: readonly StoreDriver[]): Promise<void> {
      await (drivers[0] as StoreDriver).apply({ type: 'clear' });
      for (const { store: each } of drivers) await each.close();
    }

    it('never let more firings start than the limit within a period, and keep their order', async () => {
      await fc.assert(
        fc.asyncProperty(cases, async (each) => {
          const { begun, drivers } = await play(each);
          expect(
            begun.length === 0
              ? 0
              : most(
                  begun.map(({ at }) => at),
                  each.rule.per,
                ),
          ).toBeLessThanOrEqual(each.rule.limit);
          expect(new Set(begun.map(({ name: of }) => of)).size).toBe(begun.length);
          const dues = begun.map(({ due }) => due);
          expect(dues).toEqual([...dues].sort((a, b) => a - b));
          await close(drivers);
        }),
        { numRuns: runsOf(numRuns), ...settings },
      );
    });

    it('let as many firings start as an oracle with 95 % of the rate, however late nodes poll', async () => {
      await fc.assert(
        fc.asyncProperty(cases, async (given) => {
          // The burst equals the limit, because firings that are spread evenly would count as late.
          const each: Case = {
            ...given,
            rule: { ...given.rule, burst: given.rule.limit },
            visits: given.visits.map((visited) => ({ ...visited, maxCount: 100, batches: 100 })),
          };
          const { after, drivers } = await play(each);
          const oracle = slowOracle(
            each,
            after.map(({ at }) => ({ at, most: 100 })),
            Math.ceil(each.rule.per * 1.05) + 5,
          );
          for (const [index, { count }] of after.entries())
            expect(count).toBeGreaterThanOrEqual(oracle[index] as number);
          await close(drivers);
        }),
        { numRuns: runsOf(numRuns), ...settings },
      );
    });
  });
}

interface Busy extends Case {
  /** Due times of the other triggers, as shares of the period. */
  readonly others: readonly number[];
}

/** Numbers up to `most`, evenly distributed. The doubles of fast-check are mostly close to 0. */
const evenly = (most: number) => fc.integer({ min: 0, max: 10_000 }).map((number) => (number * most) / 10_000);

const busyCases = fc.record({
  rule: rules.map(({ limit, per }) => ({ limit: Math.ceil(limit / 4), per, burst: Math.ceil(limit / 4) })),
  due: fc.array(evenly(4), { minLength: 10, maxLength: 30 }),
  others: fc.array(evenly(8), { minLength: 60, maxLength: 80 }),
  visits: fc.array(
    fc.record({
      gap: evenly(0.4),
      node: fc.constant(0),
      maxCount: fc.constant(1),
      batches: fc.integer({ min: 1, max: 3 }),
    }),
    {
      minLength: 30,
      maxLength: 60,
    },
  ),
});

/** Maximum delay of a start after its earliest possible time, because of rounding and turns that are not moved. */
function latestSpan({ per, limit }: RateRule): number {
  return Math.ceil(per * 1.05 + 50 + (per * 1.05) / limit / 10) + 5;
}

function describeBusyNodesOf(name: string, numRuns: number, open: () => Promise<readonly JobStore[]>): void {
  it(`rate limits on a busy ${name} store never start firings after triggers that became due later`, async () => {
    await fc.assert(
      fc.asyncProperty(busyCases, async (each: Busy) => {
        const [opened] = (await open()) as [JobStore];
        const driver = new StoreDriver(opened);
        await driver.open();
        await store(driver, each);
        const others = each.others.map((share, at) =>
          once(`o${at}`, { startTime: dueTime(each.rule, share), misfireInstruction: 'IGNORE_MISFIRE_POLICY' }),
        );
        await driver.schedule(job('other'), ...others);
        const waiting = new Map(each.due.map((share, at) => [`t${at}`, dueTime(each.rule, share)]));
        const begun: number[] = [];
        driver.now = NOW;
        for (const { gap, batches } of each.visits) {
          driver.now += Math.floor(gap * each.rule.per);
          for (let others = 0; others < batches; ) {
            const [firing] = await driver.fireDue({ maxCount: 1 });
            if (firing === undefined) break;
            if (!(await handle(driver, firing))) continue;
            const { name: of, due, at } = toBegun(firing);
            if (waiting.delete(of)) {
              begun.push(at);
              continue;
            }
            const capacity = each.rule.limit - begun.filter((time) => time > at - latestSpan(each.rule)).length;
            const passedOver = [...waiting.values()].filter((time) => time < due);
            if (capacity > 0) expect(passedOver).toEqual([]);
            others++;
          }
        }
        await driver.apply({ type: 'clear' });
        await driver.store.close();
      }),
      { numRuns: runsOf(numRuns), ...settings },
    );
  });
}

/** Disturbances of a run at a visit: the rate changes, a node acquires triggers and dies, or the clock is set back. */
interface Disturbed extends Case {
  readonly changedTo: RateRule;
  readonly changedAt: number;
  readonly dies: number;
  /** Step of the clock, as a share of the period. */
  readonly back: number;
  readonly backAt: number;
}

const disturbances = fc.record({
  rule: rules,
  due: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 }),
  visits: fc.array(visit, { minLength: 10, maxLength: 30 }),
  changedTo: rules,
  changedAt: fc.integer({ min: 0, max: 29 }),
  dies: fc.integer({ min: 0, max: 29 }),
  back: fc.double({ min: 0, max: 3, noNaN: true }),
  backAt: fc.integer({ min: 0, max: 29 }),
});

function describeDisturbancesOf(name: string, numRuns: number, open: () => Promise<readonly JobStore[]>): void {
  it(`rate limits on the ${name} store hold despite disturbances, and all waiting firings start in time`, async () => {
    await fc.assert(
      fc.asyncProperty(disturbances, async (each: Disturbed) => {
        const drivers = (await open()).map((opened) => new StoreDriver(opened));
        for (const driver of drivers) await driver.open();
        const [first] = drivers as [StoreDriver];
        await store(first, each);
        let elapsed = NOW; // time that no clock shows
        let behind = 0;
        let { rule } = each;
        const begun: { at: number; rule: RateRule }[] = [];
        const visitAll = async (visited: Visit) => {
          const driver = drivers[visited.node % drivers.length] as StoreDriver;
          driver.now = elapsed - behind;
          for (const { at } of await visitOnce(driver, visited)) begun.push({ at: at + behind, rule });
        };
        for (const [index, visited] of each.visits.entries()) {
          elapsed += Math.floor(visited.gap * rule.per);
          if (index === each.backAt) behind += Math.floor(each.back * rule.per);
          if (index === each.changedAt) {
            rule = each.changedTo;
            const detail = job('job', { durable: true, policy: { rate: { key: 'api', ...rule } } });
            first.now = elapsed - behind;
            await first.apply({ type: 'storeJob', job: detail, ifExists: 'replace', requireTrigger: false });
          }
          if (index === each.dies) {
            const dead = drivers.at(-1) as StoreDriver;
            dead.now = elapsed - behind;
            const held = await dead.acquire({ noLaterThan: dead.now + rule.per, maxCount: 5 });
            await dead.store.releaseTriggers(held); // as a node that takes over does
          }
          await visitAll(visited);
        }
        const left = each.due.length - begun.length;
        const visits =
          20 * (Math.ceil((left / rule.limit) * 1.05) + 3) + Math.ceil((20 * (behind + 2 * each.rule.per)) / rule.per);
        for (let turn = 0; turn < visits && begun.length < each.due.length; turn++) {
          elapsed += Math.ceil(rule.per / 20);
          await visitAll({ gap: 0, node: turn % 2, maxCount: 30, batches: 10 });
        }
        expect(begun).toHaveLength(each.due.length);
        for (const held of [each.rule, each.changedTo]) {
          const times = begun.filter((run) => run.rule === held).map(({ at }) => at);
          expect(times.length === 0 ? 0 : most(times, held.per)).toBeLessThanOrEqual(held.limit);
        }
        await first.apply({ type: 'clear' });
        for (const { store: opened } of drivers) await opened.close();
      }),
      { numRuns: runsOf(numRuns), ...settings },
    );
  });
}

let count = 0;
const openMemory = async () => [new MemoryJobStore(() => `memory.${++count}`, { scope: SCOPE, policy: POLICY })];
describeRatesOf('memory', 300, openMemory);
describe('rates', () => {
  let database: StoreDatabase;

  beforeAll(async () => {
    database = await openSqliteStores();
  });

  afterAll(() => database.close());

  const openNodes = async () => storesOfNodes(database, ['one', 'two']).map((each) => each.store);
  describeRatesOf('sqlite', 15, openNodes);
  describeBusyNodesOf('memory', 200, openMemory);
  describeBusyNodesOf('sqlite', 40, openNodes);
  describeDisturbancesOf('memory', 200, openMemory);
  describeDisturbancesOf('sqlite', 15, openNodes);
});
