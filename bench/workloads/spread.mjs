import { contest, interleaved } from '../lib/contest.mjs';
import { options, UsageError } from '../lib/options.mjs';
import { costs, LATENESS, print, reportOf } from '../lib/report.mjs';
import { spreadRound } from '../lib/rounds.mjs';
import { formatNumber } from '../lib/statistics.mjs';

export const usage = `  spread [--k 200] [--nodes 1] [--together 1] [--threads 25] [--batch N] [--warm 4] [--seconds 15] [--behind N] [--busy 100]
         start lateness, and the cost of a firing, of k triggers with an interval of 1 s, each at its own pseudo-random instant.
         --together: nodes per process (ours only; needs --no-java). --behind: acquisition by priority (ours only), alone and with
         N due triggers of a lower priority whose jobs take --busy ms each.`;

const COSTS = costs();
const FIGURES = [
  ['perSecond', 'firings per second', 0],
  ['early', 'started before their time', 0],
  ['earliest', 'by at most, ms', 0],
  ...LATENESS,
  ...COSTS,
];

/** For the nodes whose urgent triggers are measured; the index of that order is made at their start. */
const BY_PRIORITY = ['jobStore.acquireOrder=priority', 'jobStore.schema=migrate'];

export async function run(args) {
  const own = { store: ['mysql', 'sqlite'], k: 200, together: 1, warm: 4, seconds: 15, behind: 0, busy: 100 };
  const chosen = options(args, own);
  const { k, nodes, together, threads, batch, warm, seconds, behind, busy, rounds } = chosen;
  if (behind > 0) Object.assign(chosen, { 'no-java': true, set: [...BY_PRIORITY, ...chosen.set] });
  if (nodes % together !== 0) throw new UsageError(`--nodes ${nodes}: expected a multiple of --together ${together}.`);
  const settings = {
    k,
    nodes,
    processes: nodes / together,
    threads,
    batch,
    warm: warm * 1_000,
    millis: seconds * 1_000,
  };
  const report = await contest(chosen, async ({ server, sides }) => {
    const seen = await interleaved({
      label: 'spread',
      rounds,
      sides: [...(await sides()), ...(behind > 0 ? urgent(await sides('_behind'), behind) : [])],
      measure: (side) => spreadRound(side, { ...settings, behind: side.behind ?? 0, busy }),
    });
    const title = `Spread: ${formatNumber(k)} triggers at 1 s, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${threads} concurrent jobs`;
    const figures = behind > 0 ? FIGURES.filter((figure) => !COSTS.includes(figure)) : FIGURES;
    return reportOf({ workload: 'spread', title, server, seen, figures, main: 'lateP99', lessIsBetter: true });
  });
  print([report], chosen);
}

/** The same beside a backlog, whose own firings are not counted. */
function urgent(sides, behind) {
  return sides.map((side) => ({ ...side, label: `${side.label}, before ${formatNumber(behind)} due`, behind }));
}
