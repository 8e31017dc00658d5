import { formatDuration } from '../../../src/cli/format-duration';

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
