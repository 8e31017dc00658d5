import { SchedulerError } from '../../../src/base/errors';
import { ManualClock } from '../../../src/base/manual-clock';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import type { Actor } from '../../../src/operations/operation';
import { type InputOf, OPERATIONS, type OperationName } from '../../../src/operations/operations';
import { perform } from '../../../src/operations/perform';
import { controlOf, type SchedulerControl } from '../../../src/scheduler/control';
import { createScheduler } from '../../../src/scheduler/create-scheduler';

const NOW = Date.parse('2026-03-01T10:00:00Z');
const ANN: Actor = { name: 'ann', role: 'admin', via: 'http', from: '192.0.2.7' };

async function open() {
  const clock = new ManualClock(NOW);
  const scheduler = await createScheduler(
    { scheduler: { logLevel: 'silent' } },
    { clock, jobs: { noop: async () => {} } },
  );
  const control = controlOf(scheduler) as SchedulerControl;
  const signal = new AbortController().signal;
  const act = <Name extends OperationName>(name: Name, input: InputOf<Name>, actor = ANN, with_ = control) =>
    perform({ name, operation: OPERATIONS[name] as never, input }, { scheduler, control: with_, actor, signal });
  const listed = async (input: InputOf<'actions.list'> = {}) =>
    ((await act('actions.list', input)) as { items: Record<string, unknown>[] }).items;
  return { scheduler, control, clock, act, listed };
}

describe('the action log', () => {
  it('records the actor, time, address, target and input of each action, and the error of a failed one', async () => {
    const { clock, act, listed } = await open();
    await act('scheduler.pauseAll', { reason: 'maintenance' });
    clock.advanceTo(NOW + 1_000);
    const missing = { name: 'nothing', group: 'DEFAULT' };
    await expect(act('firings.interrupt', { runId: missing.name })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(act('backfills.add', { ...missing, from: 'x' } as never)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    const items = await listed();
    expect(items).toMatchObject([
      {
        at: '2026-03-01T10:00:01.000Z',
        operation: 'firings.interrupt',
        target: 'nothing',
        error: expect.stringMatching(/^NOT_FOUND: /),
      },
      {
        at: '2026-03-01T10:00:00.000Z',
        actor: 'ann',
        role: 'admin',
        via: 'http',
        address: '192.0.2.7',
        operation: 'scheduler.pauseAll',
        target: '',
        input: { reason: 'maintenance' },
        error: null,
      },
    ]);
    // Read operations and invalid input are not recorded.
    expect(items).toHaveLength(2);
    expect(await listed({ search: 'MAINTENANCE' })).toHaveLength(1);
    expect(await listed({ since: '2026-03-01T10:00:00.500Z' })).toHaveLength(1);
    expect(await listed({ actor: 'bob' })).toEqual([]);
  });

  it('can be read only by administrators', async () => {
    const { act } = await open();
    await expect(act('actions.list', {}, { ...ANN, role: 'operator' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('is returned page by page', async () => {
    const { act, clock } = await open();
    for (let at = 0; at < 5; at++) {
      clock.advanceTo(NOW + at * 1_000);
      await act('scheduler.pauseAll', { reason: `${at}` } as never);
    }
    const reasons: string[] = [];
    let after: string | undefined;
    do {
      const page = (await act('actions.list', { limit: 2, ...(after === undefined ? {} : { after }) })) as never as {
        items: { input: { reason: string } }[];
        next: string | null;
      };
      reasons.push(...page.items.map(({ input }) => input.reason));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(reasons).toEqual(['4', '3', '2', '1', '0']);
    for (const wrong of ['x', '[1]', '["a","b"]', '[1e400,"a"]', '{}'])
      await expect(act('actions.list', { after: wrong })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('makes the operation fail with NOT_RECORDED if it was done but could not be recorded', async () => {
    const { scheduler, control, act } = await open();
    const failing = {
      ...control,
      recordAction: () => Promise.reject(new SchedulerError('STORE_FAILURE', 'disk full')),
    };
    const doing = act('scheduler.pauseAll', {}, ANN, failing);
    await expect(doing).rejects.toMatchObject({ code: 'NOT_RECORDED', cause: { code: 'STORE_FAILURE' } });
    expect(await scheduler.getPausedTriggerGroups()).not.toEqual([]);
  });

  it('reports the error of a failed operation even if recording it fails too', async () => {
    const { scheduler, control, act } = await open();
    const errors: SchedulerEvent[] = [];
    scheduler.subscribe((event) => void errors.push(event), ['schedulerError']);
    const failing = {
      ...control,
      recordAction: () => Promise.reject(new SchedulerError('STORE_FAILURE', 'disk full')),
    };
    scheduler.pauseAll = () => Promise.reject(new SchedulerError('SCHEDULER_STATE', 'it is shut down'));
    const doing = act('scheduler.pauseAll', {}, ANN, failing);
    await expect(doing).rejects.toMatchObject({ code: 'SCHEDULER_STATE' });
    expect(errors).toMatchObject([{ error: { message: 'disk full' } }]);
  });

  it('contains neither secrets nor details of internal errors', async () => {
    const { scheduler, control, act, listed } = await open();
    const actor = { name: 'ann', role: 'admin', via: 'http', from: null };
    const input = { data: { password: 'hunter22' } };
    await control.recordAction({
      actor,
      operation: 'x',
      target: '',
      input,
      changes: null,
      error: 'INVALID: hunter22 is too short',
    });
    scheduler.pauseAll = () => Promise.reject(new TypeError('the inside of 10.1.2.3'));
    await expect(act('scheduler.pauseAll', {})).rejects.toThrow('inside');
    const items = await listed();
    expect(JSON.stringify(items)).not.toMatch(/hunter22|10\.1\.2\.3/);
    expect(items.map(({ error }) => error)).toEqual(expect.arrayContaining(['INVALID: *** is too short', 'INTERNAL']));
  });
});
