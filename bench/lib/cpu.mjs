import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

let hertz;

/** CPU time that a process has used so far, user and system, in milliseconds; null where there is no /proc for it. */
export function cpuMs(pid) {
  if (pid === null) return null;
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [utime, stime] = line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    hertz ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
    return ((Number(utime) + Number(stime)) * 1_000) / hertz;
  } catch {
    return null;
  }
}
