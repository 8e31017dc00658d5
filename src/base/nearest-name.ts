/** The known name most like `written`, or null when none is close enough to be what was meant, or more than 1,000 are known. */
export function nearestName(written: string, known: Iterable<string>): string | null {
  if (written === '' || written.length > MAX_LENGTH) return null;
  const names: string[] = [];
  for (const name of known) if (names.push(name) > MAX_NAMES) return null;
  const wanted = normalized(written);
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of names) {
    const name = normalized(candidate);
    const distance = isPart(wanted, name) ? 2 : editDistance(wanted, name, bestDistance);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Every name a time zone may be suggested by. */
export function timeZoneNames(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone')];
}

/** The time zone most like `written`, or null when none is close enough to be what was meant. */
export function nearestTimeZone(written: string): string | null {
  return nearestName(written, timeZoneNames());
}

/** Words left out or put in front are likelier than that many slips. */
function isPart(a: string, b: string): boolean {
  return Math.min(a.length, b.length) > 3 && (a.includes(b) || b.includes(a));
}

/** Longer names are no typing mistakes; comparing them would cost the square of their length. */
const MAX_LENGTH = 120;

/** Where a file brings both, names and what may be meant for one, comparing each with each would cost the square of its size. */
const MAX_NAMES = 1_000;

/** Case, `-` and `_` are the most common slips and count nothing. */
function normalized(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/** Insertions, deletions and replacements that turn `a` into `b`; at least `limit` when there are that many. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const distance = Math.min(replaced, (previous[j] as number) + 1, (row[j - 1] as number) + 1);
      row.push(distance);
      least = Math.min(least, distance);
    }
    if (least >= limit) return limit;
    previous = row;
  }
  return previous[b.length] as number;
}
