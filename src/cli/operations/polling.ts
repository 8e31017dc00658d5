import type { Command } from 'commander';
import { SystemClock } from '../../base/clock';
import { sleepFor } from '../../base/sleep';
import { type InputOf, OPERATIONS, type OperationName, type OutputOf } from '../../operations/operations';
import type { CommandContext } from '../command';
import { reportFailure } from '../exit-codes';
import { durationOption } from '../option-values';
import { listenForStop } from '../stop-signals';
import { openTarget } from './open-target';
import { type Target, type TargetOptions, withTargetOptions } from './target';

const INTERVAL_MS = 1_000;

export interface PollOptions extends TargetOptions {
  /** Duration in milliseconds. Absent: poll until a signal arrives. */
  readonly for?: number;
}

export function withPollOptions(command: Command): Command {
  return withTargetOptions(command)
    .option('--for <duration>', 'stop after this duration: 30s, 5m (default: until Ctrl-C)', durationOption)
    .option('--json', 'print JSON lines');
}

export interface PolledScheduler {
  readonly target: Target;
  readonly clock: SystemClock;
  readonly signal: AbortSignal;
  query<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
}

interface Poll {
  (): Promise<void>;
  /** True to poll when the scheduler may have changed, instead of once a second. A target that reports no changes is polled regularly. */
  readonly pollsOnChange?: true;
}

/**
 * Polls until a signal arrives or the duration ends, by default once a second. Rejects with the error of the first poll. Of consecutive later errors,
 * prints only the first, and continues.
 */
export async function keepPolling(
  options: PollOptions,
  context: CommandContext,
  start: (polled: PolledScheduler) => Poll,
): Promise<void> {
  const clock = new SystemClock();
  const stop = listenForStop();
  const target = await openTarget(options, context);
  const ended = new AbortController();
  const signal = AbortSignal.any([stop, ended.signal]);
  if (options.for !== undefined) void sleepFor(clock, options.for, signal).then(() => ended.abort());
  const query = (name: OperationName, input: unknown) =>
    target.perform({ name, operation: OPERATIONS[name] as never, input });
  const poll = start({ target, clock, signal, query: query as PolledScheduler['query'] });
  try {
    await poll();
    let hasFailed = false;
    while (!signal.aborted) {
      if (poll.pollsOnChange === true) await target.untilChange(signal);
      else await sleepFor(clock, INTERVAL_MS, signal);
      hasFailed = await poll().then(
        () => false,
        (error: unknown) => {
          if (!hasFailed) reportFailure(error, { output: context.output, json: options.json === true });
          return true;
        },
      );
    }
  } finally {
    ended.abort();
    await target.close();
  }
}
