import type { Command } from 'commander';
import { SystemClock } from '../../base/clock';
import { sleepFor } from '../../base/sleep';
import { type InputOf, OPERATIONS, type OperationName, type OutputOf } from '../../operations/operations';
import type { CommandContext } from '../command';
import { durationOption } from '../duration-option';
import { reportFailure } from '../exit-codes';
import { listenForStop } from '../stop-signals';
import { openTarget } from './open-target';
import { type Target, type TargetOptions, withTargetOptions } from './target';

/** Interval between two polls, in milliseconds. */
const INTERVAL_MS = 1_000;

/** Options of commands that poll. */
export interface LookingOptions extends TargetOptions {
  /** Duration in milliseconds. Absent: until a signal. */
  readonly for?: number;
}

export function withLookingOptions(command: Command): Command {
  return withTargetOptions(command)
    .option('--for <duration>', 'stop after this duration: 30s, 5m (default: until Ctrl-C)', durationOption)
    .option('--json', 'print JSON lines');
}

/** A scheduler that is polled. */
export interface Looked {
  readonly target: Target;
  readonly clock: SystemClock;
  /** Aborted when polling ends. */
  readonly signal: AbortSignal;
  ask<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
}

/** One poll of a scheduler. */
export interface Look {
  (): Promise<void>;
  /** True to poll when something may have changed, instead of once a second. Without change notifications, it polls regularly. */
  readonly looksOnChange?: true;
}

/**
 * Polls once a second until a signal, or for the duration in the options. An error of the first poll is thrown. A later error is reported
 * once, and polling continues.
 */
export async function keepPolling(
  options: LookingOptions,
  context: CommandContext,
  start: (looked: Looked) => Look,
): Promise<void> {
  const clock = new SystemClock();
  const stop = listenForStop();
  const target = await openTarget(options, context);
  const ended = new AbortController();
  const signal = AbortSignal.any([stop, ended.signal]);
  if (options.for !== undefined) void sleepFor(clock, options.for, signal).then(() => ended.abort());
  const ask = (name: OperationName, input: unknown) =>
    target.perform({ name, operation: OPERATIONS[name] as never, input });
  const look = start({ target, clock, signal, ask: ask as Looked['ask'] });
  try {
    await look();
    let hasFailed = false;
    while (!signal.aborted) {
      if (look.looksOnChange === true) await target.untilChange(signal);
      else await sleepFor(clock, INTERVAL_MS, signal);
      hasFailed = await look().then(
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
