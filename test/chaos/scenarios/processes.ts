import { pause } from '../../cluster/support/time';
import type { LoadScenario, Stage } from '../scenario';
import type { Fleet, Member } from '../world/fleet';

/*
 * Faults of the processes.
 */

/** Time without kills at the end, because other nodes must detect a kill during the load. */
const LAST_FAULT = 5_000;

interface Pace {
  readonly pause: readonly [least: number, most: number];
}

/** Kills random nodes one after the other. Each starts again at once. */
export async function kill({ fleet, random, left }: Stage, { pause: [least, most] }: Pace): Promise<void> {
  const restarts: Promise<void>[] = [];
  while (left() > LAST_FAULT) {
    await pause(Math.min(random.between(least, most), left() - LAST_FAULT));
    if (fleet.living.length === 0) continue;
    const member = random.pick(fleet.living);
    await fleet.kill(member);
    restarts.push(fleet.start(member));
  }
  await Promise.all(restarts);
}

interface Freezing extends Pace {
  readonly length: readonly [least: number, most: number];
}

/** Stops random nodes, often several at a time, but never all. */
async function freeze({ fleet, random, left }: Stage, { pause: [least, most], length }: Freezing): Promise<void> {
  const frozen = new Set<Member>();
  const going: Promise<void>[] = [];
  while (left() > LAST_FAULT) {
    await pause(random.between(least, most));
    const free = fleet.living.filter((member) => !frozen.has(member));
    if (free.length <= 1) continue;
    const member = random.pick(free);
    frozen.add(member);
    const duration = Math.min(random.between(...length), Math.max(1_000, left() - 1_000));
    going.push(fleet.freeze(member, duration).then(() => void frozen.delete(member)));
  }
  await Promise.all(going);
}

async function freezeAll({ fleet, random, left }: Stage): Promise<void> {
  while (left() > LAST_FAULT + 4_000) {
    await pause(3_000);
    const duration = random.between(2_000, 7_000);
    await Promise.all(fleet.living.map((member) => fleet.freeze(member, duration, true)));
  }
}

/** Plays a deployment: a new node starts, and an old one shuts down, with or without waiting for its jobs. */
async function roll({ fleet, left }: Stage): Promise<void> {
  for (let turn = 1; left() > LAST_FAULT; turn++) {
    await pause(700);
    const [oldest] = fleet.living;
    await fleet.add(`v${turn}`);
    if (oldest === undefined) continue;
    fleet.count('leave');
    await fleet.stop(oldest);
  }
}

/** Kills and stops nodes exactly when thousands of triggers are due. */
const BURSTS = [4_000, 14_000, 24_000, 34_000, 44_000];

async function strikeBursts({ fleet, random, left, options }: Stage): Promise<void> {
  const length = options.seconds * 1_000;
  for (const [index, at] of BURSTS.filter((moment) => moment < length - LAST_FAULT).entries()) {
    await pause(left() - (length - at) + random.between(10, 250));
    const [first, second] = fleet.living;
    if (first === undefined || second === undefined) continue;
    if (index % 2 === 1) await Promise.all([fleet.freeze(first, 4_500), fleet.freeze(second, 2_500)]);
    else await killBoth(fleet, [first, second], random.between(20, 150));
  }
}

async function killBoth(fleet: Fleet, [first, second]: readonly [Member, Member], between: number): Promise<void> {
  await fleet.kill(first);
  const back = fleet.start(first);
  await pause(between);
  await fleet.kill(second);
  await Promise.all([back, fleet.start(second)]);
}

const OFTEN: Pace = { pause: [3_000, 8_000] };
const LONG: Freezing = { pause: [500, 3_000], length: [1_000, 30_000] };
const SHORT: Freezing = { pause: [200, 800], length: [1_500, 4_500] };
const MIXED: Freezing = { pause: [500, 3_000], length: [1_000, 8_000] };

export const PROCESS_SCENARIOS: readonly LoadScenario[] = [
  { name: 'calm', about: 'no faults', mayFence: false, disturb: async () => undefined },
  { name: 'kill', about: 'kill -9', disturb: (stage) => kill(stage, OFTEN) },
  {
    name: 'kill-same-id',
    about: 'kill -9; each node restarts with the same instance id',
    hasFixedIds: true,
    disturb: (stage) => kill(stage, OFTEN),
  },
  {
    name: 'burst',
    about: 'kill -9 and SIGSTOP while thousands of triggers are due',
    bursts: BURSTS,
    isLate: true,
    disturb: strikeBursts,
  },
  { name: 'freeze', about: 'SIGSTOP for 1 to 30 s', disturb: (stage) => freeze(stage, LONG) },
  { name: 'freeze-short', about: 'SIGSTOP for about the length of a lease', disturb: (stage) => freeze(stage, SHORT) },
  {
    name: 'freeze-kill',
    about: 'SIGSTOP and kill -9',
    disturb: async (stage) => {
      await Promise.all([freeze(stage, MIXED), kill(stage, { pause: [5_000, 9_000] })]);
    },
  },
  { name: 'freeze-all', about: 'SIGSTOP of all nodes at once', disturb: freezeAll },
  { name: 'rolling', about: 'nodes shut down one after another, and others start', disturb: roll },
];
