import type { SchedulerEvent } from '../../../../src';
import { codeIn, pageOf, tablesOf } from '../../../docs/reference-entries/read-reference';
import type { World } from '../../../support/world/world';

/** Level numbers of pino. */
const LEVELS: Readonly<Record<string, number>> = { debug: 20, info: 30, warn: 40, error: 50 };

/** Log line of each event, from docs/reference/events.md. */
const lineOf = new Map(
  tablesOf(pageOf('events')).flatMap(({ rows }) =>
    rows.map(
      ([event = '', , code = '', level = '', msg]) =>
        [codeIn(event)[0], { code: codeIn(code)[0], level: LEVELS[level], msg }] as const,
    ),
  ),
);

/** Expects that subscribers received events of these types, and that the log contains their lines from the reference. */
export function expectEvents({ events, lines }: World, types: readonly SchedulerEvent['type'][]): void {
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining([...types]));
  expect(events.filter(({ at }) => !Number.isFinite(at))).toEqual([]);
  expect(lines).toEqual(expect.arrayContaining(types.map((type) => expect.objectContaining(lineOf.get(type)))));
}
