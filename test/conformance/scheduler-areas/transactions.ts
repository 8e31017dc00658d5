import { type JobExecutionContext, newJob } from '../../../src';
import { completed, recorded, type SchedulerStage } from './stage';

const CHILD = 'invoice';

/** Transactions of a job: its rows, its schedules and the end of its run in one commit. Refused in memory, with an error. */
export function describeTransactions(stage: () => SchedulerStage): void {
  describe('a transaction of a job', () => {
    const isMemory = () => stage().store === 'memory';

    /** Runs `work` once, next to a durable job that it may trigger. Returns the triggered orders and the recorded runs. */
    async function run(work: (context: JobExecutionContext) => Promise<unknown>) {
      const invoices: unknown[] = [];
      const scheduler = await stage().create({
        work,
        [CHILD]: ({ data }: JobExecutionContext) => void invoices.push(data.order),
      });
      await scheduler.addJob(newJob(CHILD).withIdentity(CHILD).storeDurably().build());
      const first = completed(scheduler, 1);
      await scheduler.schedule('work', { at: new Date(), history: 'all' });
      await scheduler.start();
      await first;
      return { scheduler, invoices, runs: await recorded(scheduler, 'work') };
    }

    it('stores schedules of the job, or is refused in memory', async () => {
      const { scheduler, invoices, runs } = await run(({ transaction, scheduler }) =>
        transaction(async ({ connection }) => {
          await scheduler.withConnection(connection).triggerJob(CHILD, { order: 7 });
          return { summary: 'shipped' };
        }),
      );
      if (isMemory()) {
        expect(runs).toMatchObject([{ outcome: 'failed', error: expect.stringMatching(/database/i) }]);
        expect(invoices).toEqual([]);
        return;
      }
      expect(runs).toMatchObject([{ outcome: 'succeeded', summary: 'shipped' }]);
      if (invoices.length === 0) await completed(scheduler, 1);
      expect(invoices).toEqual([7]);
    });

    it.each([
      'enqueue',
      'schedule',
    ] as const)('stores a one-off of a registered type that the job adds by %s', async (how) => {
      const { scheduler, invoices, runs } = await run(({ transaction, scheduler }) =>
        transaction(async ({ connection }) => {
          const within = scheduler.withConnection(connection);
          if (how === 'enqueue') await within.enqueue(CHILD, { order: 8 });
          else await within.schedule('invoice-8', { job: CHILD, at: new Date(), data: { order: 8 } });
        }),
      );
      if (isMemory()) return expect(runs).toMatchObject([{ outcome: 'failed' }]);
      if (invoices.length === 0) await completed(scheduler, 1);
      expect(invoices).toEqual([8]);
    });

    it('stores nothing if its callback throws, and fails the run', async () => {
      const { scheduler, invoices, runs } = await run(({ transaction, scheduler }) =>
        transaction(async ({ connection }) => {
          await scheduler.withConnection(connection).triggerJob(CHILD, { order: 7 });
          throw new Error('out of stock');
        }),
      );
      const error = isMemory() ? expect.stringMatching(/database/i) : 'out of stock';
      expect(runs).toMatchObject([{ outcome: 'failed', error }]);
      expect((await scheduler.listTriggers({ job: CHILD })).items).toEqual([]);
      expect(invoices).toEqual([]);
    });

    it('is refused with an error code before its callback runs', async () => {
      const codes: unknown[] = [];
      let called = 0;
      await run(async ({ transaction, scheduler }) => {
        const code = ({ code }: { readonly code?: string }) => codes.push(code);
        if (isMemory()) await transaction(() => ++called).catch(code);
        await (async () => scheduler.withConnection({}).triggerJob(CHILD))().catch(code);
      });
      expect(codes).toEqual(isMemory() ? ['SCHEDULER_STATE', 'SCHEDULER_STATE'] : ['INVALID_ARGUMENT']);
      expect(called).toBe(0);
    });

    it('refuses operations that would wait for the job itself, and allows them if nothing waits', async () => {
      if (isMemory()) return;
      const codes: unknown[] = [];
      const code = ({ code }: { readonly code?: string }) => codes.push(code);
      const { runs, scheduler } = await run(({ transaction, scheduler, checkpoint }) =>
        transaction(async () => {
          await scheduler.schedule('later', { job: CHILD, at: '2100-01-01T00:00:00Z' }).catch(code);
          await scheduler.pauseJob(CHILD).catch(code);
          await checkpoint(1).catch(code);
          expect(await scheduler.getJobDetail(CHILD)).not.toBeNull(); // reading waits for no writer
        }),
      );
      expect(runs).toMatchObject([{ outcome: 'succeeded' }]);
      const refused = ['SCHEDULER_STATE', 'SCHEDULER_STATE', 'SCHEDULER_STATE'];
      expect(codes).toEqual(stage().store === 'sqlite' ? refused : []);
      await scheduler.resumeJob(CHILD); // the transaction has ended
    });
  });
}
