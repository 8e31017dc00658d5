import { openAsked } from './support';

/** An hourly trigger whose end is a fire time under safe rules, but not under Quartz's. */
const HOURLY = {
  startAt: '2099-03-06T12:00:00.000Z',
  endAt: '2099-03-06T14:00:00.000Z',
  simple: { interval: 'PT1H', repeatCount: -1 },
};

it.each([
  { rules: 'safe' as const, hours: ['12', '13', '14'] },
  { rules: 'quartz' as const, hours: ['12', '13'] },
])('previews, next fire times and calendar days use the rules of the scheduler: $rules', async ({ rules, hours }) => {
  const asked = await openAsked('memory', {}, rules);
  const hoursOf = (times: readonly unknown[]) => times.map((time) => new Date(time as string).getUTCHours().toString());
  const preview = await asked.ask('cron.preview', { ...HOURLY, from: HOURLY.startAt });
  expect(hoursOf(preview.fireTimes.map(({ time }) => time))).toEqual(hours);
  await asked.ask('jobs.add', { name: 'job', type: 'noop', durable: true });
  await asked.ask('triggers.add', { name: 'hourly', job: 'job', ...HOURLY });
  expect(hoursOf((await asked.ask('triggers.show', { name: 'hourly', count: 10 })).fireTimes)).toEqual(hours);
  const { lanes } = await asked.ask('timeline.show', { from: HOURLY.startAt, to: '2099-03-07T12:00:00.000Z' });
  expect(hoursOf(lanes.flatMap(({ coming }) => coming))).toEqual(hours);
  // From the second to the second-last millisecond of a day: only under Quartz's rules, this daily calendar excludes the whole day.
  const calendar = { type: 'daily', from: '00:00:00:001', to: '23:59:59:998', timeZone: 'UTC' } as const;
  await asked.ask('calendars.add', { name: 'day', ...calendar });
  const { whole, part } = await asked.ask('calendars.year', { name: 'day', year: 2027 });
  expect([whole.length, part.length]).toEqual(rules === 'quartz' ? [365, 0] : [0, 365]);
  await asked.close();
});
