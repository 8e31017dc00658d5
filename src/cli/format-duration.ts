/** Formats a duration as human-readable text: `0.4 ms`, `12 ms`, `3.2 s`, `5 min`, `2.5 days`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 10) return `${Math.round(milliseconds * 10) / 10} ms`;
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${Math.round(milliseconds / 100) / 10} s`;
  if (milliseconds < 3_600_000) return `${Math.round(milliseconds / 6_000) / 10} min`;
  if (milliseconds < 2 * 86_400_000) return `${Math.round(milliseconds / 360_000) / 10} h`;
  return `${Math.round(milliseconds / 8_640_000) / 10} days`;
}
