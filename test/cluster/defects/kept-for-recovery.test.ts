import type { CompletionInstruction } from '../../../src/domain/completion';
import type { TriggerFiring } from '../../../src/domain/firing';
import { job, MINUTE, NOW, once } from '../../conformance/samples';
import { describeOnSqlStores } from './support/defect-cluster';

const completion = (firing: TriggerFiring, instruction: CompletionInstruction) => ({ firing, instruction });

/** Recovery runs a job with its stored data, so the rows of the job and the trigger must exist until the firing has ended. */
describeOnSqlStores('a firing that requests recovery', (cluster) => {
  /** The first of two firings executes on `a`, the second and last on `b`. */
  const twoFirings = async () => {
    const { a, b } = cluster;
    const twice = once('twice', { repeatCount: 1, repeatInterval: MINUTE, data: { of: 'trigger' } });
    await a.schedule(job('import', { requestsRecovery: true, data: { of: 'job', by: 'job' } }), twice);
    const [first] = await a.fireDue();
    b.now = NOW + MINUTE;
    const [last] = await b.fireDue();
    if (first === undefined || last === undefined) throw new Error('Expected two firings.');
    return { a, b, first, last };
  };

  it('keeps its trigger and job after the last firing, and is recovered with the data of both', async () => {
    const { a, b, last } = await twoFirings();
    const outcomes = await b.store.completeTriggers([completion(last, 'DELETE_TRIGGER')]);
    expect(outcomes).toMatchObject([{ status: 'completed', deletedTrigger: false, deletedJob: false }]);
    await expect(b.recover(a)).resolves.toMatchObject({ recovered: [{}], lost: 0 });
    const [again] = await b.fireDue();
    expect(again).toMatchObject({ recovering: true, jobDetail: { data: { by: 'job' } } });
    expect(again?.trigger.data).toMatchObject({ of: 'trigger' });
    await b.store.completeTriggers(again === undefined ? [] : [completion(again, 'DELETE_TRIGGER')]);
    expect([await b.job('import'), await b.state('twice'), await b.firedRows()]).toEqual([null, null, 0]);
  });

  it('deletes its trigger and job when it ends after the last firing', async () => {
    const { a, b, first, last } = await twoFirings();
    await b.store.completeTriggers([completion(last, 'DELETE_TRIGGER')]);
    expect(await b.state('twice')).toBe('COMPLETE');
    const outcomes = await a.store.completeTriggers([completion(first, 'NOOP')]);
    expect(outcomes).toMatchObject([{ status: 'completed', deletedTrigger: true, deletedJob: true }]);
    expect([await b.job('import'), await b.state('twice'), await b.firedRows()]).toEqual([null, null, 0]);
  });

  it('leaves the deletion of its trigger and job to the last firing when it ends earlier', async () => {
    const { a, b, first, last } = await twoFirings();
    await a.store.completeTriggers([completion(first, 'NOOP')]);
    expect(await b.state('twice')).toBe('COMPLETE');
    const outcomes = await b.store.completeTriggers([completion(last, 'DELETE_TRIGGER')]);
    expect(outcomes).toMatchObject([{ deletedTrigger: true, deletedJob: true }]);
    expect([await b.job('import'), await b.firedRows()]).toEqual([null, 0]);
  });

  it('leaves no rows when it ends in one batch with the last firing', async () => {
    const { a } = cluster;
    const twice = once('twice', { repeatCount: 1, repeatInterval: MINUTE });
    await a.schedule(job('import', { requestsRecovery: true }), twice);
    const [first] = await a.fireDue();
    a.now = NOW + MINUTE;
    const [last] = await a.fireDue();
    const ends = [first, last].flatMap((firing) => (firing === undefined ? [] : [firing]));
    await a.store.completeTriggers(ends.map((firing, at) => completion(firing, at === 0 ? 'NOOP' : 'DELETE_TRIGGER')));
    expect([await a.job('import'), await a.state('twice'), await a.firedRows()]).toEqual([null, null, 0]);
  });
});
