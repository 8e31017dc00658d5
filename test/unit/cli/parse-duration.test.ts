import { formatDuration, parseDuration } from '../../../src/cli/parse-duration';

it.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['1.5h', 5_400_000],
  ['1h30m', 5_400_000],
  ['2d', 172_800_000],
  ['PT30S', 30_000],
  ['PT1H30M', 5_400_000],
  ['P1D', 86_400_000],
])('reads %s', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

it.each([
  [''],
  ['30'],
  ['s'],
  ['-5s'],
  ['0s'],
  ['5 s'],
  ['5x'],
  ['P'],
  ['PT'],
  ['1e9s'],
  ['PT-5S'],
])('refuses %j', (text) => {
  expect(parseDuration(text)).toBeNull();
});

it.each([
  [0.44, '0.4 ms'],
  [12.3, '12 ms'],
  [3_210, '3.2 s'],
  [300_000, '5 min'],
  [9_000_000, '2.5 h'],
  [47 * 3_600_000, '47 h'],
  [48 * 3_600_000, '2 days'],
  [432_000_000, '5 days'],
])('shows %d ms as %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});
