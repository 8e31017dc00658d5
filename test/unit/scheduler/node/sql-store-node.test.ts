import { WarnOnce } from '../../../../src/scheduler/node/sql-store-node';

it('each warning is logged once, and again after a thousand other warnings', () => {
  const warnings = new WarnOnce();
  expect([warnings.isNew('a'), warnings.isNew('a'), warnings.isNew('b')]).toEqual([true, false, true]);
  for (let i = 0; i < 1_000; i++) warnings.isNew(`row ${i}`);
  expect(warnings.isNew('a')).toBe(true);
});
