import type { SchedulerEvent } from '../../../../src';
import type { Proof } from '../support/proof';
import { codeIn, pageOf, tablesOf } from '../support/read-reference';
import type { World } from '../support/world';

type EventType = SchedulerEvent['type'];

/** What pino calls the levels. */
const LEVELS: Readonly<Record<string, number>> = { debug: 20, info: 30, warn: 40, error: 50 };

const rows = tablesOf(pageOf('events')).flatMap((table) => table.rows);

const lineOf = new Map(
  rows.map(([event = '', , code = '', level = '', msg]) => [
    codeIn(event)[0],
    { code: codeIn(code)[0], level: LEVELS[level], msg },
  ]),
);

/** Every event that docs/reference/events.md names. */
export const eventEntries = (): readonly string[] => rows.flatMap(([event = '']) => codeIn(event));

/** The event reaches subscribers, and the log has the line of it that the reference says, when this happens. */
export function told(type: EventType, story: () => Promise<World>): Proof {
  return async () => {
    const { events, lines } = await story();
    expect(events.map((event) => event.type)).toContain(type);
    expect(events.filter(({ at }) => !Number.isFinite(at))).toEqual([]);
    expect(lines).toContainEqual(expect.objectContaining(lineOf.get(type)));
  };
}
