import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { timeZoneOf } from '../../../src/domain/time/time-zone';
import { timeZoneTypes } from '../../support/time-zone-types';

const MODULE = join(__dirname, '../../../src/api/time-zone-names.ts');

it('the time zone types equal those generated from the corpus (UPDATE_BASELINE=1 writes them)', () => {
  const expected = timeZoneTypes();
  if (process.env.UPDATE_BASELINE === '1') writeFileSync(MODULE, expected);
  expect(readFileSync(MODULE, 'utf8')).toBe(expected);
});

it('the time zone types contain every time zone that this runtime lists, and only zones that it accepts', () => {
  const known = new Set(namesOf(timeZoneTypes()));
  expect(known.size).toBeGreaterThan(500);
  expect(Intl.supportedValuesOf('timeZone').filter((name) => !known.has(name))).toEqual([]);
  for (const name of known) expect(() => timeZoneOf(name)).not.toThrow();
});

/** Names in the text of the module. */
function namesOf(text: string): string[] {
  return text.split(/^ {2}\| `/m).flatMap((part) => {
    const [, area = ''] = /^([^$']*)\$\{/.exec(part) ?? [];
    return [...part.matchAll(/'([^']+)'/g)].map(([, name]) => `${area}${name}`);
  });
}
