/**
 * The expressions of the measurement and how the peers write them; null where a peer cannot say it
 * (cron-parser knows no `W`, `LW`, `L-n` and no year, croner no `L-n`).
 */
export const EXPRESSIONS = [
  ['0 * * * * ?', '0 * * * * *', '0 * * * * *'],
  ['0/5 * * * * ?', '*/5 * * * * *', '*/5 * * * * *'],
  ['* * * * * ?', '* * * * * *', '* * * * * *'],
  ['0 0/5 * * * ?', '0 */5 * * * *', '0 */5 * * * *'],
  ['0 0 * * * ?', '0 0 * * * *', '0 0 * * * *'],
  ['0 0 12 * * ?', '0 0 12 * * *', '0 0 12 * * *'],
  ['0 15 10 ? * *', '0 15 10 * * *', '0 15 10 * * *'],
  ['0 15 10 * * ? 2005-2035', null, '0 15 10 * * * 2005-2035'],
  ['0 0/5 14,18 * * ?', '0 */5 14,18 * * *', '0 */5 14,18 * * *'],
  ['0 0-5 14 * * ?', '0 0-5 14 * * *', '0 0-5 14 * * *'],
  ['0 10,44 14 ? 3 WED', '0 10,44 14 * 3 WED', '0 10,44 14 * 3 WED'],
  ['0 15 10 ? * MON-FRI', '0 15 10 * * MON-FRI', '0 15 10 * * MON-FRI'],
  ['0 15 10 15 * ?', '0 15 10 15 * *', '0 15 10 15 * *'],
  ['0 15 10 L * ?', '0 15 10 L * *', '0 15 10 L * *'],
  ['0 15 10 L-2 * ?', null, null],
  ['0 15 10 ? * 6L', '0 15 10 * * 5L', '0 15 10 * * FRI#L'],
  ['0 15 10 ? * 6#3', '0 15 10 * * 5#3', '0 15 10 * * FRI#3'],
  ['0 0 12 1/5 * ?', '0 0 12 1-31/5 * *', '0 0 12 1-31/5 * *'],
  ['0 0 9 15W * ?', null, '0 0 9 15W * *'],
  ['0 0 0 LW * ?', null, '0 0 0 LW * *'],
  ['0 11 11 11 11 ?', '0 11 11 11 11 *', '0 11 11 11 11 *'],
  ['0 30 2 * * ?', '0 30 2 * * *', '0 30 2 * * *'],
  ['30 */7 8-18/2 ? 1-6 MON,WED,FRI', '30 */7 8-18/2 * 1-6 MON,WED,FRI', '30 */7 8-18/2 * 1-6 MON,WED,FRI'],
].map(([quartz, cronParser, croner]) => ({ quartz, 'cron-parser': cronParser, croner }));

export const ZONES = ['UTC', 'America/New_York'];

/** 2024-01-01 and ten years. */
const BASE = 1_704_067_200_000;
const SPAN = 10 * 365.25 * 86_400_000;

/** Distinct instants spread evenly over ten years, whole seconds, in an order without pattern; the same in every run. */
export function shuffledInstants(count) {
  const instants = Float64Array.from(
    { length: count },
    (_, i) => BASE + Math.floor(((SPAN / count) * i) / 1000) * 1000,
  );
  let state = 0x2545f491;
  const random = (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  for (let i = count - 1; i > 0; i--) {
    const other = random(i + 1);
    [instants[i], instants[other]] = [instants[other], instants[i]];
  }
  return instants;
}
