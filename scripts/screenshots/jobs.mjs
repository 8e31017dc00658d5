/** What the jobs of schedule.yaml do. They are told apart by their scheduled time, so that a picture made again shows the same. */
import { setTimeout as wait } from 'node:timers/promises';

const numberOf = ({ scheduledFireTime }) => Math.floor(scheduledFireTime.getTime() / 1_000);

export const jobs = {
  async quick(context) {
    const number = numberOf(context);
    await wait(20 + ((number * 7) % 9) * 30, undefined, { signal: context.signal });
    return { metrics: { rows: 40 + ((number * 13) % 90) } };
  },

  async parcels(context) {
    const { log, data, signal } = context;
    const parcels = 12 + (numberOf(context) % 30);
    log.info('asking the carrier', { carrier: data.carrier });
    await wait(300 + (parcels % 7) * 100, undefined, { signal });
    log.info(`${parcels} parcels have moved`);
    return { summary: `${parcels} parcels`, metrics: { parcels } };
  },

  async payments(context) {
    const { attempt, log, signal } = context;
    log.info('reading the statement of the bank', { account: 'main' });
    await wait(400, undefined, { signal });
    const isRefused = Math.floor(numberOf(context) / 30) % 4 === 0;
    if (isRefused) log.warn(`the bank answers slowly, attempt ${attempt}`);
    if (isRefused) throw refusal(attempt);
    log.info('18 payments matched, 2 open');
    return { summary: '18 of 20 matched', metrics: { matched: 18, open: 2 } };
  },

  async report({ log, signal }) {
    log.info('collecting figures');
    await wait(1_500, undefined, { signal });
    return { summary: '14 pages', metrics: { pages: 14 } };
  },

  index: (context) => work(context, { steps: 50, pause: 1_000, word: 'articles', size: 1_200 }),
  images: (context) => work(context, { steps: 25, pause: 1_000, word: 'pictures', size: 40 }),
};

/** With a stack as it would be at the shop's: the pictures name no folder of the machine on which they are made. */
function refusal(attempt) {
  const cause = new Error('connect ETIMEDOUT bank.example:443');
  cause.stack = `${cause}\n    at TLSSocket.<anonymous> (/srv/shop/jobs/bank.mjs:44:17)`;
  const error = new Error(`The bank did not take the request (attempt ${attempt}): 503 Service Unavailable`, { cause });
  error.stack = `${error}\n    at askBank (/srv/shop/jobs/bank.mjs:45:10)\n    at payments (/srv/shop/jobs/payments.mjs:28:26)`;
  return error;
}

async function work({ progress, log, signal }, { steps, pause, word, size }) {
  for (let step = 1; step <= steps; step++) {
    progress(
      step / steps,
      `${(step * size).toLocaleString('en-US')} of ${(steps * size).toLocaleString('en-US')} ${word}`,
    );
    if (step % 10 === 1) log.info(`batch ${step} of ${steps}`);
    await wait(pause, undefined, { signal });
  }
  return { summary: `${(steps * size).toLocaleString('en-US')} ${word}` };
}
