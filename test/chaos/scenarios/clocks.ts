import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../../cluster/support/time';
import type { LoadScenario, RunOptions, Stage } from '../scenario';

/*
 * Wrong and stepped wall clocks: libfaketime gives each process its own. Monotonic clocks stay correct, as in reality. On SQLite the clock of the
 * process is the clock of the database, so these scenarios are for a server.
 */

const LIBRARIES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (folder) => `/usr/lib/${folder}/faketime/libfaketime.so.1`,
);
const library = () =>
  [process.env.FAKETIME_LIB, ...LIBRARIES].find((path) => path !== undefined && existsSync(path)) ?? null;

const missing = () =>
  library() === null ? 'libfaketime was not found (Debian: apt-get install libfaketime, or FAKETIME_LIB=path)' : null;

const HOUR = 3_600;
const DAY = 24 * HOUR;

const fileOf = ({ folder }: RunOptions, name: string) => join(folder, `clock-${name}`);

function setClock(options: RunOptions, name: string, seconds: number): void {
  writeFileSync(fileOf(options, name), `${seconds < 0 ? '' : '+'}${seconds}s\n`);
}

/** Nodes with a separate clock, and its initial error in seconds. */
const faked = (offsets: Readonly<Record<string, number>>) => (options: RunOptions, name: string) => {
  const offset = offsets[name];
  if (offset === undefined) return {};
  setClock(options, name, offset);
  return {
    env: {
      LD_PRELOAD: library() as string,
      FAKETIME_TIMESTAMP_FILE: fileOf(options, name),
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  };
};

async function step({ options, fleet, random, left }: Stage): Promise<void> {
  for (let turn = 0; left() > 5_000; turn++) {
    await pause(random.between(1_500, 3_500));
    fleet.count('clock stepped');
    setClock(options, 'n2', turn % 2 === 0 ? -2 : 2);
    if (turn % 3 === 0) setClock(options, 'n3', random.pick([-HOUR, HOUR, 0, -DAY, 60]));
    if (turn === 6) setClock(options, 'n1', -HOUR);
  }
}

async function stepAndKill(stage: Stage): Promise<void> {
  const { options, fleet, random, left } = stage;
  while (left() > 5_000) {
    await pause(random.between(2_000, 4_000));
    fleet.count('clock stepped');
    setClock(options, 'n3', random.pick([-HOUR, HOUR, 2, -2, 0]));
    const member = random.pick(fleet.living);
    await fleet.kill(member);
    await fleet.start(member);
  }
}

const COMMON = { stores: ['server'], missing, interferes: true } as const;

export const CLOCK_SCENARIOS: readonly LoadScenario[] = [
  {
    ...COMMON,
    name: 'clocks',
    about: 'the clock of a node is an hour wrong, and clocks are stepped',
    launch: faked({ n1: HOUR, n2: 0, n3: 0 }),
    disturb: step,
  },
  {
    ...COMMON,
    name: 'clocks-kill',
    about: 'clocks of nodes are an hour wrong, and are stepped; kill -9',
    launch: faked({ n1: HOUR, n2: -HOUR, n3: 0 }),
    disturb: stepAndKill,
  },
];
