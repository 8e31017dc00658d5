import type { AcquiredTrigger, FireResult, TriggerFiring } from '../../../../src/domain/firing';
import type { AcquireResult, FiringStore, JobStore } from '../../../../src/store/job-store';
import { referringStore, resolvingStore } from '../../../../src/store/thread/store-thread';
import { everyMinute, job, once, ran } from '../../../conformance/samples';

const acquired = (id: string): AcquiredTrigger => ({ runId: id, trigger: everyMinute() });
const firing = (id: string): TriggerFiring => ({
  runId: id,
  trigger: everyMinute(),
  jobDetail: job(),
  calendar: null,
  scheduledFireTime: 1,
  previousFireTime: null,
  fireTime: 2,
  recovering: false,
});
const fired = (id: string): FireResult => ({ status: 'fired', firing: firing(id) });

type Firings = Pick<JobStore, 'applySchedule'> & Omit<FiringStore, 'recoverMisfires'>;

/** Both ends of a connection that clones everything. It records the calls that cross towards the store. */
function connected(answers: { acquire?: AcquireResult; fire?: readonly FireResult[]; fails?: boolean } = {}) {
  const crossed: string[] = [];
  const reached: unknown[] = [];
  const store: Firings = {
    applySchedule: async () => ({ outcomes: [], fired: [fired('prompt')] }),
    acquireTriggers: async () => answers.acquire ?? { acquired: [], fired: [] },
    releaseTriggers: async (all) => void reached.push(all),
    async fireTriggers(all) {
      if (answers.fails) throw new Error('down');
      reached.push(all);
      return answers.fire ?? [];
    },
    async completeTriggers(all) {
      if (answers.fails) throw new Error('down');
      reached.push(all);
      return all.map(() => ({ status: 'completed', deletedTrigger: false, deletedJob: false }));
    },
    changedElsewhere: async (all) => void reached.push(all),
  };
  const served = resolvingStore(store);
  const call =
    (method: keyof Firings) =>
    async (...args: readonly unknown[]) => {
      crossed.push(JSON.stringify(args[0]));
      const serve = served[method] as (...given: readonly unknown[]) => Promise<unknown>;
      return structuredClone(await serve(...(structuredClone(args) as unknown[])));
    };
  const remote = referringStore({
    applySchedule: call('applySchedule'),
    acquireTriggers: call('acquireTriggers'),
    releaseTriggers: call('releaseTriggers'),
    fireTriggers: call('fireTriggers'),
    completeTriggers: call('completeTriggers'),
    changedElsewhere: call('changedElsewhere'),
  } as Firings);
  return { remote, crossed, reached, answers };
}

const request = {} as Parameters<FiringStore['acquireTriggers']>[0];

describe('firings that are sent between threads', () => {
  it('are sent in full once, and returned by id', async () => {
    const { remote, crossed, reached } = connected({ acquire: { acquired: [], fired: [fired('f')] } });
    const [result] = (await remote.acquireTriggers(request)).fired;
    const handedOut = (result as { firing: TriggerFiring }).firing;
    await remote.completeTriggers([{ firing: handedOut, instruction: 'NOOP', jobData: { n: 1 } }]);
    expect(crossed.at(-1)).toBe('[{"firing":{"handedOut":"f"},"instruction":"NOOP","jobData":{"n":1}}]');
    expect(reached).toEqual([[{ firing: firing('f'), instruction: 'NOOP', jobData: { n: 1 } }]]);
  });

  it('are completed together with their run and further triggers', async () => {
    const { remote, reached } = connected({ acquire: { acquired: [], fired: [fired('f')] } });
    const [result] = (await remote.acquireTriggers(request)).fired;
    const handedOut = (result as { firing: TriggerFiring }).firing;
    const rest = { instruction: 'NOOP', run: ran('f'), further: [once('retry')] } as const;
    await remote.completeTriggers([{ firing: handedOut, ...rest }]);
    expect(reached).toEqual([[{ firing: firing('f'), ...rest }]]);
  });

  it('are completed together with the limits that they pass on and take over', async () => {
    const { remote, reached } = connected({ acquire: { acquired: [], fired: [fired('a'), fired('b')] } });
    const { fired: own } = await remote.acquireTriggers(request);
    const [a, b] = own.map((each) => (each as { readonly firing: TriggerFiring }).firing) as [
      TriggerFiring,
      TriggerFiring,
    ];
    const passes = { instruction: 'NOOP', further: [once('later')], passesTo: 'b' } as const;
    const takes = { instruction: 'NOOP', tookOver: ['mail'] } as const;
    await remote.completeTriggers([
      { firing: a, ...passes },
      { firing: b, ...takes },
    ]);
    expect(reached).toEqual([[expect.objectContaining(passes), expect.objectContaining(takes)]]);
  });

  it('are sent in full once if a schedule change fired them', async () => {
    const { remote, crossed, reached } = connected();
    const { fired: firings } = await remote.applySchedule([], {
      now: 0,
      misfireThreshold: 0,
      fireNow: { maxCount: 1, jobTypes: [] },
    });
    await remote.completeTriggers([{ firing: (firings[0] as { firing: TriggerFiring }).firing, instruction: 'NOOP' }]);
    expect(crossed.at(-1)).toBe('[{"firing":{"handedOut":"prompt"},"instruction":"NOOP"}]');
    expect(reached).toEqual([[{ firing: firing('prompt'), instruction: 'NOOP' }]]);
  });

  it('are sent in full once if they were acquired first', async () => {
    const { remote, crossed, reached } = connected({
      acquire: { acquired: [acquired('a'), acquired('b')], fired: [] },
      fire: [fired('a')],
    });
    const [a, b] = (await remote.acquireTriggers(request)).acquired as [AcquiredTrigger, AcquiredTrigger];
    await remote.releaseTriggers([b]);
    const [result] = await remote.fireTriggers([a], 5);
    await remote.completeTriggers([{ firing: (result as { firing: TriggerFiring }).firing, instruction: 'NOOP' }]);
    expect(crossed.slice(1)).toEqual([
      '[{"handedOut":"b"}]',
      '[{"handedOut":"a"}]',
      '[{"firing":{"handedOut":"a"},"instruction":"NOOP"}]',
    ]);
    expect(reached).toEqual([[acquired('b')], [acquired('a')], [{ firing: firing('a'), instruction: 'NOOP' }]]);
  });

  it('are sent in full if they come from elsewhere or are sent again', async () => {
    const { remote, crossed, reached } = connected({ acquire: { acquired: [], fired: [fired('f')] } });
    const [result] = (await remote.acquireTriggers(request)).fired;
    const { firing: handedOut } = result as { firing: TriggerFiring };
    await remote.completeTriggers([{ firing: handedOut, instruction: 'NOOP' }]);
    await remote.completeTriggers([{ firing: handedOut, instruction: 'NOOP' }]);
    await remote.completeTriggers([{ firing: firing('other'), instruction: 'NOOP' }]);
    await remote.releaseTriggers([acquired('other')]);
    expect(crossed.slice(2).every((text) => text.includes('"runId"'))).toBe(true);
    expect(reached.slice(1)).toEqual([
      [{ firing: firing('f'), instruction: 'NOOP' }],
      [{ firing: firing('other'), instruction: 'NOOP' }],
      [acquired('other')],
    ]);
  });

  it('can be sent again after a failure of the store', async () => {
    const { remote, answers, reached } = connected({ acquire: { acquired: [acquired('a')], fired: [fired('f')] } });
    const { acquired: reserved, fired: results } = await remote.acquireTriggers(request);
    const completion = { firing: (results[0] as { firing: TriggerFiring }).firing, instruction: 'NOOP' } as const;
    answers.fails = true;
    await expect(remote.completeTriggers([completion])).rejects.toThrow('down');
    await expect(remote.fireTriggers(reserved, 5)).rejects.toThrow('down');
    answers.fails = false;
    await remote.completeTriggers([completion]);
    await remote.releaseTriggers(reserved);
    expect(reached).toEqual([[{ firing: firing('f'), instruction: 'NOOP' }], [acquired('a')]]);
  });

  it('are replaced by ids, while lists of texts, such as names of declared sets, stay unchanged', async () => {
    const names = { getDeclaredSets: async (sets: readonly string[]) => [...sets, null] };
    const remote = referringStore(resolvingStore(names));
    expect(await remote.getDeclaredSets(['billing', 'mail'])).toEqual(['billing', 'mail', null]);
  });
});
