import type { EpochMs } from '../../base/clock';

/** Returns the last time before `end` of an ascending sequence, given by its next time after any time. Null if there is none after `earliest`. */
export function lastBefore(
  nextAfter: (after: EpochMs) => EpochMs | null,
  end: EpochMs,
  earliest: EpochMs,
): EpochMs | null {
  for (let span = 1_000; ; span *= 2) {
    const from = Math.max(earliest, end - span);
    let last: EpochMs | null = null;
    for (let time = nextAfter(from); time !== null && time < end; time = nextAfter(time)) last = time;
    if (last !== null || from === earliest) return last;
  }
}
