import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Written {
  readonly node: string;
  /** The machine's monotonic clock, the same for all processes. Milliseconds. */
  readonly mono: number;
  readonly wall: number;
}

/** The start of a job. `time` and `origin` identify the firing; for a recovery, the recovered firing, whose id is `recovers`. */
export interface Start extends Written {
  readonly line: 'start';
  readonly id: string;
  readonly trigger: string;
  readonly job: string;
  readonly time: number;
  readonly origin: string;
  readonly recovers: string | null;
  /** Number of the recovery of that firing: 1, 2, … */
  readonly attempt?: number;
  /** Number of the retry: 1 for the second attempt. */
  readonly retry?: number;
  /** Value of the persisted counter at the start of the job. */
  readonly count?: number;
}

export interface End extends Written {
  readonly line: 'end' | 'abort';
  readonly id: string;
  /** True if the job threw. */
  readonly failed?: boolean;
}

/** The completion of an execution was stored and reported. */
export interface Done extends Written {
  readonly line: 'done';
  readonly id: string;
}

export interface Noted extends Written {
  readonly line: 'event';
  readonly type: string;
  readonly instanceId?: string;
  readonly reason?: string;
  readonly error?: string;
  readonly id?: string;
}

export interface Milestone extends Written {
  /** `created`: the scheduler exists and has an instance id. `crash`: an uncaught error ended the process. */
  readonly line: 'created' | 'ready' | 'stopped' | 'crash' | 'warning';
  readonly instanceId?: string;
  readonly error?: string;
}

export type Line = Start | End | Done | Noted | Milestone;

/** All lines of the processes, in order of time. The last line of a killed process may be incomplete, so it is ignored. */
export function readHistory(folder: string): readonly Line[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => {
      const node = name.slice(0, name.indexOf('.'));
      const lines = readFileSync(join(folder, name), 'utf8').split('\n');
      return lines.slice(0, -1).map((text) => ({ ...(JSON.parse(text) as Line), node }));
    })
    .sort((a, b) => a.mono - b.mono);
}
