import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { now, pause } from '../../cluster/support/time';
import { expectedTriggers, type Load, schedule } from '../../cluster/support/workload';
import { checkHistory } from '../checker/check-history';
import type { LoadScenario, Outcome, OwnScenario, RunOptions, Stage } from '../scenario';
import { smallDiskMissing } from '../world/small-disk';
import { withFleet } from '../world/stage';

/*
 * Faults of a SQLite file: its disk is full, or another program overwrites it.
 */

const LAST_FAULT = 12_000;

/** Fills the disk. Work that needs no space continues, other work is reported and waits, and no acknowledged change is lost. */
async function fillDisk({ fleet, world, random, left }: Stage): Promise<void> {
  while (left() > LAST_FAULT) {
    await pause(5_000);
    await fleet.during('outage', 'disk full', async () => {
      world.disk?.fill();
      await pause(random.pick([500, 2_000, 6_000]));
      world.disk?.free();
    });
  }
}

const NODES = 3;
const PAGE = 4_096;

/** Overwrites most of every second page, but not the first one, because the file would no longer be a database. */
function damage(path: string): void {
  const file = openSync(path, 'r+');
  const { size } = statSync(path);
  for (let at = PAGE; at + PAGE <= size; at += 2 * PAGE) writeSync(file, Buffer.alloc(3_000, 0xa5), 0, 3_000, at + 300);
  closeSync(file);
}

/** Damages the file. The nodes report it, fire nothing twice, and can be shut down. */
async function damaged(options: RunOptions): Promise<Outcome> {
  const load: Load = {
    ...{ name: 'tick', jobs: 30, triggers: 1, interval: 1_000, duration: 10 },
    ...{ schedule: 'simple', exclusive: false, recovers: false },
  };
  return withFleet(options, { nodes: NODES }, async ({ fleet, world }) => {
    const from = now() + 500;
    const expected = expectedTriggers([load], from, from + 20_000);
    await fleet.cluster.withScheduler((scheduler) => schedule(scheduler, expected));
    await pause(5_000);
    fleet.count('pages overwritten');
    damage(world.path as string);
    await pause(8_000);
    const living = fleet.living.length;
    await fleet.stopAll();
    rmSync(world.path as string); // the damaged file cannot be checkpointed
    const history = fleet.cluster.history();
    const told = history.filter((line) => line.line === 'event' && line.type === 'schedulerError');
    // The audit in the file may be damaged too, so only the lines of the processes are checked.
    const nothing = { audit: [], killed: new Map<string, number>(), fenced: 'all', stops: [], wallOffset: 0 } as const;
    const { violations } = checkHistory({ ...nothing, history, expected });
    return {
      counts: { started: history.filter(({ line }) => line === 'start').length, told: told.length },
      violations: {
        startedTwice: violations.startedTwice ?? [],
        crashes: violations.crashes ?? [],
        processes: living === NODES ? fleet.findings : [`${living} of ${NODES} nodes live`],
        untold: told.length > 0 ? [] : ['nobody told of the damage'],
      },
    };
  });
}

export const FILE_SCENARIOS: readonly (LoadScenario | OwnScenario)[] = [
  {
    name: 'disk-full',
    about: 'the disk is full for up to 6 s',
    stores: ['sqlite'],
    hasSmallDisk: true,
    missing: smallDiskMissing,
    disturb: fillDisk,
  },
  { name: 'file-damaged', about: 'every second page of the file is overwritten', stores: ['sqlite'], play: damaged },
];
