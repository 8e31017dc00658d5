import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import { RETRYING_JOBS } from '../../../src/domain/occurrence';
import { rerunTrigger } from '../../../src/domain/retry';
import { NO_RETRY } from '../../../src/domain/retry-policy';
import type { RunCursor, RunQuery, RunRecord } from '../../../src/domain/run';
import { RERUN, RERUNNABLE } from '../../../src/domain/run-detail';
import type { StoreContext } from '../describe-job-store';
import { DAY, everyMinute, everyNoon, HOUR, job, MINUTE, NOW, once, ran } from '../samples';

/** Records of ended runs: storing, finding and deleting them, and handling dead letters. */
export function describeRuns(context: StoreContext): void {
  describe('recorded runs', () => {
    describeRecording(context);
    describeListing(context);
    describePaging(context);
    describePruning(context);
    describeDeadLetters(context);
    describeMissed(context);
  });
}

const ALL: RunQuery = { take: 1_000 };

const idsOf = ({ items }: { readonly items: readonly RunRecord[] }) => items.map(({ runId }) => runId);

const deadLetter = (runId = 'dead', fields: Partial<RunRecord> = {}) =>
  ran(runId, { outcome: 'failed', isDeadLetter: true, attempt: 3, error: 'no answer', ...fields });

function describeRecording({ driver }: StoreContext): void {
  const list = async () => (await driver().store.listRuns(ALL)).items;

  it('are stored with the completion, with every field', async () => {
    await driver().scheduleAll(once());
    const firing = await driver().fireOne();
    const run = ran(firing.runId, {
      triggerKey: triggerKey('früh', "it's"),
      jobKey: jobKey('报告', 'b_%'),
      jobType: 'mail.send',
      instanceId: 'node 1',
      scheduledTime: NOW - MINUTE,
      fireTime: NOW - 1,
      attempt: 3,
      outcome: 'failed',
      isDeadLetter: true,
      error: `${'x'.repeat(998)}é☃`,
      detail: JSON.stringify({ stack: "Error: '\\'\n  at 🌍", lines: 'y'.repeat(64_000) }),
    });
    expect(await driver().complete(firing, 'DELETE_TRIGGER', { run })).toMatchObject({ status: 'completed' });
    expect(await list()).toEqual([run]);
  });

  it('are not stored by a fenced completion, and not twice', async () => {
    await driver().scheduleAll(everyMinute());
    const firing = await driver().fireOne();
    const run = ran(firing.runId);
    await driver().complete(firing, 'NOOP', { run });
    const later = { ...run, endTime: NOW + 1, outcome: 'failed' } as const;
    expect(await driver().complete(firing, 'NOOP', { run: later })).toMatchObject({ status: 'fenced' });
    expect(await list()).toEqual([run]);
  });

  it('are stored only for the completions of a batch that contain one', async () => {
    await driver().scheduleAll(once('a'), everyMinute('b'), everyMinute('c'), everyMinute('d'));
    await driver().schedule(job('serial', { disallowConcurrentExecution: true }), everyMinute('e'));
    const firings = await driver().fireDue();
    const completions = firings.map((firing) => {
      const { name } = firing.trigger.key;
      const run = name === 'b' ? {} : { run: ran(name) };
      return { firing, instruction: name === 'a' ? 'DELETE_TRIGGER' : 'NOOP', ...run } as const;
    });
    expect(await driver().store.completeTriggers(completions)).toHaveLength(5);
    expect((await list()).map(({ runId }) => runId)).toEqual(['e', 'd', 'c', 'a']);
  });

  it('are stored although their job was deleted, and remain when the schedule is cleared', async () => {
    await driver().scheduleAll(once());
    const firing = await driver().fireOne();
    await driver().applyOne({ type: 'deleteJob', key: jobKey('job') });
    const run = ran(firing.runId);
    expect(await driver().complete(firing, 'DELETE_TRIGGER', { run })).toMatchObject({ status: 'completed' });
    await driver().applyOne({ type: 'clear' });
    expect(await list()).toEqual([run]);
  });

  it('can be stored without a completion, and keep their first version', async () => {
    const skipped = ran('a', { outcome: 'skipped' });
    await driver().store.recordRuns([skipped, ran('b')]);
    await driver().store.recordRuns([{ ...skipped, outcome: 'failed' }, ran('c')]);
    expect(await list()).toEqual([ran('c'), ran('b'), skipped]);
    await driver().store.recordRuns([]);
    expect(await list()).toHaveLength(3);
  });

  it('can be stored in hundreds at once', async () => {
    const runs = Array.from({ length: 500 }, (_, index) => ran(`run ${index}`, { endTime: NOW + index }));
    await driver().store.recordRuns(runs);
    expect(await list()).toEqual([...runs].reverse());
  });
}

function describeListing({ driver }: StoreContext): void {
  const RUNS: readonly RunRecord[] = [
    ran('1', { endTime: NOW - HOUR, jobKey: jobKey('Import', 'nightly'), outcome: 'failed', error: 'Timeout of 100%' }),
    ran('2', { endTime: NOW - MINUTE, triggerKey: triggerKey('Imports', 'eu'), instanceId: 'other' }),
    ran('3', { outcome: 'lost', jobKey: jobKey('import', 'nightly') }),
    ran('4', { outcome: 'misfired', triggerKey: triggerKey('imports', 'eu'), error: 'over_time' }),
    deadLetter('5', { endTime: NOW + MINUTE, jobKey: jobKey('import', 'daily') }),
  ];
  const ENQUEUED: readonly RunRecord[] = [
    deadLetter('1', { endTime: NOW + 1, jobType: 'pay', jobKey: jobKey('pay-0123456789abc') }),
    deadLetter('2', { endTime: NOW + 2, jobType: 'pay', jobKey: jobKey('pay') }),
    deadLetter('3', { endTime: NOW + 3, jobType: 'pay', jobKey: jobKey('named') }),
    deadLetter('4', { endTime: NOW + 4, jobType: 'other', jobKey: jobKey('pay-0123456789abc') }),
    deadLetter('5', { endTime: NOW + 5, jobType: 'pay', jobKey: jobKey('pay-0123456789abc', 'g') }),
    deadLetter('6', { endTime: NOW + 6, jobType: 'pay', jobKey: jobKey('pay-twice') }),
    ran('7', { endTime: NOW + 7, jobType: 'pay', jobKey: jobKey('pay-0123456789abd') }),
  ];

  it.each<{ query: Omit<RunQuery, 'take'>; ids: readonly string[] }>([
    { query: { jobKey: jobKey('pay'), deadLetters: true }, ids: ['2', '1'] },
    { query: { jobKey: jobKey('pay', 'g'), deadLetters: true }, ids: [] },
    { query: { jobKey: jobKey('pay') }, ids: ['2'] },
    { query: { jobType: 'pay' }, ids: ['7', '6', '5', '3', '2', '1'] },
    { query: { jobType: 'pay', deadLetters: true }, ids: ['6', '5', '3', '2', '1'] },
    { query: { jobType: 'pay', jobKey: jobKey('named') }, ids: ['3'] },
  ])('are found by job type if their jobs were enqueued: $query', async ({ query, ids }) => {
    await driver().store.recordRuns(ENQUEUED);
    const { items } = await driver().store.listRuns({ ...query, take: 10 });
    expect(items.map(({ runId }) => runId)).toEqual(ids);
  });

  const gone: RunCursor = { endTime: NOW, runId: 'gone' };

  it.each<{ query: Omit<RunQuery, 'take'>; ids: readonly string[] }>([
    { query: {}, ids: ['5', '4', '3', '2', '1'] },
    { query: { jobKey: jobKey('import', 'nightly') }, ids: ['3'] },
    { query: { jobKey: jobKey('import', 'weekly') }, ids: [] },
    { query: { jobGroup: GroupMatcher.groupEquals('nightly') }, ids: ['3', '1'] },
    { query: { jobGroup: GroupMatcher.groupEndsWith('ly') }, ids: ['5', '3', '1'] },
    { query: { jobGroup: GroupMatcher.anyGroup() }, ids: ['5', '4', '3', '2', '1'] },
    { query: { triggerKey: triggerKey('imports', 'eu') }, ids: ['4'] },
    { query: { outcomes: ['failed'] }, ids: ['5', '1'] },
    { query: { outcomes: ['lost', 'misfired'] }, ids: ['4', '3'] },
    { query: { outcomes: ['vetoed'] }, ids: [] },
    { query: { occurrenceId: '3' }, ids: ['3'] },
    { query: { triggerKey: triggerKey('Imports', 'eu'), occurrenceId: '2' }, ids: ['2'] },
    { query: { triggerKey: triggerKey('Imports', 'eu'), occurrenceId: '3' }, ids: [] },
    { query: { instanceId: 'other' }, ids: ['2'] },
    { query: { since: NOW }, ids: ['5', '4', '3'] },
    { query: { until: NOW }, ids: ['2', '1'] },
    { query: { since: NOW - MINUTE, until: NOW + MINUTE }, ids: ['4', '3', '2'] },
    { query: { search: 'IMPORT' }, ids: ['5', '4', '3', '2', '1'] },
    { query: { search: 'imports' }, ids: ['4', '2'] },
    { query: { search: 'timeout' }, ids: ['1'] },
    { query: { search: '%' }, ids: ['1'] },
    { query: { search: '_t' }, ids: ['4'] },
    { query: { search: "'\\" }, ids: [] },
    { query: { search: '' }, ids: ['5', '4', '3', '2', '1'] },
    { query: { deadLetters: true }, ids: ['5'] },
    { query: { deadLetters: false }, ids: ['5', '4', '3', '2', '1'] },
    { query: { runIds: ['1', 'gone', '2', '1'] }, ids: ['2', '1'] },
    { query: { runIds: ['5', '1'], until: NOW }, ids: ['1'] },
    { query: { runIds: ['5', '3'], deadLetters: true }, ids: ['5'] },
    { query: { runIds: ['5', '4', '3'], after: gone }, ids: ['4', '3'] },
    { query: { runIds: ['x'.repeat(96)] }, ids: [] },
    { query: { runIds: [] }, ids: [] },
    { query: { runIds: ['1', '2'], outcomes: ['failed'] }, ids: ['1'] },
    { query: { after: gone }, ids: ['4', '3', '2', '1'] },
    { query: { search: 'import', since: NOW, outcomes: ['lost', 'failed'], deadLetters: true }, ids: ['5'] },
  ])('are found by $query', async ({ query, ids }) => {
    await driver().store.recordRuns(RUNS);
    expect(await driver().store.listRuns({ ...query, take: 100 })).toEqual({
      items: ids.map((id) => RUNS.find(({ runId }) => runId === id)),
      next: null,
    });
  });

  it('can be located by the number of newer runs', async () => {
    await driver().store.recordRuns(RUNS);
    const ends = await Promise.all([0, 1, 2, 4, 5].map((newer) => driver().store.findRunEnd(newer)));
    expect(ends).toEqual([NOW + MINUTE, NOW, NOW, NOW - HOUR, null]);
  });
}

function describePaging({ driver }: StoreContext): void {
  /** Returns every page, following the cursors. */
  const pages = async (query: RunQuery, meanwhile: () => Promise<unknown> = async () => {}) => {
    const found: (readonly string[])[] = [];
    let page = await driver().store.listRuns(query);
    for (found.push(idsOf(page)); page.next !== null; found.push(idsOf(page))) {
      await meanwhile();
      page = await driver().store.listRuns({ ...query, after: page.next });
    }
    return found;
  };
  const atOnce = (...ids: readonly string[]) => driver().store.recordRuns(ids.map((id) => ran(id)));

  it('are listed newest first, and by id if they ended together', async () => {
    await atOnce('b', 'd', 'a', 'B');
    await driver().store.recordRuns([ran('c', { endTime: NOW - 1 }), ran('e', { endTime: NOW + 1 })]);
    expect(idsOf(await driver().store.listRuns(ALL))).toEqual(['e', 'd', 'b', 'a', 'B', 'c']);
  });

  it('are listed in pages, even if many ended together', async () => {
    await atOnce('a', 'b', 'c', 'd', 'e');
    expect(await pages({ take: 2 })).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
    expect(await pages({ take: 5 })).toEqual([['e', 'd', 'c', 'b', 'a']]);
    expect(await pages({ take: 4 })).toEqual([['e', 'd', 'c', 'b'], ['a']]);
  });

  it('are listed in pages of matching runs', async () => {
    await atOnce('a', 'b', 'c', 'd');
    await driver().store.recordRuns(['e', 'f', 'g'].map((id) => ran(id, { outcome: 'failed' })));
    expect(await pages({ take: 2, outcomes: ['succeeded'] })).toEqual([
      ['d', 'c'],
      ['b', 'a'],
    ]);
  });

  it('are listed once each while other runs are stored', async () => {
    await atOnce('a', 'b', 'c', 'd', 'e');
    let count = 0;
    const found = await pages({ take: 2 }, async () => {
      await driver().store.recordRuns([ran(`new ${++count}`, { endTime: NOW + 1 }), ran(`z ${count}`)]);
      if (count === 1) await driver().store.recordRuns([ran('old', { endTime: NOW - 1 })]);
    });
    expect(found).toEqual([
      ['e', 'd'],
      ['c', 'b'],
      ['a', 'old'],
    ]);
  });
}

function describePruning({ driver }: StoreContext): void {
  const left = async () => idsOf(await driver().store.listRuns(ALL));

  it('are pruned if they ended before a time, oldest first, up to a maximum', async () => {
    const runs = Array.from({ length: 5 }, (_, index) => ran(String(index), { endTime: NOW + index }));
    await driver().store.recordRuns(runs);
    expect(await driver().store.pruneRuns({ before: NOW + 4, maxCount: 3 })).toBe(3);
    expect(await left()).toEqual(['4', '3']);
    expect(await driver().store.pruneRuns({ before: NOW + 4, maxCount: 3 })).toBe(1);
    expect(await driver().store.pruneRuns({ before: NOW + 4, maxCount: 3 })).toBe(0);
    expect(await left()).toEqual(['4']);
  });

  it('are pruned up to the maximum even if they ended together', async () => {
    await driver().store.recordRuns(['a', 'b', 'c'].map((id) => ran(id)));
    expect(await driver().store.pruneRuns({ before: NOW + 1, maxCount: 2 })).toBe(2);
    expect(await left()).toEqual(['c']);
  });

  it('are pruned for the given outcomes only', async () => {
    await driver().store.recordRuns([
      ran('a'),
      ran('b', { outcome: 'failed' }),
      ran('c', { outcome: 'lost' }),
      ran('d'),
    ]);
    expect(await driver().store.pruneRuns({ before: NOW + DAY, outcomes: ['succeeded', 'lost'], maxCount: 10 })).toBe(
      3,
    );
    expect(await left()).toEqual(['b']);
  });

  it('that are dead letters are pruned only on request, and then nothing else', async () => {
    await driver().store.recordRuns([deadLetter('a'), ran('b', { outcome: 'failed' }), deadLetter('c'), ran('d')]);
    expect(await driver().store.pruneRuns({ before: NOW + 1, deadLetters: true, maxCount: 1 })).toBe(1);
    expect(await left()).toEqual(['d', 'c', 'b']);
    expect(await driver().store.pruneRuns({ before: NOW + 1, maxCount: 10 })).toBe(2);
    expect(await left()).toEqual(['c']);
  });
}

function describeDeadLetters({ driver }: StoreContext): void {
  const rerun = (run: RunRecord) => ({ ...cursorOf(run), rerun: rerunTrigger(run, NO_RETRY, driver().now) });
  const discard = (run: RunRecord) => ({ ...cursorOf(run), rerun: null });
  const cursorOf = ({ endTime, runId }: RunRecord): RunCursor => ({ endTime, runId });
  const marked = async () => idsOf(await driver().store.listRuns({ ...ALL, deadLetters: true }));
  const keyOf = ({ runId }: RunRecord) => triggerKey(`retry_${runId}`, RETRYING_JOBS);

  it('that are dead letters are discarded once, and remain recorded', async () => {
    const runs = [deadLetter('a'), deadLetter('b'), ran('c', { outcome: 'failed' })] as const;
    await driver().store.recordRuns(runs);
    const gone = deadLetter('gone');
    const resolutions = [runs[0], gone, runs[2]].map(discard);
    expect(await driver().store.resolveFailedRuns(resolutions)).toEqual([true, false, false]);
    expect(await driver().store.resolveFailedRuns(resolutions)).toEqual([false, false, false]);
    expect(await marked()).toEqual(['b']);
    expect((await driver().store.listRuns(ALL)).items).toEqual([runs[2], runs[1], { ...runs[0], isDeadLetter: false }]);
    expect(await driver().store.resolveFailedRuns([])).toEqual([]);
  });

  it('that are dead letters are rerun once, with their data, by an announced trigger', async () => {
    await driver().schedule(job('job', { durable: true }));
    const detail = JSON.stringify({ triggerData: { to: 'ops' }, priority: 9 });
    const run = deadLetter('dead', { detail });
    await driver().store.recordRuns([run]);
    driver().announced = [];
    const answers = await Promise.all([1, 2, 3].map(() => driver().store.resolveFailedRuns([rerun(run)])));
    expect(answers.flat().filter(Boolean)).toHaveLength(1);
    expect(driver().announced).toEqual([NOW]);
    expect(await marked()).toEqual([]);
    const firing = await driver().fireOne({ maxCount: 100 });
    expect(firing.trigger).toMatchObject({ key: keyOf(run), priority: 9, data: { to: 'ops' } });
    expect(await driver().complete(firing, 'DELETE_TRIGGER')).toMatchObject({
      deletedTrigger: true,
      deletedJob: false,
    });
    expect(await driver().store.resolveFailedRuns([rerun(run)])).toEqual([false]);
  });

  it('that are no dead letters can be rerun once, but not discarded', async () => {
    await driver().schedule(job('job', { durable: true }));
    const rest = '"stack":"Error: 🌍","triggerData":{"to":"ops"},"priority":9}';
    const failed = ran('failed', { outcome: 'failed', detail: `${RERUNNABLE},${rest}` });
    const gone = ran('gone', { outcome: 'failed', jobKey: jobKey('gone'), detail: `${RERUNNABLE}}` });
    const unmarked = ran('unmarked', { outcome: 'failed', detail: `{${rest}` });
    await driver().store.recordRuns([failed, gone, unmarked]);
    expect(await driver().store.resolveFailedRuns([failed, unmarked].map(discard))).toEqual([false, false]);
    expect(await driver().store.resolveFailedRuns([gone, unmarked].map(rerun))).toEqual([false, false]);
    const answers = await Promise.all([1, 2, 3].map(() => driver().store.resolveFailedRuns([rerun(failed)])));
    expect(answers.flat().filter(Boolean)).toHaveLength(1);
    const firing = await driver().fireOne({ maxCount: 100 });
    expect(firing.trigger).toMatchObject({ key: keyOf(failed), priority: 9, data: { to: 'ops' } });
    expect(await driver().store.resolveFailedRuns([rerun(failed)])).toEqual([false]);
    await driver().complete(firing, 'DELETE_TRIGGER');
    expect(await driver().store.resolveFailedRuns([rerun(failed)])).toEqual([false]);
    expect(await driver().find(keyOf(failed))).toBeNull();
    const rerunOnce = { ...failed, detail: `${RERUN},${rest}` };
    expect((await driver().store.listRuns(ALL)).items).toEqual([unmarked, gone, rerunOnce]);
  });

  it('that are dead letters of a deleted job cannot be rerun, but can be discarded', async () => {
    const run = deadLetter();
    await driver().store.recordRuns([run]);
    expect(await driver().store.resolveFailedRuns([rerun(run)])).toEqual([false]);
    expect(await marked()).toEqual(['dead']);
    expect(await driver().find(keyOf(run))).toBeNull();
    expect(await driver().store.resolveFailedRuns([discard(run)])).toEqual([true]);
    expect(await marked()).toEqual([]);
  });

  it('that are dead letters are resolved separately, in their order', async () => {
    await driver().schedule(job('job', { durable: true }));
    const [a, b, c] = [deadLetter('a'), deadLetter('b', { jobKey: jobKey('gone') }), deadLetter('c')] as const;
    await driver().store.recordRuns([a, b, c]);
    expect(await driver().store.resolveFailedRuns([rerun(b), rerun(a), discard(c)])).toEqual([false, true, true]);
    expect(await marked()).toEqual(['b']);
    expect(await driver().state(keyOf(a))).toBe('WAITING');
  });

  it('that are rerun wait for a paused group and for a non-concurrent job', async () => {
    await driver().schedule(job('job', { disallowConcurrentExecution: true }), everyMinute());
    const firing = await driver().fireOne();
    const [blocked, paused] = [deadLetter('blocked'), deadLetter('paused')] as const;
    await driver().store.recordRuns([blocked, paused]);
    await driver().store.resolveFailedRuns([rerun(blocked)]);
    await driver().store.pauseTriggers(GroupMatcher.groupEquals(RETRYING_JOBS));
    await driver().store.resumeTriggers([keyOf(blocked)], driver().options);
    await driver().store.resolveFailedRuns([rerun(paused)]);
    expect([await driver().state(keyOf(blocked)), await driver().state(keyOf(paused))]).toEqual([
      'BLOCKED',
      'PAUSED_BLOCKED',
    ]);
    await driver().complete(firing);
    expect([await driver().state(keyOf(blocked)), await driver().state(keyOf(paused))]).toEqual(['WAITING', 'PAUSED']);
  });
}

function describeMissed({ driver }: StoreContext): void {
  const missed = async () => {
    driver().now = NOW + HOUR + 1;
    await driver().recoverMisfires();
    return (await driver().store.listRuns(ALL)).items;
  };

  it('are stored for times skipped during a pause, however the trigger is resumed', async () => {
    const skipping = { misfireInstruction: 'DO_NOTHING' } as const;
    const names = ['trigger', 'group', 'job', 'jobs', 'end'] as const;
    for (const name of names) {
      const own = everyNoon(name, { ...skipping, key: { group: name, name }, policy: { history: 'all' } });
      await driver().schedule(job(name, { key: { group: name, name } }), own);
    }
    const { store } = driver();
    const every = (operator: 'equals', value: string) => ({ operator, value });
    await store.pauseTriggers([{ group: 'trigger', name: 'trigger' }]);
    await store.pauseTriggers(every('equals', 'group'));
    await store.pauseJobs([{ group: 'job', name: 'job' }]);
    await store.pauseJobs(every('equals', 'jobs'));
    const explained = { reason: null, by: null, since: NOW, until: NOW + HOUR };
    await store.pauseTriggers([{ group: 'end', name: 'end' }], explained);
    driver().now = NOW + HOUR + 1;
    const { options } = driver();
    await store.resumeTriggers([{ group: 'trigger', name: 'trigger' }], options);
    await store.resumeTriggers(every('equals', 'group'), options);
    await store.resumeJobs([{ group: 'job', name: 'job' }], options);
    await store.resumeJobs(every('equals', 'jobs'), options);
    await store.endPauses(options);
    const { items } = await store.listRuns(ALL);
    expect(items.map(({ jobKey: { name } }) => name).sort()).toEqual([...names].sort());
    for (const run of items) {
      expect(run).toMatchObject({ outcome: 'misfired', scheduledTime: NOW, endTime: NOW + HOUR + 1, attempt: 1 });
    }
  });

  it('are not stored for a trigger that is resumed in time, or without history', async () => {
    await driver().scheduleAll(
      everyMinute('soon', { policy: { history: 'all' } }),
      everyNoon('silent', { misfireInstruction: 'DO_NOTHING', policy: { history: 'none' } }),
    );
    await driver().store.pauseTriggers(GroupMatcher.anyGroup());
    await driver().store.resumeTriggers([triggerKey('soon')], driver().options);
    driver().now = NOW + HOUR + 1;
    await driver().store.resumeTriggers([triggerKey('silent')], driver().options);
    expect((await driver().store.listRuns(ALL)).items).toEqual([]);
  });

  it('are stored for skipped times if the history policy requires it', async () => {
    const skipping = { misfireInstruction: 'DO_NOTHING' } as const;
    await driver().schedule(
      job('job', { policy: { history: 'all' } }),
      everyNoon('noon', skipping),
      everyNoon('unwanted', { ...skipping, policy: { history: 'none' } }),
    );
    await driver().schedule(job('plain'), everyNoon('failures', { ...skipping, policy: { history: 'failures' } }));
    await driver().schedule(job('other', { policy: { history: 'none' } }), everyNoon('silent', skipping));
    const runs = await missed();
    expect(runs.map(({ triggerKey: { name } }) => name).sort()).toEqual(['failures', 'noon']);
    expect(runs.find(({ jobKey: { name } }) => name === 'job')).toEqual({
      runId: expect.stringMatching(/./),
      triggerKey: triggerKey('noon'),
      jobKey: jobKey('job'),
      jobType: 'sample',
      instanceId: expect.stringMatching(/./),
      occurrenceId: expect.stringMatching(/./),
      scheduledTime: NOW,
      fireTime: NOW + HOUR + 1,
      endTime: NOW + HOUR + 1,
      attempt: 1,
      outcome: 'misfired',
      isDeadLetter: false,
      error: null,
      detail: null,
    });
    expect(new Set(runs.map(({ runId }) => runId)).size).toBe(2);
    driver().now += HOUR;
    await driver().recoverMisfires();
    expect(await driver().store.listRuns(ALL)).toMatchObject({ items: [{}, {}] });
  });

  it('are stored for a missed trigger that will not fire again', async () => {
    const misfireInstruction = 'RESCHEDULE_NEXT_WITH_REMAINING_COUNT';
    await driver().scheduleAll(once('once', { misfireInstruction, policy: { history: 'all' } }));
    expect(await missed()).toMatchObject([{ triggerKey: { name: 'once' }, scheduledTime: NOW, outcome: 'misfired' }]);
    expect(await driver().state('once')).toBeNull();
  });

  it('are not stored for missed times that are caught up', async () => {
    const policy = { history: 'all' } as const;
    await driver().scheduleAll(
      everyNoon('now', { misfireInstruction: 'FIRE_ONCE_NOW', policy }),
      everyMinute('all', { misfireInstruction: 'IGNORE_MISFIRE_POLICY', policy }),
    );
    expect(await missed()).toEqual([]);
  });
}
