import type { Line, Noted } from '../../cluster/support/history';
import { type Facts, factsOf, type Run } from './facts';
import { judgeIncrements } from './increments';
import { judgeOccurrences } from './occurrences';
import { judgeOverlaps } from './overlaps';
import { judgeEvents, judgeRegistration } from './protocol';
import { judgeRecoveries } from './recoveries';
import { judgeRetries } from './retries';

export type { Run } from './facts';

/** Result of a check; every list of `violations` must be empty. */
export interface Verdict {
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: Readonly<Record<string, readonly string[]>>;
  /** Milliseconds from the end of an interrupted execution to the start of its recovery. */
  readonly recoveryDelays: readonly number[];
}

/** Checks the invariants of a run. It uses only the recorded history, and nothing of the scheduler. */
export function checkHistory(run: Run): Verdict {
  const facts = factsOf(run);
  const { due, twice, unexpected, early, missing, waiting, lostWithTheirNode } = judgeOccurrences(facts);
  const { overlaps, afterStop } = judgeOverlaps(facts);
  const { increments, lost } = judgeIncrements(facts);
  const recoveries = judgeRecoveries(facts);
  const retries = judgeRetries(facts);
  return {
    counts: {
      expected: due,
      started: facts.ordinary.length,
      lostWithTheirNode: lostWithTheirNode.length,
      stillWaiting: waiting,
      interrupted: interruptedIn(facts),
      runAgain: facts.recovering.length,
      recoveriesOwed: recoveries.owed,
      retried: retries.retried,
      deadLetters: retries.deadLetters,
      overlapsAfterStop: afterStop,
      increments,
      killedNodes: run.killed.size,
      ...latenessOf(facts),
    },
    violations: {
      startedTwice: twice,
      startedUnexpectedly: unexpected,
      missing,
      startedEarly: early,
      overlapping: overlaps,
      incrementsLost: lost,
      recoveredNeedlessly: recoveries.needless,
      recoveredTwice: recoveries.twice,
      notRecovered: recoveries.missing,
      neverCompleted: recoveries.neverCompleted,
      retriedTwice: retries.twice,
      retriedNeedlessly: retries.needless,
      retriedEarly: retries.early,
      notRetried: retries.missing,
      wronglyDead: retries.wronglyDead,
      ...judgeRegistration(facts),
      ...judgeEvents(facts),
    },
    recoveryDelays: recoveries.delays,
  };
}

/** The verdict: a line with the counts, and one for each kind of violation. */
export function describeVerdict({ counts, violations }: Verdict): string {
  const broken = Object.entries(violations).filter(([, found]) => found.length > 0);
  return [
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', '),
    ...broken.map(([name, found]) => `${name}: ${found.length}, such as ${found.slice(0, 3).join('; ')}`),
  ].join('\n');
}

/** Errors that the nodes reported. The faults of the run decide whether they are allowed. */
export function errorsIn(history: readonly Line[]): readonly string[] {
  return history
    .filter((line): line is Noted => line.line === 'event' && line.type === 'schedulerError')
    .map(({ node, error }) => `${node}: ${error}`);
}

const interruptedIn = ({ starts, ends }: Facts) => starts.filter(({ node, id }) => !ends.has(`${node} ${id}`)).length;

function latenessOf({ ordinary, wallOffset }: Facts) {
  const late = ordinary.map(({ mono, time }) => Math.round(mono + wallOffset - time)).sort((a, b) => a - b);
  return {
    latenessP50: late[Math.floor(late.length / 2)] ?? 0,
    latenessP99: late[Math.floor(late.length * 0.99)] ?? 0,
    latenessMax: late.at(-1) ?? 0,
  };
}
