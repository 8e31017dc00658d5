import { readdirSync, readFileSync } from 'node:fs';

/** Processor time in clock ticks since the start of the machine or the process. */
interface Usage {
  readonly capacity: number;
  readonly busy: number;
  readonly own: number;
}

/**
 * Share of the processors that was used by other programs than this process and its descendants: from 0 to 1, null if the system does not report it.
 * Lateness on a machine that is busy with other programs proves nothing about the scheduler.
 */
export function measureForeignLoad(): () => number | null {
  const before = usage();
  return () => {
    const after = usage();
    if (before === null || after === null) return null;
    const capacity = after.capacity - before.capacity;
    const foreign = after.busy - before.busy - (after.own - before.own);
    return capacity === 0 ? null : Math.max(0, foreign / capacity);
  };
}

function usage(): Usage | null {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softIrq = 0, steal = 0] = line
      .split(/\s+/)
      .slice(1)
      .map(Number);
    // Processes with a lower priority (nice) do not delay others.
    const busy = user + system + irq + softIrq + steal;
    return { capacity: busy + nice + idle + wait, busy, own: ownTicks() };
  } catch {
    return null;
  }
}

/** Ticks of this process and all its descendants, including ended ones, whose time their parents inherit. */
function ownTicks(): number {
  const children = new Map<number, number[]>();
  const ticks = new Map<number, number>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    const fields = statOf(pid);
    if (fields === null) continue;
    const parent = Number(fields[1]);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
    ticks.set(
      pid,
      fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0),
    );
  }
  const sum = (pid: number): number =>
    (ticks.get(pid) ?? 0) + (children.get(pid) ?? []).reduce((all, child) => all + sum(child), 0);
  return sum(process.pid);
}

/** Fields after the process name, which may contain blanks; null if the process has ended. */
function statOf(pid: number): readonly string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
