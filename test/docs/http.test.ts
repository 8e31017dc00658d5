import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { MAX_BEHIND_BYTES } from '../../src/console/events/event-client';
import { MAX_CLIENTS } from '../../src/console/events/event-hub';
import { MAX_PER_FLUSH, REPORTED_EVENTS } from '../../src/console/events/reported-events';
import {
  KEPT_AFTER_END_MS,
  KEPT_LINE_BYTES,
  MAX_FOLLOWED_RUNS,
  MAX_FOLLOWERS,
} from '../../src/console/events/run-feeds';
import { openApiDocument } from '../../src/console/openapi';
import { PROBLEM_CODES } from '../../src/operations/problem';

const page = readFileSync(resolve(__dirname, '../../docs/reference/http.md'), 'utf8');

describe('docs/reference/http.md', () => {
  it('lists every problem code with its status and its meaning, and no other', () => {
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \| (.+) \|$/gm)];
    const found = rows.map(([, code, status, when]) => [code, { status: Number(status), when }]);
    const meanings = Object.entries(PROBLEM_CODES).map(([code, { status, when }]) => [code, { status, when }]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(meanings));
  });

  it('lists every reported event, and no other', () => {
    const list = page.split('These events are sent:').at(-1) ?? '';
    expect([...list.matchAll(/`(\w+)`/g)].map(([, type]) => type)).toEqual(REPORTED_EVENTS);
  });

  it('states the limits of the streams', () => {
    expect(page).toContain(`${MAX_PER_FLUSH} events in 500 ms`);
    expect(page).toContain(`${MAX_BEHIND_BYTES / 1_024} KiB behind`);
    expect(page).toContain(`${MAX_CLIENTS} clients may watch`);
    expect(page).toContain(`newest ${KEPT_LINE_BYTES / 1_024} KiB are kept`);
    expect(page).toContain(`${KEPT_AFTER_END_MS / 1_000} s after the end`);
    expect(page).toMatch(
      new RegExp(`${MAX_FOLLOWERS} clients may follow runs.*at most ${MAX_FOLLOWED_RUNS} runs may be followed`, 's'),
    );
  });

  it('names the extensions of the OpenAPI document', () => {
    const names = new Set(JSON.stringify(openApiDocument()).match(/(?<=")x-[a-z-]+(?=":)/g));
    expect([...names].sort()).toEqual(['x-effect', 'x-role']);
    for (const name of names) expect(page).toContain(`\`${name}\``);
  });
});
