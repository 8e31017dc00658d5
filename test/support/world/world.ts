import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import {
  type Configuration,
  type CreateSchedulerOptions,
  createScheduler,
  type Scheduler,
  type SchedulerEvent,
} from '../../../src';
import { ManualClock } from '../../../src/testing';
import { passUntil, settled } from './time';

type EventOf<Type extends SchedulerEvent['type']> = SchedulerEvent & { readonly type: Type };

/** A line of the log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A scheduler on a manual clock, with all its events and log lines. */
export interface World {
  readonly scheduler: Scheduler;
  readonly clock: ManualClock;
  readonly events: readonly SchedulerEvent[];
  readonly lines: readonly LogLine[];
  heard<Type extends SchedulerEvent['type']>(type: Type): readonly EventOf<Type>[];
  /** Lets time pass until `isSo`. Resolves with the elapsed milliseconds. */
  until(isSo: () => unknown): Promise<number>;
  /** Lets a number of milliseconds pass. */
  pass(milliseconds: number): Promise<void>;
  /** Lets time pass during the call. */
  soon<T>(call: Promise<T>): Promise<T>;
}

/** A job that does nothing. */
export const noop = async () => {};

const opened: { readonly scheduler: Scheduler; readonly clock: ManualClock | null }[] = [];
const folders: string[] = [];

/** A new folder; it is deleted at the end. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quartz-reference-'));
  folders.push(folder);
  return folder;
}

/** The path of a file that does not exist. */
export const newFile = (name = 'quartz.db'): string => join(newFolder(), name);

/** Creates a scheduler with the job type `noop`. `closeAll` shuts it down. */
export async function open(config: Configuration = {}, options: CreateSchedulerOptions = {}): Promise<World> {
  const events: SchedulerEvent[] = [];
  const lines: LogLine[] = [];
  const { clock = new ManualClock(Date.now()), jobs, plugins = [], ...rest } = options;
  const manual = clock as ManualClock;
  const ears = {
    name: 'ears',
    install: (host: { readonly scheduler: Scheduler }) =>
      void host.scheduler.subscribe((event) => void events.push(event)),
  };
  const creating = createScheduler(config, {
    clock,
    logger: pino({ level: 'trace', base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    env: {},
    ...rest,
    jobs: { noop, ...jobs },
    plugins: [ears, ...plugins],
  });
  const scheduler = await settled([manual], creating);
  opened.push({ scheduler, clock: manual });
  return {
    scheduler,
    clock: manual,
    events,
    lines,
    heard: <Type extends SchedulerEvent['type']>(type: Type) =>
      events.filter((event): event is EventOf<Type> => event.type === type),
    until: (isSo) => passUntil([manual], isSo),
    async pass(milliseconds) {
      const end = manual.now() + milliseconds;
      await passUntil([manual], () => manual.now() >= end, end);
    },
    soon: (call) => settled([manual], call),
  };
}

/** Registers another scheduler for `closeAll`. */
export function keep(scheduler: Scheduler): Scheduler {
  opened.push({ scheduler, clock: null });
  return scheduler;
}

/** Shuts down all schedulers of a test. */
export async function closeAll(): Promise<void> {
  for (const { scheduler, clock } of opened.splice(0)) {
    const ended = scheduler.shutdown({ deadline: 0 });
    await (clock === null ? ended : settled([clock], ended));
  }
}

export function deleteFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A configuration with a store in a new SQLite file. */
export const inFile = (jobStore: object = {}, rest: Configuration = {}): Configuration =>
  ({ ...rest, jobStore: { class: 'sqlite', path: newFile(), ...jobStore } }) as Configuration;

/** The code of what a call throws or rejects with. */
export async function codeOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    return (error as { readonly code?: string }).code ?? `no code: ${String(error)}`;
  }
  return 'no error';
}

/** A job that does not end. */
export const endless = () => new Promise<void>(() => {});
