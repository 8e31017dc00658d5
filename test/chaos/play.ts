import type { Noted } from '../cluster/support/history';
import { monotonic } from '../cluster/support/monotonic.cjs';
import { pause } from '../cluster/support/time';
import { checkHistory, type Run, type Verdict } from './checker/check-history';
import { type Disturbance, judgeLateness, type LatenessByClass, latenessByClass } from './checker/lateness';
import { judgeRest } from './checker/rest';
import { LATE_BY_DESIGN } from './loads';
import type { LoadScenario, Outcome, RunOptions, Scenario, Stage } from './scenario';
import { untilAtRest } from './world/at-rest';
import { measureForeignLoad } from './world/foreign-load';
import { detectionOf, MAX_WITHIN_LEASE, openStage } from './world/stage';
import { measureStandstill } from './world/standstill';

/** Results of one run. */
export interface RunReport extends Outcome {
  readonly scenario: string;
  readonly options: RunOptions;
  readonly lateness: LatenessByClass | null;
  /** Number of faults by kind. */
  readonly deeds: Readonly<Record<string, number>>;
  /** Number of reported events by type. */
  readonly events: Readonly<Record<string, number>>;
}

/** Maximum share of the processors that other programs may use. Above it, lateness and late check-ins are reported and not checked. */
const MAX_FOREIGN_LOAD = 0.15;
/** Maximum pause of the whole machine, with the same effect. Milliseconds. */
const MAX_STANDSTILL = 500;

/** Plays a scenario once. An error of the scenario itself is a violation too, because nothing was proved. */
export async function play(scenario: Scenario, options: RunOptions): Promise<RunReport> {
  const base = { scenario: scenario.name, options, lateness: null, deeds: {}, events: {} };
  try {
    if ('play' in scenario) return { ...base, ...(await scenario.play(options)) };
    return { ...base, ...(await playUnderLoad(scenario, options)) };
  } catch (error) {
    return { ...base, counts: {}, violations: { failed: [(error as Error).stack ?? String(error)] } };
  }
}

/** Violations as a list of lines. */
export function findingsOf({ violations }: Outcome): readonly string[] {
  return Object.entries(violations)
    .filter(([, found]) => found.length > 0)
    .map(([name, found]) => `${name}: ${found.length}, such as ${found.slice(0, 2).join('; ')}`);
}

async function playUnderLoad(
  scenario: LoadScenario,
  options: RunOptions,
): Promise<Omit<RunReport, 'scenario' | 'options'>> {
  const stage = await openStage(scenario, options);
  try {
    const begin = monotonic();
    const foreignLoad = measureForeignLoad();
    const standstill = measureStandstill();
    await scenario.disturb(stage);
    await pause(stage.left());
    const { rest, quietAfter } = await untilAtRest(stage.world);
    const excuse = excuseOf(foreignLoad() ?? 0, standstill());
    const living = await livingIds(stage);
    const atRest = judgeRest(rest, living);
    const continuous: readonly Disturbance[] = scenario.interferes
      ? [{ kind: 'interference', from: begin, to: monotonic() }]
      : [];
    await stage.fleet.stopAll();
    const run = {
      ...(await stage.fleet.run(stage.expected)),
      isBusy: excuse !== null,
      ...('earlyTolerance' in scenario ? { earlyTolerance: scenario.earlyTolerance } : {}),
    } as Run;
    return judge(scenario, stage, { run, atRest, quietAfter, continuous, excuse });
  } finally {
    await stage.fleet.close();
    await stage.world.close();
  }
}

interface Played {
  readonly run: Run;
  readonly atRest: readonly string[];
  readonly quietAfter: number;
  readonly continuous: readonly Disturbance[];
  /** Reason why the machine was too slow; null if it was not. */
  readonly excuse: string | null;
}

function excuseOf(foreign: number, standstill: number): string | null {
  if (foreign > MAX_FOREIGN_LOAD) return `others used ${Math.round(foreign * 100)} % of the processors`;
  return standstill > MAX_STANDSTILL ? `the machine stood still for ${standstill} ms` : null;
}

function judge(
  scenario: LoadScenario,
  { fleet, options }: Stage,
  { run, atRest, quietAfter, continuous, excuse }: Played,
) {
  const detection = detectionOf(options);
  const isBusy = excuse !== null;
  const disturbances = [...fleet.disturbances, ...continuous];
  const isWithinLease = !isBusy && longestOutage(disturbances) <= MAX_WITHIN_LEASE * detection;
  const strict = scenario.mayFence === false && isWithinLease ? { ...run, fenced: new Set<string>() } : run;
  const verdict = checkHistory(strict);
  const { lateJob } = scenario;
  const lateness = latenessByClass(run, { disturbances, detection, lateByDesign: LATE_BY_DESIGN, lateJob });
  return {
    counts: { ...verdict.counts, ...recoveryDelays(verdict), quietAfter: Math.round(quietAfter) },
    violations: {
      ...verdict.violations,
      leftAtRest: atRest,
      late: scenario.isLate || isBusy ? [] : judgeLateness(lateness, detection),
      processes: fleet.findings,
    },
    notes: [
      ...(isBusy ? [`lateness was not judged: ${excuse}`] : []),
      ...(scenario.mayFence === false && !isWithinLease ? ['that nodes lost their leases was not judged'] : []),
    ],
    lateness,
    deeds: fleet.deeds,
    events: eventsIn(run),
  };
}

const longestOutage = (disturbances: readonly Disturbance[]) =>
  Math.max(0, ...disturbances.filter(({ kind }) => kind === 'outage').map(({ from, to }) => to - from));

async function livingIds({ fleet }: Stage): Promise<readonly string[]> {
  const ids = fleet.living.map(({ process }) =>
    process?.command('call', { method: 'getSchedulerInstanceId', args: [] }),
  );
  return (await Promise.all(ids)) as string[];
}

function recoveryDelays({ recoveryDelays: delays }: Verdict) {
  return delays.length === 0 ? {} : { recoveryDelayMax: Math.round(Math.max(...delays)) };
}

function eventsIn({ history }: Run): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of history) {
    if (line.line === 'warning') count(counts, `warning: ${line.error}`);
    if (line.line === 'event') count(counts, describe(line));
  }
  return counts;
}

const count = (counts: Record<string, number>, key: string) => {
  counts[key] = (counts[key] ?? 0) + 1;
};

/** Describes an event without names, so that equal events of many rows are counted together. */
const describe = ({ type, reason, error = '' }: Noted) =>
  [type, reason, error.replace(/'[^']*'/g, "'…'").slice(0, 200)].filter(Boolean).join(' ');
