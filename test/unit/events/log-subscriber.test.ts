import { type Logger, pino } from 'pino';
import { JobExecutionException } from '../../../src/api/job-execution-exception';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { EventBus } from '../../../src/events/event-bus';
import { EVENT_TYPES, LOG_LINES, loggedTypes, logSubscriber } from '../../../src/events/log-subscriber';
import { aFiring, aJobDetail, aTrigger } from '../engine/samples';

/** A logger that keeps its lines as parsed JSON. */
function recordingLogger(level: string): { readonly logger: Logger; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level, base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  return { logger, lines };
}

/** One event of every type. */
function eventOf(type: SchedulerEvent['type']): SchedulerEvent {
  const key = { group: 'g', name: 'n' };
  return {
    at: 0,
    type,
    abandonedJobs: 1,
    message: 'look',
    file: 'f.yaml',
    created: 1,
    replaced: 2,
    unchanged: 3,
    deleted: 4,
    job: aJobDetail(),
    jobKey: key,
    triggerKey: key,
    trigger: aTrigger(),
    matcher: { operator: 'equals', value: 'g' },
    count: 2,
    firing: aFiring(),
    acquired: { trigger: aTrigger(), runId: 'f1' },
    reason: 'paused',
    attempt: 1,
    refireCount: 0,
    retryTime: 60_000,
    instruction: 'NOOP',
    jobRunTime: 1.4,
    error: ['schedulerError', 'jobFailed', 'retriesExhausted', 'runRefused'].includes(type) ? new Error('boom') : null,
    occurrence: { triggerKey: key, scheduledTime: 0, attempt: 2 },
    during: 'testing',
    stepMs: -3_600_000,
    until: 0,
    instanceId: 'node-1',
    lastCheckInTime: 0,
    stalledFor: 9_000,
    holdsBackUntil: 0,
    pausedUntil: 0,
    since: 0,
    lastSuccess: null,
    report: { instanceId: 'node-1', released: 1, recovered: [key], exhausted: [], lost: 0 },
    released: 1,
    unblocked: 1,
    failed: [key],
    clockOffset: 4_000,
    row: { what: 'job', ...key, cause: 'a class that only Java has', since: 0 },
    silenced: true,
    missing: [],
    examples: [{ key, before: 0, after: 3_600_000 }],
    names: { created: [], changed: [], deleted: [], overridden: [] },
    heldFor: 30_000,
    waitingSince: 0,
    runs: [{ runId: 'f1', jobKey: key, triggerKey: key, fireTime: 0 }],
  } as unknown as SchedulerEvent;
}

describe('log subscriber', () => {
  it('writes one line with its own code and message for every type of event', () => {
    const { logger, lines } = recordingLogger('debug');
    const log = logSubscriber(logger);
    for (const type of EVENT_TYPES) log(eventOf(type));
    expect(lines.map(({ code, msg }) => ({ code, msg }))).toEqual(
      EVENT_TYPES.map((type) => ({ code: LOG_LINES[type].code, msg: LOG_LINES[type].message })),
    );
  });

  it('writes the counts of a schedule change and the names of created, changed and deleted items', () => {
    const { logger, lines } = recordingLogger('info');
    const counts = { created: 1, changed: 1, deleted: 0, overridden: 1, unchanged: 7 };
    const created = ['job DEFAULT/report'];
    const changed = ['trigger DEFAULT/daily: schedule, priority'];
    const overridden = ['trigger DEFAULT/weekly: schedule'];
    const log = logSubscriber(logger);
    const event = { type: 'scheduleChanged', at: 0, ...counts } as const;
    const names = { created, changed, deleted: [], overridden };
    log({ ...event, by: 'console:ann', set: 'nightly', names } as unknown as SchedulerEvent);
    log({
      ...event,
      by: null,
      set: null,
      names: { ...names, deleted: ['calendar days'] },
    } as unknown as SchedulerEvent);
    const printed = { code: 'QTZ108', msg: 'Schedule changed', ...counts };
    const all = { createdNames: created, changedNames: changed, overriddenNames: overridden };
    expect(lines.map(({ level, time, ...fields }) => fields)).toEqual([
      { ...printed, by: 'console:ann', set: 'nightly', ...all },
      { ...printed, ...all, deletedNames: ['calendar days'] },
    ]);
  });

  it('reports once why a job failed, without repeating the text of the cause', () => {
    const { logger, lines } = recordingLogger('warn');
    const cause = new TypeError('out of paper');
    const error = new JobExecutionException("The job 'DEFAULT/job' threw: out of paper", { cause });
    const log = logSubscriber(logger);
    log({ type: 'schedulerError', at: 0, during: "running job 'DEFAULT/job'", error });
    log({ type: 'jobFailed', at: 0, firing: aFiring(), attempt: 2, refireCount: 0, retryTime: 60_000, error });
    expect(lines).toEqual([
      expect.objectContaining({
        code: 'QTZ308',
        err: expect.objectContaining({ type: 'TypeError', message: 'out of paper' }),
        job: 'DEFAULT/job',
        trigger: 'DEFAULT/trigger',
        attempt: 2,
        retryTime: '1970-01-01T00:01:00.000Z',
      }),
    ]);
  });

  it('keeps the message of a JobExecutionException together with its cause', () => {
    const { logger, lines } = recordingLogger('warn');
    const error = new JobExecutionException('the report failed', { cause: new Error('out of paper') });
    const event = { type: 'jobFailed', at: 0, firing: aFiring(), attempt: 1, refireCount: 0, retryTime: null } as const;
    logSubscriber(logger)({ ...event, error });
    expect(lines[0]).toMatchObject({ err: { message: 'the report failed: out of paper' } });
  });

  it('names the trigger of the occurrence for a retry or dead letter, not the trigger of the retry', () => {
    const { logger, lines } = recordingLogger('info');
    const error = new JobExecutionException("The job 'g.n' threw: out of paper", { cause: new Error('out of paper') });
    const firing = aFiring({ trigger: aTrigger({ key: { group: 'RETRYING_JOBS', name: 'retry_1' } }) });
    const occurrence = { id: 'fire-0', triggerKey: { group: 'g', name: 'nightly' }, scheduledTime: 0, attempt: 2 };
    const trigger = aTrigger({ nextFireTime: 60_000 });
    const log = logSubscriber(logger);
    log({ type: 'retryScheduled', at: 0, firing, occurrence, trigger, error });
    log({ type: 'retriesExhausted', at: 0, firing, occurrence, error });
    const ofOccurrence = {
      trigger: 'g/nightly',
      job: 'DEFAULT/job',
      attempt: 2,
      runId: 'fire-1',
      occurrenceId: 'fire-0',
    };
    expect(lines).toEqual([
      expect.objectContaining({ ...ofOccurrence, code: 'QTZ309', level: 30, retryTime: '1970-01-01T00:01:00.000Z' }),
      expect.objectContaining({ ...ofOccurrence, code: 'QTZ310', level: 40 }),
    ]);
    expect(lines[1]).toMatchObject({ err: { message: 'out of paper' } });
  });

  it('prints the stack of an error and its cause', () => {
    const { logger, lines } = recordingLogger('info');
    const error = new Error('outer', { cause: new Error('inner') });
    logSubscriber(logger)({ type: 'schedulerError', at: 0, during: 'testing', error });
    expect(lines[0]).toMatchObject({
      during: 'testing',
      err: { type: 'Error', message: expect.stringContaining('outer') },
    });
    expect(JSON.stringify(lines[0])).toContain('inner');
  });

  it('never logs job data', () => {
    const { logger, lines } = recordingLogger('debug');
    const secret = {
      jobDetail: aJobDetail({ data: { password: 'hunter2' } }),
      trigger: aTrigger({ data: { token: 'hunter2' } }),
    };
    for (const type of EVENT_TYPES) {
      logSubscriber(logger)({
        ...eventOf(type),
        firing: aFiring(secret),
        job: secret.jobDetail,
        trigger: secret.trigger,
      } as unknown as SchedulerEvent);
    }
    expect(lines.length).toBe(EVENT_TYPES.length);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it('requests only events that are logged at the current level', () => {
    const bus = new EventBus();
    const { logger } = recordingLogger('warn');
    bus.subscribe(logSubscriber(logger), loggedTypes(logger));
    expect(bus.has('triggerFired')).toBe(false);
    expect(bus.has('triggerCompleted')).toBe(false);
    expect(bus.has('schedulerError')).toBe(true);
    expect(loggedTypes(recordingLogger('debug').logger)).toEqual(EVENT_TYPES);
    expect(bus.has('jobFailed')).toBe(true);
    expect(loggedTypes(recordingLogger('silent').logger)).toEqual([]);
  });

  it('uses a different code for every line', () => {
    const codes = Object.values(LOG_LINES).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.filter((code) => !/^QTZ[1-5]\d\d$/.test(code))).toEqual([]);
  });
});
