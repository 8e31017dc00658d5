import { WarnOnce } from '../../../../src/scheduler/node/warn-once';

it('tells each text once, and again rather than remember without end', () => {
  const told = new WarnOnce();
  expect([told.isNew('a'), told.isNew('a'), told.isNew('b')]).toEqual([true, false, true]);
  for (let i = 0; i < 1_000; i++) told.isNew(`row ${i}`);
  expect(told.isNew('a')).toBe(true);
});
