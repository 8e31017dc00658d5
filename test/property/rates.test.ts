import fc from 'fast-check';
import { refuse } from '../../src/domain/admission';
import type { TriggerFiring } from '../../src/domain/firing';
import { occurrenceOf } from '../../src/domain/occurrence';
import type { RateRule } from '../../src/domain/rate-limit';
import type { JobStore } from '../../src/store/job-store';
import { MemoryJobStore } from '../../src/store/memory/memory-job-store';
import { job, NOW, once, POLICY, SCOPE } from '../conformance/samples';
import { StoreDriver } from '../conformance/store-driver';
import { settings } from './cron-expressions';

/** A moment at which a node looks for work, and how much it takes. */
interface Visit {
  /** After the visit before, in shares of the span. */
  readonly gap: number;
  readonly node: number;
  readonly maxCount: number;
  /** How many batches it takes. */
  readonly batches: number;
}

interface Case {
  readonly rule: RateRule;
  /** When firings are due, in shares of the span. */
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

/** Nodes that are quick, busy or away for long, in turn. */
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

/** The most of these that lie in any half-open time of that length. */
function most(times: readonly number[], length: number): number {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + length).length));
}

/** What a node does in one visit; what has begun. */
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

/** How much has begun after each visit where each begins as soon as fewer than the limit began within the span. */
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
  describe(`rates on the ${name} store`, () => {
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
        // A node that found something looks again at once.
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

    it('never lets more begin than the limit in any time of the span, and in their order', async () => {
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
        { numRuns, ...settings },
      );
    });

    it('lets as much begin as an oracle with 95 % of the rate, however late nodes come', async () => {
      await fc.assert(
        fc.asyncProperty(cases, async (given) => {
          // All that is waiting may begin together: what is spread evenly is not late.
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
        { numRuns, ...settings },
      );
    });
  });
}

let count = 0;
describeRatesOf('memory', 300, async () => [
  new MemoryJobStore(() => `memory.${++count}`, { scope: SCOPE, policy: POLICY }),
]);
