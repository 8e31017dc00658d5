// Java compares zone names case-sensitively and interprets an unknown name as GMT. Therefore, names are stored in Java's spelling.

/** Matches fixed offsets such as `GMT+8`, `GMT+08:00` and `GMT+0800`, with GMT, UTC or no prefix. Hours up to 23, minutes up to 59. */
const FIXED_OFFSET = /^(?:GMT|UTC)?([+-])([01]?\d|2[0-3])(?::?([0-5]\d))?$/i;

/** Parts of zone names that are neither capitalized words nor abbreviations. The time zone database has added no such part for decades. */
const ODD_PARTS = new Map(
  [
    ...['ACT', 'LHI', 'NSW', 'GB', 'GB-Eire', 'NZ', 'NZ-CHAT', 'US', 'W-SU', 'SystemV', 'Knox_IN', 'ComodRivadavia'],
    ...['BajaNorte', 'BajaSur', 'DeNoronha', 'EasterIsland', 'DumontDUrville', 'McMurdo'],
  ].map((part) => [part.toLowerCase(), part]),
);
/** Names that Node accepts although the time zone database and Java have removed them. */
const DROPPED = new Map([
  ['us/pacific-new', 'America/Los_Angeles'],
  ['canada/east-saskatchewan', 'America/Regina'],
]);
/** Words that are in lower case within zone names, as in Dar_es_Salaam, Port_of_Spain and Port-au-Prince. */
const SMALL_WORDS: ReadonlySet<string> = new Set(['au', 'es', 'of']);

/** Java's spellings by exact and by lower-case name. Node does not list names that the time zone database has replaced. Built on first use. */
let listed: ReadonlyMap<string, string> | null = null;

/** Returns a zone name in Java's spelling. A fixed offset becomes `GMT+08:00`, or `GMT` if it is 0. Does not check that the zone exists. */
export function zoneNameOf(written: string): string {
  listed ??= spellings();
  const known = listed.get(written);
  if (known !== undefined) return known;
  const minutes = fixedOffsetOf(written);
  if (minutes !== null) return fixedOffsetName(minutes);
  const small = written.toLowerCase();
  return listed.get(small) ?? DROPPED.get(small) ?? small.split('/').map(spelledPart).join('/');
}

function spellings(): ReadonlyMap<string, string> {
  const names = ['UTC', 'GMT', ...Intl.supportedValuesOf('timeZone')];
  return new Map([
    ...names.map((name) => [name.toLowerCase(), name] as const),
    ...names.map((name) => [name, name] as const),
  ]);
}

/** Returns the UTC offset in minutes for the name of a fixed offset, or null for any other name. */
export function fixedOffsetOf(name: string): number | null {
  const [, sign, hours, minutes = 0] = FIXED_OFFSET.exec(name) ?? [];
  if (hours === undefined) return null;
  const offset = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? 0 - offset : offset;
}

/** Returns Java's name of a fixed offset. `minutes`: UTC offset in minutes. */
export function fixedOffsetName(minutes: number): string {
  return minutes === 0 ? 'GMT' : `GMT${offsetText(minutes, ':')}`;
}

/** Formats a UTC offset in minutes as `+02:00`, with another text between hours and minutes. Fractions of a minute are omitted. */
export function offsetText(minutes: number, between: string): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const size = Math.abs(Math.trunc(minutes));
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${between}${two(size % 60)}`;
}

function spelledPart(part: string, index: number, parts: readonly string[]): string {
  const odd = ODD_PARTS.get(part);
  if (odd !== undefined) return odd;
  // UTC, EST5EDT and Etc/GMT-8, for example, contain abbreviations. Etc/Greenwich and Cuba do not.
  const mayBeAbbreviation = parts.length === 1 || (index > 0 && (parts[0] === 'etc' || parts[0] === 'systemv'));
  if (mayBeAbbreviation && /^[a-z]{3}([-+\d].*)?$/.test(part)) return part.toUpperCase();
  return part.replace(/[a-z]+/g, (word) =>
    SMALL_WORDS.has(word) ? word : word.charAt(0).toUpperCase() + word.slice(1),
  );
}
