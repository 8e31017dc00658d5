import { Availability } from '../../../src/base/availability';
import { ManualClock } from '../../../src/base/manual-clock';
import { yieldToEventLoop } from '../../../src/base/yield-to-event-loop';
import type { Completion, CompletionInstruction } from '../../../src/domain/completion';
import type { TriggerFiring } from '../../../src/domain/firing';
import { LoadCounts } from '../../../src/domain/load-counts';
import type { RunRecord } from '../../../src/domain/run';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { CompletionQueue } from '../../../src/engine/completion-queue';
import { EventBus } from '../../../src/events/event-bus';
import type { CompletionOutcome } from '../../../src/store/job-store';
import { faulty } from './faulty';
import { aFiring, aJobDetail, aTrigger } from './samples';

/** A store that keeps the batches it accepted, and refuses batches with a poisoned completion. */
function setUp({ flushInterval = 0 } = {}) {
  const clock = new ManualClock();
  const batches: string[][] = [];
  const stored: Completion[] = [];
  const outcomes = new Map<string, CompletionOutcome>();
  const poisoned = new Set<string>();
  const store = faulty({
    async completeTriggers(completions: readonly Completion[]): Promise<readonly CompletionOutcome[]> {
      const ids = completions.map(({ firing }) => firing.runId);
      if (ids.some((id) => poisoned.has(id))) throw new Error('poisoned');
      batches.push(ids);
      stored.push(...completions);
      return ids.map((id) => outcomes.get(id) ?? { status: 'completed', deletedTrigger: false, deletedJob: false });
    },
  });
  const bus = new EventBus();
  const events: SchedulerEvent[] = [];
  bus.subscribe((event) => events.push(event));
  const random = { token: (length: number) => '0'.repeat(length) };
  const load = new LoadCounts();
  const queue = new CompletionQueue(
    { store: store.target, clock, bus, random, availability: new Availability(clock), load },
    { retryInterval: 1_000, flushInterval },
  );
  const firingOf = (id: string) => aFiring({ runId: id, trigger: aTrigger({ nextFireTime: 5 }) });
  const enqueue = (...ids: string[]) => {
    for (const id of ids) {
      queue.enqueue({ completion: { firing: firingOf(id), instruction: 'NOOP' }, jobRunTime: 3, error: null });
    }
  };
  const pass = async (milliseconds: number) => {
    await yieldToEventLoop();
    clock.advanceBy(milliseconds);
    await yieldToEventLoop();
  };
  return { clock, store, batches, stored, outcomes, poisoned, events, queue, enqueue, pass };
}

describe('CompletionQueue', () => {
  it('writes completions at once, without a timer, and those of one turn in one batch', async () => {
    const { clock, batches, queue, enqueue } = setUp();
    enqueue('a', 'b', 'c');
    await queue.whenIdle();
    expect(batches).toEqual([['a', 'b', 'c']]);
    expect([clock.now(), clock.nextWakeTime]).toEqual([0, null]);
  });

  it('batches the completions that arrive during a write', async () => {
    const { store, batches, queue, enqueue } = setUp();
    const open = store.hold('completeTriggers');
    enqueue('a');
    await yieldToEventLoop();
    enqueue('b');
    enqueue('c');
    expect(queue.pending).toBe(3);
    open();
    await queue.whenIdle();
    expect(batches).toEqual([['a'], ['b', 'c']]);
    expect(queue.pending).toBe(0);
  });

  it('writes at once if a completion frees a scarce limit, and defers completions that free other limits', async () => {
    const { batches, enqueue, queue, pass } = setUp({ flushInterval: 100 });
    const end = (runId: string, more: Partial<TriggerFiring>) =>
      queue.enqueue({
        completion: { firing: aFiring({ runId, holds: ['mail'], ...more }), instruction: 'NOOP' },
        ...{ jobRunTime: 3, error: null },
      });
    enqueue('first');
    await pass(10);
    end('plenty', {});
    enqueue('plain');
    await pass(10);
    expect(batches).toEqual([['first']]);
    end('scarce', { isAwaited: true });
    await pass(0);
    expect(batches.slice(1)).toEqual([['plenty', 'plain', 'scarce']]);
  });

  it('stores limits that pass from one firing to another run when that run ends', async () => {
    const { clock, queue, stored, pass } = setUp({ flushInterval: 100 });
    const end = (runId: string, more: Partial<Completion> = {}, holds?: readonly string[]) =>
      queue.enqueue({
        completion: { firing: aFiring({ runId, ...(holds && { holds }) }), instruction: 'NOOP', ...more },
        ...{ jobRunTime: 3, error: null },
      });
    end('waits', { passesTo: 'slow' }, ['mail']);
    await pass(0);
    end('other');
    end('slow');
    await pass(0);
    expect(clock.now()).toBe(0);
    expect(stored.map(({ firing, tookOver }) => [firing.runId, tookOver])).toEqual([
      ['waits', undefined],
      ['other', undefined],
      ['slow', ['mail']],
    ]);
    end('slow');
    await pass(100);
    expect(stored.at(-1)).not.toHaveProperty('tookOver');
  });

  it('drops the limits passed to a run that its own transaction has completed', async () => {
    const { queue, stored } = setUp();
    const completion = {
      firing: aFiring({ runId: 'waits', holds: ['mail'] }),
      instruction: 'NOOP',
      passesTo: 'slow',
    } as const;
    const ofSlow = {
      completion: { firing: aFiring({ runId: 'slow' }), instruction: 'NOOP' },
      jobRunTime: 3,
      error: null,
    } as const;
    queue.enqueue({ completion, jobRunTime: -1, error: null });
    queue.announce(ofSlow, { status: 'completed', deletedTrigger: false, deletedJob: false });
    queue.enqueue(ofSlow);
    await queue.whenIdle();
    expect(stored.at(-1)).not.toHaveProperty('tookOver');
  });

  it('writes at most 500 completions at a time', async () => {
    const { batches, queue, enqueue } = setUp();
    enqueue(...Array.from({ length: 1_201 }, (_, n) => `c${n}`));
    await queue.whenIdle();
    expect(batches.map(({ length }) => length)).toEqual([500, 500, 201]);
  });

  it('retries a refused completion alone, with growing pauses, without delaying the others', async () => {
    const { batches, outcomes, events, queue, enqueue, pass } = setUp();
    outcomes.set('bad', { status: 'failed', deletedTrigger: false, deletedJob: false });
    enqueue('bad', 'a');
    await pass(0);
    enqueue('b');
    await pass(0);
    expect(batches).toEqual([['bad', 'a'], ['b']]);
    expect(queue.pending).toBe(1);
    await pass(25);
    await pass(25);
    expect(batches.slice(2)).toEqual([['bad']]);
    outcomes.delete('bad');
    await pass(25);
    await queue.whenIdle();
    expect(batches.slice(2)).toEqual([['bad'], ['bad']]);
    const told = events.map((event) => (event.type === 'triggerCompleted' ? event.firing.runId : event.type));
    expect(told).toEqual(['a', 'b', 'bad']);
  });

  it('retries until the store accepts, and reports the outage once', async () => {
    const { store, batches, events, queue, enqueue, pass } = setUp();
    store.fail('completeTriggers', 3);
    enqueue('a');
    for (const delay of [25, 50, 100]) await pass(delay);
    await queue.whenIdle();
    expect(batches).toEqual([['a']]);
    expect(events.map(({ type }) => type)).toEqual(['schedulerError', 'triggerCompleted']);
  });

  it('waits at most the retry interval between attempts', async () => {
    const { store, batches, enqueue, pass } = setUp();
    store.fail('completeTriggers', 40);
    enqueue('a');
    for (let attempt = 0; attempt < 40; attempt++) await pass(500);
    expect(batches).toEqual([['a']]);
  });

  it('stores all other completions when the store rejects one of them', async () => {
    const { batches, poisoned, queue, enqueue, pass } = setUp();
    poisoned.add('bad');
    enqueue('a', 'b', 'bad', 'c', 'd');
    for (let attempt = 0; attempt < 12; attempt++) await pass(1_000);
    expect(batches.flat().toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(queue.pending).toBe(1);
    poisoned.clear();
    await pass(1_000);
    expect(batches.flat()).toContain('bad');
    expect(queue.pending).toBe(0);
  });

  it('reports a completion that the store refused because the node no longer owns the firing', async () => {
    const { outcomes, events, queue, enqueue } = setUp();
    outcomes.set('b', { status: 'fenced', deletedTrigger: false, deletedJob: false });
    enqueue('a', 'b');
    await queue.whenIdle();
    expect(events).toMatchObject([
      { type: 'triggerCompleted', firing: { runId: 'a' }, jobRunTime: 3, error: null, instruction: 'NOOP' },
      { type: 'completionFenced', firing: { runId: 'b' } },
    ]);
  });

  it('reports the trigger and the non-durable job that the last firing deleted', async () => {
    const { outcomes, events, queue } = setUp();
    outcomes.set('fire-1', { status: 'completed', deletedTrigger: true, deletedJob: true });
    queue.enqueue({ completion: { firing: aFiring(), instruction: 'DELETE_TRIGGER' }, jobRunTime: 0, error: null });
    await queue.whenIdle();
    expect(events.map(({ type }) => type)).toEqual(['triggerCompleted', 'triggerFinalized', 'jobDeleted']);
  });

  it('does not report a trigger as finalized if it was rescheduled while its job ran', async () => {
    const { events, queue } = setUp();
    queue.enqueue({ completion: { firing: aFiring(), instruction: 'DELETE_TRIGGER' }, jobRunTime: 0, error: null });
    await queue.whenIdle();
    expect(events.map(({ type }) => type)).toEqual(['triggerCompleted']);
  });

  it('has capacity until more than 2,000 completions wait, and reports when it has capacity again', async () => {
    const { store, queue, enqueue } = setUp();
    const never = new AbortController().signal;
    const open = store.hold('completeTriggers');
    enqueue(...Array.from({ length: 2_000 }, (_, n) => `c${n}`));
    expect(queue.hasCapacity()).toBe(true);
    await queue.whenCapacity(never);
    enqueue('one too many');
    expect(queue.hasCapacity()).toBe(false);
    enqueue(...Array.from({ length: 1_000 }, (_, n) => `more ${n}`));
    let pending: number | null = null;
    const capacity = queue.whenCapacity(never).then(() => {
      pending = queue.pending;
    });
    await yieldToEventLoop();
    expect(pending).toBeNull();
    open();
    await capacity;
    expect(pending).toBeLessThanOrEqual(2_000);
  });

  it('stops waiting for capacity when aborted', async () => {
    const { store, queue, enqueue } = setUp();
    store.hold('completeTriggers');
    enqueue(...Array.from({ length: 2_001 }, (_, n) => `c${n}`));
    const controller = new AbortController();
    const capacity = queue.whenCapacity(controller.signal);
    controller.abort();
    await capacity;
    await queue.whenCapacity(controller.signal);
    expect(queue.hasCapacity()).toBe(false);
  });

  it('closes when all completions are written', async () => {
    const { clock, batches, queue, enqueue } = setUp();
    enqueue('a');
    expect(await queue.close(1_000)).toBe(0);
    expect(batches).toEqual([['a']]);
    expect(clock.nextWakeTime).toBeNull();
    expect(await queue.close(1_000)).toBe(0);
  });

  it('stops retrying at the close deadline, returns the number of unwritten completions and accepts no more', async () => {
    const { clock, store, queue, enqueue, pass } = setUp();
    store.fail('completeTriggers', Number.POSITIVE_INFINITY);
    enqueue('a', 'b');
    const closed = queue.close(1_000);
    for (let i = 0; i < 10; i++) await pass(100);
    expect(await closed).toBe(2);
    const { length } = store.calls;
    enqueue('c');
    await pass(10_000);
    expect(queue.pending).toBe(2);
    expect(store.calls).toHaveLength(length);
    expect(clock.nextWakeTime).toBeNull();
  });
});

describe('CompletionQueue with a flush interval of 20 ms', () => {
  /** A queue that has just written the completion 'first'. */
  async function setUpAfterOne() {
    const all = setUp({ flushInterval: 20 });
    const { queue, batches, enqueue } = all;
    const enqueueOne = (id: string, instruction: CompletionInstruction, disallowConcurrentExecution = false) => {
      const firing = aFiring({ runId: id, jobDetail: aJobDetail({ disallowConcurrentExecution }) });
      queue.enqueue({ completion: { firing, instruction }, jobRunTime: 0, error: null });
    };
    enqueue('first');
    await queue.whenIdle();
    expect(batches.splice(0)).toEqual([['first']]);
    return { ...all, enqueueOne };
  }

  it('writes the first completion at once', async () => {
    const { clock } = await setUpAfterOne();
    expect([clock.now(), clock.nextWakeTime]).toEqual([0, null]);
  });

  it('defers completions after a write until the 20 ms have passed, and writes them together', async () => {
    const { clock, batches, enqueue, queue, pass } = await setUpAfterOne();
    await pass(5);
    enqueue('a');
    await pass(7);
    enqueue('b');
    await pass(7);
    enqueue('c');
    await pass(0);
    expect([batches, queue.pending, clock.nextWakeTime]).toEqual([[], 3, 20]);
    await pass(1);
    expect([batches, queue.pending]).toEqual([[['a', 'b', 'c']], 0]);
  });

  it('counts the 20 ms from the start of the last write', async () => {
    const { clock, store, batches, enqueue, pass } = await setUpAfterOne();
    await pass(20);
    const open = store.hold('completeTriggers');
    enqueue('slow');
    await pass(15);
    enqueue('a');
    open();
    await pass(0);
    expect([batches, clock.nextWakeTime]).toEqual([[['slow']], 40]);
    await pass(5);
    expect(batches).toEqual([['slow'], ['a']]);
  });

  it('writes a completion at once if the last write was 20 ms ago', async () => {
    const { clock, batches, enqueue, pass } = await setUpAfterOne();
    await pass(20);
    enqueue('a');
    await pass(0);
    expect([batches, clock.nextWakeTime]).toEqual([[['a']], null]);
  });

  it.each([
    ['of a job that disallows concurrent execution', 'NOOP', true],
    ['that stops the trigger', 'SET_TRIGGER_COMPLETE', false],
    ['that stops all triggers of the job', 'SET_ALL_JOB_TRIGGERS_ERROR', false],
  ] as const)('writes all deferred completions together with one %s', async (_, instruction, isSerial) => {
    const { clock, batches, enqueue, enqueueOne, pass } = await setUpAfterOne();
    await pass(5);
    enqueue('a');
    await pass(0);
    expect(batches).toEqual([]);
    enqueueOne('awaited', instruction, isSerial);
    await pass(0);
    enqueueOne('awaited too', instruction, isSerial);
    await pass(0);
    expect([batches, clock.now(), clock.nextWakeTime]).toEqual([[['a', 'awaited'], ['awaited too']], 5, null]);
  });

  it('defers completions that delete their trigger', async () => {
    const { batches, enqueueOne, pass } = await setUpAfterOne();
    enqueueOne('a', 'DELETE_TRIGGER');
    await pass(19);
    expect(batches).toEqual([]);
    await pass(1);
    expect(batches).toEqual([['a']]);
  });

  it('writes at once when 400 completions are waiting', async () => {
    const { clock, batches, enqueue, pass } = await setUpAfterOne();
    enqueue(...Array.from({ length: 399 }, (_, n) => `c${n}`));
    await pass(5);
    expect(batches).toEqual([]);
    enqueue('the last');
    await pass(0);
    expect([batches.map(({ length }) => length), clock.now()]).toEqual([[400], 5]);
  });

  it('closes without waiting for the interval, even if completions arrive during a write', async () => {
    const { clock, store, batches, enqueue, queue, pass } = await setUpAfterOne();
    enqueue('a');
    await pass(5);
    expect(batches).toEqual([]);
    const open = store.hold('completeTriggers');
    const closed = queue.close(1_000);
    await pass(0);
    enqueue('b');
    open();
    await closed;
    expect([batches, clock.now(), clock.nextWakeTime]).toEqual([[['a'], ['b']], 5, null]);
  });
});

describe('CompletionQueue with a flush interval of 0', () => {
  it('sets no timer between completions', async () => {
    const { clock, batches, enqueue, queue } = setUp({ flushInterval: 0 });
    const sleep = jest.spyOn(clock, 'sleepUntil');
    for (const id of ['a', 'b', 'c']) {
      enqueue(id);
      await queue.whenIdle();
    }
    expect(batches).toEqual([['a'], ['b'], ['c']]);
    expect(sleep).not.toHaveBeenCalled();
  });

  it('emits retry and dead letter events only after the store has accepted them', async () => {
    const { store, outcomes, events, queue } = setUp();
    const error = new Error('no paper');
    const run = { isDeadLetter: true } as RunRecord;
    const retry = aTrigger({ key: { group: 'RETRYING_JOBS', name: 'retry' } });
    const open = store.hold('completeTriggers');
    const end = (id: string, ending: Partial<Completion>) => {
      const firing = aFiring({ runId: id });
      queue.enqueue({ completion: { firing, instruction: 'NOOP', ...ending }, jobRunTime: 1, error });
    };
    end('jobless', { further: [retry] });
    outcomes.set('jobless', { status: 'completed', deletedTrigger: false, deletedJob: false, notStored: [retry.key] });
    for (const id of ['ours', 'theirs']) {
      end(id, { further: [retry] });
      end(id, { run });
      end(id, { run: { isDeadLetter: false } as RunRecord });
    }
    outcomes.set('theirs', { status: 'fenced', deletedTrigger: false, deletedJob: false });
    await yieldToEventLoop();
    expect(events).toEqual([]);
    open();
    await queue.whenIdle();
    const types = ['retryScheduled', 'retriesExhausted', 'completionFenced'];
    const told = events.filter(({ type }) => types.includes(type));
    expect(told).toMatchObject([
      { type: 'retryScheduled', firing: { runId: 'ours' }, trigger: retry, error, occurrence: { attempt: 1 } },
      { type: 'retriesExhausted', firing: { runId: 'ours' }, error, occurrence: { attempt: 1 } },
      { type: 'completionFenced' },
      { type: 'completionFenced' },
      { type: 'completionFenced' },
    ]);
  });
});
