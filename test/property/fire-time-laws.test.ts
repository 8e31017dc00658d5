import fc from 'fast-check';
import { openSqliteStores, type StoreDatabase, storeOn } from '../support/database/sql-store';
import { aLife } from '../support/laws/arbitrary-lives';
import { WatchedTrigger } from '../support/laws/watched-trigger';
import { IS_LONG } from '../support/long-forms';

/*
 * `LAW_SEEDS=12,40-60 LAW_LIVES=300 npm run test:laws` runs other sequences. The short form always runs the same ones, so that a
 * failure is caused by the change under test. `LAW_STORE` selects one store.
 */

interface Lives {
  readonly store: string;
  readonly seeds: string;
  readonly lives: number;
}

const SHORT: readonly Lives[] = [
  { store: 'memory', seeds: '1,12,13', lives: 30 },
  { store: 'sqlite', seeds: '1', lives: 8 },
];
const LONG: readonly Lives[] = [
  { store: 'memory', seeds: '1-60', lives: 60 },
  { store: 'sqlite', seeds: '1-6', lives: 20 },
];

/** Seeds in a list such as `12,40-60`. */
function seedsIn(list: string): readonly number[] {
  return list.split(',').flatMap((each) => {
    const [first = 1, last = first] = each.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

const { LAW_SEEDS = process.env.SEED, LAW_LIVES, LAW_STORE } = process.env;
const chosen = (IS_LONG || LAW_SEEDS !== undefined ? LONG : SHORT).filter(
  ({ store }) => LAW_STORE === undefined || store === LAW_STORE,
);
const lives = chosen.flatMap(({ store, seeds, lives: count }) =>
  seedsIn(LAW_SEEDS ?? seeds).map((seed) => ({ store, seed, numRuns: Number(LAW_LIVES ?? count) })),
);

let database: StoreDatabase;

beforeAll(async () => {
  database = await openSqliteStores();
});

afterAll(() => database.close());

describe('a trigger in a random scenario', () => {
  it.each(lives)(
    'fires exactly at its scheduled times, and a change drops no due time ($store, LAW_SEEDS=$seed)',
    async ({ store, seed, numRuns }) => {
      await fc.assert(
        fc.asyncProperty(aLife, async ({ place, before, calendar, first, steps }) => {
          const storeOfLife = store === 'sqlite' ? storeOn(database) : undefined;
          const watched = await WatchedTrigger.open(place.change - before, calendar, storeOfLife);
          for (const step of [first, ...steps]) await step.run(watched);
          await watched.end();
        }),
        { numRuns, seed },
      );
    },
    IS_LONG || LAW_SEEDS !== undefined ? 600_000 : undefined,
  );
});
