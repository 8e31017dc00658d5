import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Written {
  readonly node: string;
  /** The machine's monotonic clock, the same for all processes. Milliseconds. */
  readonly mono: number;
  readonly wall: number;
}

/** A job has begun. `time`, `origin`: which firing; of a recovery, which one it stands for, whose id is `recovers`. */
export interface Start extends Written {
  readonly line: 'start';
  readonly id: string;
  readonly trigger: string;
  readonly job: string;
  readonly time: number;
  readonly origin: string;
  readonly recovers: string | null;
  /** Which attempt it is to run that firing again: 1, 2, … */
  readonly attempt?: number;
  /** Of an attempt after one that failed: 1 for the second. */
  readonly retry?: number;
  /** What the job found in its persisted counter. */
  readonly count?: number;
}

export interface End extends Written {
  readonly line: 'end' | 'abort';
  readonly id: string;
  /** It threw. */
  readonly failed?: boolean;
}

/** The completion of an execution was stored, and told. */
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
  /** `created`: there is a scheduler, which has an instance id. `crash`: an error that nobody caught ended the process. */
  readonly line: 'created' | 'ready' | 'stopped' | 'crash' | 'warning';
  readonly instanceId?: string;
  readonly error?: string;
}

export type Line = Start | End | Done | Noted | Milestone;

/** Everything that the processes wrote down, each in its own order. The last line of a killed one may be cut off. */
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
