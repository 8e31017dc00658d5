import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CalendarData } from '../../src/domain/calendars/calendar';
import { calendarFrom } from '../../src/domain/calendars/calendar-from-data';
import { timeZoneOf } from '../../src/domain/time/time-zone';
import { decodeJavaCalendar } from '../../src/java/decode-calendar';
import { encodeJavaCalendar } from '../../src/java/encode-calendar';
import { readJavaStream } from '../../src/java/stream-reader';
import { writeJavaStream } from '../../src/java/stream-writer';
import { readZone, zoneInfoOf } from '../../src/java/zone-info';
import { zoneRulesOf } from '../../src/java/zone-rules';
import { decodeCalendar, encodeCalendar } from '../../src/store/sql/rows/calendar';
import { javaOffsetAt } from '../support/java-zone';
import { IS_LONG } from '../support/long-forms';

/** Recorded answers of Quartz for a serialised calendar: included or not at 400 instants, and the fire times of a trigger. */
interface Row {
  readonly name: string;
  readonly bytes: string;
  readonly included: string;
  readonly fires: readonly number[];
  /** The calendar, in rows that this library has written. */
  readonly data?: CalendarData;
}

interface ZoneRow {
  readonly zones?: readonly string[];
  readonly offsets: readonly number[];
  /** Name of a zone that Java has serialised. */
  readonly written?: string;
  readonly bytes: string;
}

const FROM = 1_767_225_600_000;
/** Default zone of the JVM that recorded the rows. */
const DEFAULT_ZONE = 'Europe/Berlin';
const lines = <Line>(file: string) =>
  readFileSync(join(__dirname, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
const byName = (rows: readonly Row[]) => rows.map((row) => [row.name, row] as const);
const bytesOf = ({ bytes }: { readonly bytes: string }) => new Uint8Array(Buffer.from(bytes, 'base64'));

const ofJava = lines<Row>('java-calendars.jsonl');
const ofOurs = lines<Row>('java-reads-calendars.jsonl');
const zoneRows = lines<ZoneRow>('java-zones.jsonl');

function answersOf(data: CalendarData) {
  const calendar = calendarFrom(data, 'quartz');
  const included = Array.from({ length: 400 }, (_, i) => (calendar.isIncluded(FROM + i * 39_600_123) ? 1 : 0)).join('');
  const fires: number[] = [];
  for (let hour = 1; fires.length < 60; hour += 6) {
    const time = FROM + hour * 3_600_000 + 30 * 60_000;
    if (calendar.isIncluded(time)) fires.push(time);
    if (hour > 50_000) break;
  }
  return { included, fires };
}

describe('a calendar that Quartz has written', () => {
  it.each(byName(ofJava))('excludes the same times in this library: %s', (_, row) => {
    const { data } = decodeCalendar(bytesOf(row), row.name, DEFAULT_ZONE);
    const { included, fires } = answersOf(data);
    expect({ included, fires: fires.slice(0, row.fires.length) }).toEqual({ included: row.included, fires: row.fires });
  });

  it.each(byName(ofJava))('keeps its bytes if it is stored unchanged: %s', (_, row) => {
    const { data } = decodeCalendar(bytesOf(row), row.name, DEFAULT_ZONE);
    expect(encodeCalendar(data, bytesOf(row), DEFAULT_ZONE)).toEqual({ bytes: bytesOf(row), notForJava: null });
  });

  it.each(byName(ofJava))('is written with the same classes and fields, and read back: %s', (_, row) => {
    const { data, withoutZone } = decodeJavaCalendar(bytesOf(row), DEFAULT_ZONE);
    const written = encodeJavaCalendar(data, withoutZone);
    expect(decodeJavaCalendar(written, DEFAULT_ZONE)).toEqual({ data, withoutZone });
    const hasSameBytes = /^(base|holiday|holiday, empty|weekly|monthly|daily|cron|cron in a fixed offset)$/.test(
      row.name,
    );
    if (hasSameBytes)
      expect(Buffer.from(written).toString('hex')).toBe(Buffer.from(row.bytes, 'base64').toString('hex'));
  });

  it('without a time zone gets none by a change, unless the zone itself changes', () => {
    const weekly = ofJava.find(({ name }) => name === 'weekly') as Row;
    const { data } = decodeCalendar(bytesOf(weekly), 'weekly', DEFAULT_ZONE);
    const zonesAfter = (change: object) => {
      const { bytes } = encodeCalendar({ ...data, ...change } as CalendarData, bytesOf(weekly), DEFAULT_ZONE);
      return decodeJavaCalendar(bytes, DEFAULT_ZONE).withoutZone;
    };
    expect([zonesAfter({ excludedDays: [2] }), zonesAfter({ timeZone: 'Asia/Tokyo' })]).toEqual([[true], [false]]);
  });
});

describe('a calendar that this library has written', () => {
  it.each(byName(ofOurs))('excludes the same times in Quartz: %s', (_, { data, included, fires }) => {
    const ours = answersOf(data as CalendarData);
    expect({ included: ours.included, fires: ours.fires.slice(0, fires.length) }).toEqual({ included, fires });
  });

  it.each(byName(ofOurs))('has the same form as when Quartz read it: %s', (_, row) => {
    const written = encodeJavaCalendar(row.data as CalendarData);
    const before = decodeJavaCalendar(bytesOf(row), DEFAULT_ZONE);
    expect(decodeJavaCalendar(written, DEFAULT_ZONE)).toEqual(before);
    // Bytes with clock changes depend on the time zone data of Node.
    if (!/"timeZone":"(?!UTC|GMT)/.test(JSON.stringify(row.data)))
      expect(Buffer.from(written).toString('base64')).toBe(row.bytes);
  });
});

/** Zones for which the data of Java ends in 2037 or differs before 1976. For these, the data of Node applies. */
const OTHER_DATA = new Set(
  ['Africa/Casablanca', 'Africa/El_Aaiun', 'Africa/Windhoek', 'America/Ensenada', 'America/Santa_Isabel'].concat([
    'America/Tijuana',
    'Mexico/BajaNorte',
    'Asia/Gaza',
    'Asia/Hebron',
  ]),
);
const INSTANTS = Array.from({ length: 200 }, (_, i) => (i + 1) * 14_200_920_000);
const groups = zoneRows.filter(({ zones }) => zones !== undefined);

describe('a time zone that this library writes', () => {
  it.each(
    groups.filter((_, index) => IS_LONG || index % 12 === 0).map((row) => [row.zones?.join(), row] as const),
  )('has in Java the offsets of Java from 1970 to 2060: %s', (_, { zones = [], offsets }) => {
    for (const name of zones.slice(0, IS_LONG ? zones.length : 1)) {
      const zone = timeZoneOf(name);
      const node = readJavaStream(writeJavaStream(zoneInfoOf(zone)));
      const read = INSTANTS.map((instant) => javaOffsetAt(node, instant) / 1000);
      const expected = OTHER_DATA.has(name) ? INSTANTS.map((instant) => zone.offsetAt(instant) / 1000) : offsets;
      expect([name, read]).toEqual([name, expected]);
    }
  });

  it('is checked with a reader that agrees with Java about zones written by Java', () => {
    for (const { written, bytes } of zoneRows.filter((row) => row.written !== undefined)) {
      const node = readJavaStream(new Uint8Array(Buffer.from(bytes, 'base64')));
      const recorded = groups.find(({ zones }) => zones?.includes(written as string));
      if (recorded === undefined) continue;
      expect([written, INSTANTS.map((instant) => javaOffsetAt(node, instant) / 1000)]).toEqual([
        written,
        recorded.offsets,
      ]);
    }
  });

  it('equals the bytes of the JDK, including the checksum, if it has no changes before 1970', () => {
    for (const { written, bytes } of zoneRows.filter((row) => row.written === 'UTC' || row.written === 'GMT+08:00'))
      expect(Buffer.from(writeJavaStream(zoneInfoOf(timeZoneOf(written as string)))).toString('base64')).toBe(bytes);
    const lordHowe = ofJava.find(({ name }) => name === 'daily, inverted, chained') as Row;
    const { data, withoutZone } = decodeJavaCalendar(bytesOf(lordHowe), DEFAULT_ZONE);
    expect(Buffer.from(encodeJavaCalendar(data, withoutZone)).toString('base64')).toBe(lordHowe.bytes);
  });

  it.each([
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Asia/Tehran',
  ])('has the offsets of our data at each clock change: %s', (name) => {
    const zone = timeZoneOf(name);
    const read = readZone(zoneInfoOf(zone));
    for (const { start } of zoneRulesOf(zone).periods.slice(1))
      expect([read.offsetAt(start - 1), read.offsetAt(start)]).toEqual([
        zone.offsetAt(start - 1),
        zone.offsetAt(start),
      ]);
  });
});

const JARS = ['/usr/share/java/quartz2.jar', '/usr/share/java/slf4j-api.jar'];
if (IS_LONG && JARS.every((jar) => existsSync(jar))) {
  it('Quartz itself reads our calendars and gives the recorded answers', () => {
    const input = ofOurs.map(({ name, data }) =>
      [name, Buffer.from(encodeJavaCalendar(data as CalendarData)).toString('base64')].join('\t'),
    );
    const { stdout } = spawnSync(
      'java',
      [`-Duser.timezone=${DEFAULT_ZONE}`, '-cp', JARS.join(':'), join(__dirname, 'java', 'Calendars.java'), 'answer'],
      { input: `${input.join('\n')}\n`, encoding: 'utf8' },
    );
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    const plain = ({ name, included, fires }: Row) => ({ name, included, fires });
    expect(answers.map(plain)).toEqual(ofOurs.map(plain));
  });
}
