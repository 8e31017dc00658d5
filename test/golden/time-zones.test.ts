import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { SchedulerError } from '../../src/base/errors';
import { timeZoneIn, timeZoneOf } from '../../src/domain/time/time-zone';
import { luxonNameOf, zoneNameOf } from '../../src/domain/time/zone-name';

/** A zone as it was written, what java.util.TimeZone calls it, and the minutes that it adds to `AT`. */
interface Row {
  readonly kind: 'available' | 'written';
  readonly id: string;
  readonly java: string;
  readonly offsets: readonly number[];
}

const AT = [978_307_200_000, 994_032_000_000, 1_704_067_200_000, 1_719_792_000_000];
const rows = readFileSync(join(__dirname, 'time-zones.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const ofKind = (kind: Row['kind']) => rows.filter((row) => row.kind === kind);
/** What Java makes of a name that is stored; it takes what it does not know for GMT. */
const inJava = new Map(rows.map((row) => [row.id, row]));
const offsetsOf = (name: string) => AT.map((instant) => timeZoneOf(name).offsetAt(instant) / 60_000);

describe('a time zone that Java knows', () => {
  it('is known here by the same name, with the same offsets', () => {
    const differing = ofKind('available').filter(
      ({ id, offsets }) => timeZoneIn(id)?.name !== id || String(offsetsOf(id)) !== String(offsets),
    );
    expect(differing).toEqual([]);
  });

  it('is stored with the letters that Java knows it by, in whatever case it was typed', () => {
    const typed = (id: string) => [id.toLowerCase(), id.toUpperCase()].map(zoneNameOf);
    const differing = ofKind('available').filter(({ id }) => typed(id).some((name) => name !== id));
    expect(differing).toEqual([]);
  });

  it.each(
    ofKind('written')
      .filter(({ java }) => /^GMT[+-]/.test(java))
      .map(({ id, offsets }) => [id, offsets] as const),
  )('%p, an offset, is the same here', (id, offsets) => {
    // Java reads a missing hour as none.
    if (id === 'GMT+:30') expect(() => timeZoneOf(id)).toThrow(SchedulerError);
    else expect(offsetsOf(id)).toEqual(offsets);
  });
});

it.each([
  'GMT+08:00',
  'GMT-05:30',
  'GMT',
  'Europe/Berlin',
])('%p has a name by which luxon prints times in it', (name) => {
  const printed = DateTime.fromMillis(AT[3] as number, { zone: luxonNameOf(name) });
  expect(printed.isValid && printed.offset * 60_000).toBe(timeZoneOf(name).offsetAt(AT[3] as number));
});

describe('a time zone that is accepted here', () => {
  const accepted = ofKind('written').filter(({ id }) => timeZoneIn(id) !== null);

  it.each(accepted.map(({ id }) => [id] as const))('%p is stored by a name that Java reads alike', (id) => {
    const { name } = timeZoneOf(id);
    expect(inJava.get(name)).toMatchObject({ java: name, offsets: offsetsOf(id) });
  });

  it('may be written as an offset from GMT, from UTC or from nothing', () => {
    const written = ['GMT+8', 'gmt+08', 'UTC+8', 'utc+08:00', '+8', '+08:00', '+0800', 'GMT+800'];
    expect(new Set(written.map((each) => timeZoneOf(each)))).toEqual(new Set([timeZoneOf('GMT+08:00')]));
    expect(['GMT+0', 'UTC-0', '-00:00', 'gmt'].map((each) => timeZoneOf(each).name)).toEqual(Array(4).fill('GMT'));
  });

  it.each([
    'GMT+24',
    'GMT+8:60',
    'GMT+8:5',
    'GMT8',
    'GMT+',
    ' GMT+8',
    '+24:00',
    'CST-8',
    'Mars/Phobos',
    '',
  ])('%p is none, although Java silently takes it for GMT', (id) => {
    expect(() => timeZoneOf(id)).toThrow(expect.objectContaining({ code: 'UNKNOWN_TIME_ZONE' }));
  });
});

it('is kept once, in however many spellings it comes', () => {
  const base = 'america/argentina/comodrivadavia';
  const spelled = (index: number) =>
    [...base].map((letter, at) => ((index >> at) & 1 ? letter.toUpperCase() : letter)).join('');
  const zones = new Set(Array.from({ length: 1_000 }, (_, index) => timeZoneOf(spelled(index))));
  expect([...zones].map(({ name }) => name)).toEqual(['America/Argentina/ComodRivadavia']);
});
