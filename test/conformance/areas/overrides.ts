import type { DeclarationTarget } from '../../../src/domain/declaration';
import type { JobDetail } from '../../../src/domain/job-detail';
import { jobKey, triggerKey } from '../../../src/domain/keys';
import type { Author, Declarer } from '../../../src/domain/override';
import type { ScheduleChange } from '../../../src/domain/schedule-change';
import type { Trigger } from '../../../src/domain/trigger';
import { proves } from '../../support/proves';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyNoon, HOUR, job, NOW, once } from '../samples';
import { after } from './chains';

const ANN: Author = { by: 'ann', via: 'console' };
const TRIGGER: DeclarationTarget = { what: 'trigger', group: 'DEFAULT', name: 'trigger' };
const JOB: DeclarationTarget = { what: 'job', group: 'DEFAULT', name: 'job' };
const APP: Declarer = { set: 'app', kind: 'code', version: '1.0' };
const at = (hour: number) => ({ cronExpression: `0 0 ${hour} * * ?` });

function declaring(
  trigger: Trigger,
  declared: Declarer = APP,
  {
    jobFields = {},
    isStartDefaulted = true,
  }: { readonly jobFields?: Partial<JobDetail>; readonly isStartDefaulted?: boolean } = {},
): readonly ScheduleChange[] {
  const detail = { ...job(trigger.jobKey.name), ...jobFields };
  return [
    { type: 'storeJob', job: detail, ifExists: 'replace', requireTrigger: !detail.durable, declared },
    { type: 'storeTrigger', trigger, ifExists: 'replace', startTimeDefaulted: isStartDefaulted, declared },
  ];
}

function tools({ driver }: StoreContext) {
  const declare = (...given: Parameters<typeof declaring>) => driver().apply(...declaring(...given));
  const byAnn = async (...changes: readonly ScheduleChange[]) =>
    (await driver().store.applySchedule(changes, { ...driver().options, author: ANN })).outcomes;
  const edit = (trigger: Trigger) =>
    byAnn({ type: 'storeTrigger', trigger, ifExists: 'replace', startTimeDefaulted: true });
  const overrideOf = async (target = TRIGGER) => (await driver().store.getDeclarations([target]))[0]?.override;
  const overrides = () => driver().store.pageOverrides({ after: null, take: 100 });
  return { declare, byAnn, edit, overrideOf, overrides };
}

/** Edits by hand of definitions that code or a file declares. */
export function describeOverrides(context: StoreContext): void {
  describe('an override of a declared definition', () => {
    describeKept(context);
    describeDeleted(context);
    describePolicies(context);
  });
  describe('the owner of a definition', () => describeOwners(context));
}

function describeKept(context: StoreContext): void {
  const { driver } = context;
  const { declare, edit, byAnn, overrideOf, overrides } = tools(context);

  it('is kept, field by field, through further declarations', async () => {
    await declare(everyNoon());
    const [outcome] = await edit(everyNoon('trigger', at(7)));
    expect(outcome).toMatchObject({ status: 'replaced', changedFields: ['schedule'], overridden: ['schedule'] });
    driver().now = NOW + HOUR;
    const [, again] = await declare(everyNoon('trigger', { priority: 9, startTime: NOW + HOUR }));
    expect(again).toMatchObject({ status: 'replaced', changedFields: ['priority'], overridden: ['schedule'] });
    expect(again?.conflicts).toEqual([]);
    expect(await driver().trigger()).toMatchObject({ ...at(7), priority: 9 });
    expect(await overrideOf()).toMatchObject({
      fields: { schedule: { by: 'ann', via: 'console', at: NOW } },
      deleted: null,
      declared: { trigger: { cronExpression: everyNoon().kind === 'CRON' && '0 0 12 * * ?' } },
    });
    const before = await driver().everything();
    expect((await declare(everyNoon('trigger', { priority: 9 })))[1]).toMatchObject({ status: 'unchanged' });
    expect(await driver().everything()).toEqual(before);
    expect((await overrides()).map(({ target }) => target)).toEqual([TRIGGER]);
  });

  it('is reported once as a conflict when the same field is declared with another value', async () => {
    await declare(everyNoon());
    await edit(everyNoon('trigger', at(7)));
    expect((await declare(everyNoon('trigger', at(15))))[1]).toMatchObject({ conflicts: ['schedule'] });
    expect((await declare(everyNoon('trigger', at(15))))[1]).toMatchObject({ conflicts: [], overridden: ['schedule'] });
    expect(await driver().trigger()).toMatchObject(at(7));
  });

  it('is dropped and reported for a field that no longer fits the declaration', async () => {
    await declare(everyNoon());
    await edit(everyNoon('trigger', { priority: 9, policy: { jitter: HOUR } }));
    expect((await declare(everyNoon('trigger', at(15))))[1]).toMatchObject({ overridden: ['priority', 'jitter'] });
    await driver().schedule({ ...job('extract'), durable: true });
    const chain = after('trigger', ['extract'], { jobKey: jobKey('job') });
    expect((await declare(chain))[1]).toMatchObject({ overridden: ['priority'], dropped: ['jitter'] });
    const stored = await driver().trigger();
    expect(stored).toMatchObject({ kind: 'AFTER', priority: 9 });
    expect(stored?.policy).toBeUndefined();
    expect(Object.keys((await overrideOf())?.fields ?? {})).toEqual(['priority']);
  });

  it('ends when the declaration has the same value, and when the edit is reverted', async () => {
    await declare(everyNoon());
    await edit(everyNoon('trigger', at(7)));
    expect((await declare(everyNoon('trigger', at(7))))[1]).toMatchObject({ status: 'unchanged', overrideEnded: true });
    expect(await overrideOf()).toBeNull();
    await edit(everyNoon('trigger', at(9)));
    await edit(everyNoon('trigger', at(7)));
    expect(await overrideOf()).toBeNull();
    expect(await overrides()).toEqual([]);
  });

  it('is dropped by a declaration with dropsOverride, which restores the declared value', async () => {
    await declare(everyNoon());
    await edit(everyNoon('trigger', at(7)));
    const outcomes = await declare(everyNoon(), { ...APP, dropsOverride: true });
    expect(outcomes[1]).toMatchObject({ status: 'replaced', overrideEnded: true });
    expect(await driver().trigger()).toMatchObject(at(12));
    expect(await overrides()).toEqual([]);
  });

  it('keeps the edited fields of a job, while other fields follow the declaration', async () => {
    await declare(everyNoon(), APP, { jobFields: { durable: true, data: { to: 'a', from: 'b' } } });
    const edited = { ...job(), durable: true, data: { to: 'z', from: 'b' }, policy: { history: 'all' as const } };
    await byAnn({ type: 'storeJob', job: edited, ifExists: 'replace', requireTrigger: false });
    expect(Object.keys((await overrideOf(JOB))?.fields ?? {}).sort()).toEqual(['data.to', 'history']);
    const next = { durable: true, data: { to: 'c', from: 'd' }, description: 'new' };
    expect((await declare(everyNoon(), APP, { jobFields: next }))[0]).toMatchObject({ conflicts: ['data.to'] });
    expect(await driver().job()).toMatchObject({
      data: { to: 'z', from: 'd' },
      description: 'new',
      policy: { history: 'all' },
    });
  });

  it('moves a one-shot, and the declared time does not return', async () => {
    await declare(once('trigger', { startTime: NOW + HOUR }), APP, { isStartDefaulted: false });
    await byAnn({
      type: 'storeTrigger',
      trigger: once('trigger', { startTime: NOW + 2 * HOUR }),
      ifExists: 'replace',
      startTimeDefaulted: false,
    });
    await declare(once('trigger', { startTime: NOW + HOUR }), APP, { isStartDefaulted: false });
    expect(await driver().trigger()).toMatchObject({ nextFireTime: NOW + 2 * HOUR });
    driver().now = NOW + 2 * HOUR;
    await driver().complete(await driver().fireOne(), 'DELETE_TRIGGER');
    await declare(once('trigger', { startTime: NOW + HOUR }), APP, { isStartDefaulted: false });
    expect(await driver().find('trigger')).toBeNull();
  });
}

function describeDeleted(context: StoreContext): void {
  const { driver } = context;
  const { declare, byAnn, overrideOf, overrides } = tools(context);

  it('that deletes a trigger also removes its job, until the override is dropped', async () => {
    await declare(everyNoon());
    await byAnn({ type: 'deleteTrigger', key: triggerKey('trigger') });
    expect((await declare(everyNoon())).map(({ status }) => status)).toEqual(['finished', 'finished']);
    expect(await driver().find('trigger')).toBeNull();
    expect(await driver().job()).toBeNull();
    expect(await overrideOf()).toMatchObject({ deleted: { by: 'ann' }, job: { jobType: 'sample' } });
    await declare(everyNoon(), { ...APP, dropsOverride: true });
    expect(await driver().trigger()).toMatchObject(at(12));
  });

  it('that deletes a job also removes its triggers, including later declared ones', async () => {
    await declare(everyNoon(), APP, { jobFields: { durable: true } });
    await byAnn({ type: 'deleteJob', key: job().key });
    expect((await overrides()).map(({ target }) => target)).toEqual([JOB, TRIGGER]);
    const outcomes = await driver().apply(
      ...declaring(everyNoon(), APP, { jobFields: { durable: true } }),
      ...declaring(everyNoon('second'), APP, { jobFields: { durable: true } }).slice(1),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['finished', 'finished', 'finished']);
    expect(await driver().job()).toBeNull();
  });

  it('ends when the program deletes the trigger', async () => {
    await declare(everyNoon());
    await driver().apply({ type: 'deleteTrigger', key: triggerKey('trigger') });
    expect(await overrides()).toEqual([]);
    expect((await declare(everyNoon()))[1]).toMatchObject({ status: 'created' });
  });
}

function describePolicies(context: StoreContext): void {
  const { driver } = context;
  const { declare, edit, byAnn, overrides } = tools(context);

  it('is undone by the next declaration with codeWins', async () => {
    const declared = { ...APP, onEdit: 'codeWins' } as const;
    await declare(everyNoon(), declared);
    await edit(everyNoon('trigger', at(7)));
    expect(await driver().trigger()).toMatchObject(at(7));
    expect((await declare(everyNoon(), declared))[1]).toMatchObject({ status: 'replaced', overrideEnded: true });
    expect(await driver().trigger()).toMatchObject(at(12));
    await byAnn({ type: 'deleteTrigger', key: triggerKey('trigger') });
    expect((await declare(everyNoon(), declared))[1]).toMatchObject({ status: 'created' });
    expect(await overrides()).toEqual([]);
  });

  it('is refused if the declaration refuses edits, and nothing changes', async () => {
    proves('errors', 'DECLARED_ELSEWHERE');
    await declare(everyNoon(), { ...APP, onEdit: 'refuse' });
    const before = await driver().everything();
    await expect(edit(everyNoon('trigger', at(7)))).rejects.toMatchObject({ code: 'DECLARED_ELSEWHERE' });
    const deletion = byAnn({ type: 'deleteTrigger', key: triggerKey('trigger') });
    await expect(deletion).rejects.toMatchObject({
      code: 'DECLARED_ELSEWHERE',
      message: expect.stringMatching(/'app'/),
    });
    expect(await driver().everything()).toEqual(before);
    expect((await edit(everyNoon()))[0]).toMatchObject({ status: 'unchanged' });
  });
}

function describeOwners(context: StoreContext): void {
  const { driver } = context;
  const { declare, byAnn, overrides } = tools(context);
  const ownerOf = async (target: DeclarationTarget) => (await driver().store.getDeclarations([target]))[0]?.owner;

  it('is stored for jobs, triggers and calendars, with the first version that declared the same definition', async () => {
    await declare(everyNoon());
    driver().now = NOW + DAY;
    await declare(everyNoon(), { ...APP, version: '1.1' });
    expect(await ownerOf(TRIGGER)).toMatchObject({ kind: 'code', version: '1.0', at: NOW, by: null });
    expect(await ownerOf(JOB)).toMatchObject({ kind: 'code', version: '1.0' });
    await declare(everyNoon('trigger', at(8)), { ...APP, version: '1.1' });
    expect(await ownerOf(TRIGGER)).toMatchObject({ version: '1.1', at: NOW + DAY });
    await driver().apply({
      type: 'storeCalendar',
      name: 'days',
      calendar: { type: 'weekly', description: null, timeZone: 'UTC', base: null, excludedDays: [1] } as never,
      ifExists: 'replace',
      updateTriggers: true,
      declared: { set: 'plan.yaml', kind: 'file', file: 'plan.yaml' },
    });
    expect(await ownerOf({ what: 'calendar', group: '', name: 'days' })).toMatchObject({
      kind: 'file',
      file: 'plan.yaml',
    });
  });

  it('is the person who stored it by hand, without an override; other definitions have no owner', async () => {
    await byAnn(
      { type: 'storeJob', job: job(), ifExists: 'fail', requireTrigger: true },
      { type: 'storeTrigger', trigger: everyNoon(), ifExists: 'fail', startTimeDefaulted: true },
    );
    expect(await ownerOf(TRIGGER)).toMatchObject({ kind: 'console', by: 'ann', at: NOW });
    await byAnn({
      type: 'storeTrigger',
      trigger: everyNoon('trigger', at(7)),
      ifExists: 'replace',
      startTimeDefaulted: true,
    });
    expect(await overrides()).toEqual([]);
    await driver().schedule(job('other'), everyNoon('other', { jobKey: job('other').key }));
    expect(await ownerOf({ ...TRIGGER, name: 'other' })).toBeUndefined();
    await byAnn({ type: 'deleteTrigger', key: triggerKey('trigger') });
    expect(await ownerOf(TRIGGER)).toBeUndefined();
  });
}
