import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SchedulerError } from '../../src/base/errors';
import { timeZoneIn, timeZoneOf } from '../../src/domain/time/time-zone';
import { zoneNameOf } from '../../src/domain/time/zone-name';

/** A zone as written, its name in java.util.TimeZone, and its offsets in minutes at the instants `AT`. */
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
/** Names that Java assigns to stored names. Java reads unknown names as GMT. */
const inJava = new Map(rows.map((row) => [row.id, row]));
const offsetsOf = (name: string) => AT.map((instant) => timeZoneOf(name).offsetAt(instant) / 60_000);

describe('a time zone of Java', () => {
  it('has the same name and offsets in this library', () => {
    const differing = ofKind('available').filter(
      ({ id, offsets }) => timeZoneIn(id)?.name !== id || String(offsetsOf(id)) !== String(offsets),
    );
    expect(differing).toEqual([]);
  });

  it('is stored in the spelling of Java, in whatever case it was given', () => {
    const typed = (id: string) => [id.toLowerCase(), id.toUpperCase()].map(zoneNameOf);
    const differing = ofKind('available').filter(({ id }) => typed(id).some((name) => name !== id));
    expect(differing).toEqual([]);
  });

  it.each(
    ofKind('written')
      .filter(({ java }) => /^GMT[+-]/.test(java))
      .map(({ id, offsets }) => [id, offsets] as const),
  )('given as the offset %p has the same offset in this library', (id, offsets) => {
    // Java reads a missing hour as 0.
    if (id === 'GMT+:30') expect(() => timeZoneOf(id)).toThrow(SchedulerError);
    else expect(offsetsOf(id)).toEqual(offsets);
  });
});

describe('a time zone of this library', () => {
  const accepted = ofKind('written').filter(({ id }) => timeZoneIn(id) !== null);

  it.each(
    accepted.map(({ id }) => [id] as const),
  )('given as %p is stored under a name that Java reads with the same offsets', (id) => {
    const { name } = timeZoneOf(id);
    expect(inJava.get(name)).toMatchObject({ java: name, offsets: offsetsOf(id) });
  });

  it('can be given as an offset with the prefix GMT, UTC or none', () => {
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
  ])('cannot be given as %p, although Java reads it as GMT', (id) => {
    expect(() => timeZoneOf(id)).toThrow(expect.objectContaining({ code: 'UNKNOWN_TIME_ZONE' }));
  });
});

it('a time zone is cached once, however it is spelled', () => {
  const base = 'america/argentina/comodrivadavia';
  const spelled = (index: number) =>
    [...base].map((letter, at) => ((index >> at) & 1 ? letter.toUpperCase() : letter)).join('');
  const zones = new Set(Array.from({ length: 1_000 }, (_, index) => timeZoneOf(spelled(index))));
  expect([...zones].map(({ name }) => name)).toEqual(['America/Argentina/ComodRivadavia']);
});
