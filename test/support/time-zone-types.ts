import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const CORPUS = join(__dirname, '../golden/time-zones.jsonl');
/** Zones that are newer than the corpus. */
const NEWER = ['America/Coyhaique'];
const MAX_LINE = 148;

/** Generates the module src/api/time-zone-names.ts from Java's list of zones in the golden corpus. */
export function timeZoneTypes(): string {
  const rows = readFileSync(CORPUS, 'utf8').trim().split('\n');
  const zones = rows.map((line) => JSON.parse(line) as { readonly kind: string; readonly id: string });
  const listed = zones.filter(({ kind, id }) => kind === 'available' && !id.startsWith('SystemV/'));
  const names = [...listed.map(({ id }) => id), ...NEWER];
  const areaOf = (name: string) => name.slice(0, name.indexOf('/') + 1);
  const unions = [...new Set(names.map(areaOf))].sort().map((area) => {
    const members = names.filter((name) => areaOf(name) === area);
    const parts = members.map((name) => `'${name.slice(area.length)}'`).sort();
    const joined = wrapped(parts.join(' | '));
    return area === '' ? joined : `  | \`${area}\${\n${joined}\n  }\``;
  });
  return `${INTRODUCTION}export type TimeZoneName =\n${unions.join('\n')};\n`;
}

function wrapped(text: string): string {
  const lines = ['   '];
  for (const word of text.split(/ (?=\|)/)) {
    if (`${lines.at(-1)} ${word}`.length > MAX_LINE) lines.push('   ');
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines.join('\n');
}

const INTRODUCTION = `/*
 * Generated from test/golden/time-zones.jsonl; a test compares. To regenerate: UPDATE_BASELINE=1 npx jest test/unit/api/time-zone-names.test.ts
 */

/** IANA names of time zones, including replaced names. */
// biome-ignore format: a table
`;
