/** Returns the known name most similar to `written`. Returns null if no name is similar enough, or if there are more than 1,000 known names. */
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

export function timeZoneNames(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone')];
}

export function nearestTimeZone(written: string): string | null {
  return nearestName(written, timeZoneNames());
}

/** Such names count as similar, because a missing or additional word is a likelier mistake than many wrong letters. */
function isPart(a: string, b: string): boolean {
  return Math.min(a.length, b.length) > 3 && (a.includes(b) || b.includes(a));
}

/** Maximum length of a name, in characters. Longer names are not typing mistakes, and comparing them takes quadratic time. */
const MAX_LENGTH = 120;

/** Maximum number of known names. A large file may contain many unknown and many known names, and comparing all pairs takes quadratic time. */
const MAX_NAMES = 1_000;

function normalized(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/** Returns the number of insertions, deletions and replacements that convert `a` to `b`. Returns `limit` if the number is at least `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let min = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const distance = Math.min(replaced, (previous[j] as number) + 1, (row[j - 1] as number) + 1);
      row.push(distance);
      min = Math.min(min, distance);
    }
    if (min >= limit) return limit;
    previous = row;
  }
  return previous[b.length] as number;
}
