import { z } from 'zod';
import type { NodeInfo } from '../../api/reading';
import { maxOf } from '../../base/lists';
import { type LoadStep, STEP_MS } from '../../domain/node-load';
import { timeView } from '../fields';

/** Percentiles of lateness, in milliseconds. */
const latenessView = z.object({
  p50: z.number().nullable().describe('Null if no run began at its scheduled time in this period.'),
  p99: z.number().nullable(),
});

export const loadView = z.object({
  running: z.int().describe('Number of executing runs.'),
  workers: z.int().describe('Maximum number of concurrent runs.'),
  firingsPerMinute: z.number().describe('Runs per minute that began in the 60 to 90 seconds before the last check-in.'),
  failedPerMinute: z.number().describe('Runs per minute that failed in the same period.'),
  latenessMs: latenessView.describe('Lateness of the runs that began in the same period.'),
});

const stepView = z.object({
  begin: timeView,
  started: z.int().describe('Number of runs that began.'),
  ended: z.int().describe('Number of runs that ended, successful or not.'),
  failed: z.int().describe('Number of runs that failed.'),
  latenessMs: latenessView.describe('Lateness of the runs that began in the half minute.'),
});

export const clusterLoadView = z.object({
  firingsPerMinute: z.number().describe('Sum over all live nodes.'),
  failedPerMinute: z.number(),
  latenessMs: latenessView.describe("p50: mean of the nodes' medians, weighted by runs. p99: largest of the nodes."),
  successRate: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe(
      'Share of successful runs among all that ended in the last 15 minutes, recorded or not; null if none ended.',
    ),
  stepMs: z.int(),
  steps: z.array(stepView).describe('The last 15 minutes, oldest first, without nodes that have left.'),
});

type Loaded = Pick<NodeInfo, 'state' | 'load'>;

/** Returns the rates of the last minute, summed over all live nodes. */
export function clusterRatesOf(nodes: readonly Loaded[]): Omit<NonNullable<Loaded['load']>, 'running' | 'workers'> {
  const loads = nodes.flatMap(({ state, load }) => (state === 'alive' && load !== null ? [load] : []));
  const timed = loads.filter(({ latenessMs }) => latenessMs.p50 !== null);
  const weight = timed.reduce((sum, { firingsPerMinute }) => sum + firingsPerMinute, 0);
  const middle = timed.reduce((sum, load) => sum + load.firingsPerMinute * (load.latenessMs.p50 ?? 0), 0);
  const p99s = timed.map(({ latenessMs }) => latenessMs.p99 ?? 0);
  return {
    firingsPerMinute: tenths(loads.reduce((sum, load) => sum + load.firingsPerMinute, 0)),
    failedPerMinute: tenths(loads.reduce((sum, load) => sum + load.failedPerMinute, 0)),
    latenessMs: {
      p50: weight === 0 ? null : Math.round(middle / weight),
      p99: p99s.length === 0 ? null : maxOf(p99s),
    },
  };
}

export function clusterLoadOf(nodes: readonly Loaded[], steps: readonly LoadStep[]): z.input<typeof clusterLoadView> {
  const ended = steps.reduce((sum, step) => sum + step.ended, 0);
  const failed = steps.reduce((sum, step) => sum + step.failed, 0);
  return {
    ...clusterRatesOf(nodes),
    successRate: ended === 0 ? null : (ended - failed) / ended,
    stepMs: STEP_MS,
    steps: steps.map(({ p50, p99, ...step }) => ({ ...step, latenessMs: { p50, p99 } })),
  };
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
