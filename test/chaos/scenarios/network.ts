import { pause } from '../../cluster/support/time';
import type { LoadScenario, Stage } from '../scenario';
import type { CommitLoss, FaultyLink, LinkMode } from '../world/faulty-link';
import { detectionOf } from '../world/stage';

/*
 * Faults of the connections to a server.
 */

type NetworkFault = LinkMode | 'reset' | 'resets' | 'latency';

const SHARE_OF_ALL = 0.3;
const COMMON = { stores: ['server'], hasLinks: true } as const;

/** Causes one fault after the other on one, two or all links. */
async function disturbLinks({ options, fleet, random, left }: Stage, faults: readonly NetworkFault[]): Promise<void> {
  while (left() > 4_000) {
    await pause(random.between(1_000, 3_000));
    const { links } = fleet;
    const isAll = random.share() < SHARE_OF_ALL;
    const chosen = isAll ? links : [random.pick(links), random.pick(links)];
    const fault = random.pick(faults);
    const length = fault === 'reset' ? 0 : Math.min(random.between(500, 9_000), Math.max(500, left() - 1_000));
    await fleet.during(kindOf(fault, isAll), isAll ? `${fault} on all` : fault, async () => {
      for (const link of chosen) apply(link, fault);
      await pause(length);
      for (const link of chosen) link.heal();
      if (FORGETTING.has(fault)) await pause(Math.max(0, detectionOf(options) - length));
    });
  }
}

/** Faults after which open connections transfer no data, even when the link works again. The nodes must detect it. */
const FORGETTING: ReadonlySet<NetworkFault> = new Set(['lose', 'loseAnswers']);

/** A node without a link counts as dead if other nodes have one: its firings are late until it is recovered or connected again. */
function kindOf(fault: NetworkFault, isAll: boolean) {
  if (fault === 'latency' || fault === 'resets') return 'interference';
  return isAll || fault === 'reset' ? 'outage' : 'death';
}

function apply(link: FaultyLink, fault: NetworkFault): void {
  if (fault === 'reset') link.cut();
  else if (fault === 'resets') link.state.resets = 0.01;
  else if (fault === 'latency') link.state.latency = 300;
  else link.state.mode = fault;
}

async function always({ fleet, left }: Stage, change: (link: FaultyLink) => void): Promise<void> {
  for (const link of fleet.links) change(link);
  await pause(left());
  for (const link of fleet.links) {
    if (link.cuts > 0) fleet.deeds.cuts = (fleet.deeds.cuts ?? 0) + link.cuts;
    link.heal();
  }
}

const losing = (commits: CommitLoss) => async (stage: Stage) => {
  await always(stage, (link) => {
    link.state.commits = commits;
  });
  if (!stage.fleet.deeds.cuts) stage.fleet.findings.push('no commit was lost: nothing was proved');
};

export const NETWORK_SCENARIOS: readonly LoadScenario[] = [
  {
    ...COMMON,
    name: 'network',
    about: 'connections to the server are reset, delayed, lost and slow',
    isLate: true, // 300 ms in each direction are too slow for the load
    earlyTolerance: 10, // a clock that is read while packets are delayed is wrong by milliseconds
    disturb: (stage) =>
      disturbLinks(stage, ['reset', 'hold', 'hold', 'lose', 'loseAnswers', 'refuse', 'latency', 'resets']),
  },
  {
    ...COMMON,
    name: 'partition',
    about: 'packets wait until the connection works again',
    disturb: (stage) => disturbLinks(stage, ['hold']),
  },
  {
    ...COMMON,
    name: 'black-hole',
    about: 'the network drops connections without a reset, as NAT does',
    disturb: (stage) => disturbLinks(stage, ['lose', 'loseAnswers']),
  },
  {
    ...COMMON,
    name: 'latency',
    about: '150 ms of latency in each direction',
    interferes: true,
    isLate: true,
    disturb: (stage) =>
      always(stage, (link) => {
        link.state.latency = 150;
      }),
  },
  {
    ...COMMON,
    name: 'resets',
    about: 'connections are reset at random',
    interferes: true,
    disturb: (stage) =>
      always(stage, (link) => {
        link.state.resets = 0.004;
      }),
  },
  {
    ...COMMON,
    name: 'commit-unanswered',
    about: '4 % of the commits lose their answer',
    interferes: true,
    disturb: losing({ share: 0.04, how: 'after' }),
  },
  {
    ...COMMON,
    name: 'commit-lost',
    about: '4 % of the commits never reach the server',
    interferes: true,
    disturb: losing({ share: 0.04, how: 'before' }),
  },
  {
    ...COMMON,
    name: 'commit-silent',
    about: '0.4 % of the commits get no answer, on a connection that stays open',
    interferes: true,
    disturb: losing({ share: 0.004, how: 'silent' }),
  },
];
