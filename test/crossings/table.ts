import { type Crossing, type Crossings, FIELDS, type Field, type Rule, SEPARATE } from './fields';

/*
 * Results of all combinations of two fields. Each pair is `separate` (no interaction), `defined`, with the tests that prove it, or `refused` when
 * it is built. The guide "How policies combine" is generated from this table.
 */

/** Proofs are `area: title`. An area is a file of test/conformance/areas; `unit/…` is a file of test/unit. */
function defined(text: string, ...proofs: readonly string[]): Rule {
  return { kind: 'defined', text, proofs };
}

function refused(text: string, ...proofs: readonly string[]): Rule {
  return { kind: 'refused', text, proofs };
}

function separate<Name extends Field>(...names: readonly Name[]): { readonly [Each in Name]: typeof SEPARATE } {
  return Object.fromEntries(names.map((name) => [name, SEPARATE])) as { readonly [Each in Name]: typeof SEPARATE };
}

const TURN =
  'Each run needs its own turn. Turns are assigned in the order of due times. A retry, recovery or backfill keeps its kind while it waits.';
const MEETS = 'The new run waits for the executing run, and is never skipped.';

export const CROSSINGS: Crossings = {
  retry: {},
  history: {
    retry: defined(
      'A run that uses up its retries is recorded as a dead letter, even if `history` is `none`.',
      'unit/engine/retries: leave a dead letter when exhausted, whatever the history mode',
    ),
  },
  startWithin: {
    retry: defined('A retry is never late.', 'crossings: startWithin: a late $kind is not skipped'),
    history: defined(
      'A run that is too late is recorded as `skipped`, unless `history` is `none`.',
      'unit/engine/start-within: skips firings that would start too late, and reports and records them',
    ),
  },
  mustSucceedWithin: {
    retry: defined(
      'A successful retry counts as a success of its trigger.',
      'expectations: are met by a retry, for the trigger that it retries',
    ),
    ...separate('history', 'startWithin'),
  },
  concurrency: {
    retry: defined(
      'A retry waits for the limit like a first run. It does not count before it starts.',
      'crossings: $what: a $kind waits for the run that it overlaps, and is not refused',
    ),
    startWithin: defined(
      'The time that a run waits for the limit counts. If the run would start too late, it is skipped.',
      'crossings: startWithin and concurrency: a run that has waited too long for the limit is skipped',
    ),
    ...separate('history', 'mustSucceedWithin'),
  },
  rate: {
    retry: defined(
      TURN,
      'rates: count a retry, which remains a retry when it is deferred',
      'crossings: rate: a $kind is deferred to its turn, and keeps its kind',
    ),
    startWithin: defined(
      'If the turn would be later than `startWithin` allows, the firing is skipped immediately.',
      'rates: skip a firing whose turn is later than %s allows, and give the turn to others',
    ),
    concurrency: defined(
      'Concurrency is checked first. A firing without a turn does not count for the limit. At its turn, concurrency is checked again. If the limit is reached, the firing waits without losing its turn.',
      'rates: use no capacity of a concurrency limit before the turn, so that waiting triggers run',
    ),
    ...separate('history', 'mustSucceedWithin'),
  },
  timeout: {
    retry: defined(
      'Each attempt has the full time limit. A `deadline` is shared: no retry is planned that would start after it.',
      'unit/engine/time-limit: starts anew with each attempt',
      'unit/engine/time-limit: ends the retries that would start after it',
    ),
    rate: defined(
      'If the turn would be after the `deadline`, the firing ends as `timedOut` immediately.',
      'rates: skip a firing whose turn is later than %s allows, and give the turn to others',
    ),
    ...separate('history', 'startWithin', 'mustSucceedWithin', 'concurrency'),
  },
  catchUp: {
    history: defined(
      'A missed time that a catch-up run covers is not recorded as `misfired`.',
      'runs: are not stored for missed times that are caught up',
    ),
    startWithin: defined(
      '`startWithin` does not apply to catch-up runs.',
      'misfire: leaves fire times to catchUp, even if they are later than startWithin',
    ),
    rate: defined(TURN, 'crossings: rate: a $kind is deferred to its turn, and keeps its kind'),
    concurrency: defined(
      'A catch-up run waits for the limit like any other.',
      'crossings: $what: a $kind waits for the run that it overlaps, and is not refused',
    ),
    timeout: defined(
      'The `deadline` counts from the time at which the run is due.',
      'crossings: timeout: the deadline of a $kind counts from $from',
    ),
    ...separate('retry', 'mustSucceedWithin'),
  },
  spread: {
    retry: defined(
      'Each part is retried separately, as the same part. The occurrence ends with the last attempt.',
      'shards: are retried separately, while their occurrence waits for the last attempt',
    ),
    startWithin: defined(
      '`startWithin` applies to the occurrence, not to its parts.',
      'crossings: spread: parts are never late, and have the deadline of their occurrence',
    ),
    mustSucceedWithin: defined(
      'The occurrence succeeds with its last part, if none has failed.',
      'crossings: spread: an occurrence meets mustSucceedWithin only if all its parts succeed: the last one %s',
    ),
    concurrency: defined(
      'Each part counts for the limit.',
      'crossings: spread: parts count separately under a concurrency limit',
    ),
    rate: defined(
      'Each part takes a turn; the firing that stores the parts takes none.',
      'rates: count each part of an occurrence, but not the divided firing',
    ),
    timeout: defined(
      'Each part has the full time limit; a `deadline` applies to the occurrence.',
      'crossings: spread: parts are never late, and have the deadline of their occurrence',
    ),
    ...separate('history', 'catchUp'),
  },
  runsOn: {
    retry: defined(
      'A retry needs the same labels as the first run.',
      'placement: uses the policy that is stored with a retry',
    ),
    spread: defined(
      'A part may run on any node with the labels. A broadcast has one part for each of these nodes.',
      'unit/domain/shards: have all labels that the job runs on',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'] as const),
    ),
  },
  prefers: {
    retry: defined(
      'A retry has the same preferred labels as the first run.',
      'placement: uses the policy that is stored with a retry',
    ),
    spread: defined(
      'A part of a broadcast runs only on its node, so preferences do not apply.',
      'crossings: spread: broadcast parts run on their own nodes, whatever other nodes are preferred',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'] as const),
      'runsOn',
    ),
  },
  overlap: {
    retry: defined(
      'A retry counts as a run. It waits for the executing run, and is never skipped.',
      'overlap: counts retries, which wait but are never refused',
      'crossings: $what: a $kind waits for the run that it overlaps, and is not refused',
    ),
    history: defined(
      'A skipped firing is recorded as `skipped`.',
      'unit/engine/overlap: is skipped, reported and recorded if the rule is skip',
    ),
    startWithin: defined(
      '`startWithin` counts from the scheduled time. A firing that has waited longer for an earlier run is skipped.',
      'unit/engine/overlap: is skipped when it has waited longer than startWithin',
    ),
    concurrency: defined(
      'A firing starts only if both allow it. Otherwise it waits.',
      'overlap: combines with a limit: a firing meets both, or waits',
    ),
    rate: defined(
      'Overlap is checked first. A firing that `queueOne` or `queueAll` defers gets its turn when the earlier run has ended, and keeps its place in the queue.',
      'rates: keep the position of a firing that waits for an earlier run of its job',
    ),
    catchUp: defined(MEETS, 'crossings: $what: a $kind waits for the run that it overlaps, and is not refused'),
    spread: defined(
      'Parts of one occurrence run concurrently. The occurrence counts as running until its last part has ended, retries included.',
      'shards-and-rules: run concurrently under %p, which applies to later firings while one shard runs',
      'shards-and-rules: let a run that waits under %p start only after the retries of shards have ended',
    ),
    ...separate('mustSucceedWithin', 'timeout', 'runsOn', 'prefers'),
  },
  jitter: {
    retry: defined('A retry is not delayed.', 'crossings: jitter: a $kind is not delayed'),
    startWithin: defined(
      '`startWithin` counts from the delayed time.',
      'crossings: jitter: startWithin and spread use the delayed time, but timeout uses the scheduled time',
    ),
    concurrency: defined(
      'A firing does not count for the limit before its delayed time.',
      'jitter: counts for no limit before the deferred time, when all policies apply',
    ),
    rate: defined(
      'The firing is first delayed by the jitter, and then gets its turn.',
      'jitter: counts for no limit before the deferred time, when all policies apply',
    ),
    timeout: defined(
      'A `deadline` counts from the scheduled time.',
      'crossings: jitter: startWithin and spread use the delayed time, but timeout uses the scheduled time',
    ),
    catchUp: defined('A catch-up run is not delayed.', 'crossings: jitter: a $kind is not delayed'),
    spread: defined(
      'The parts are stored at the delayed time, so they start together.',
      'crossings: jitter: startWithin and spread use the delayed time, but timeout uses the scheduled time',
    ),
    overlap: defined(
      'The rule is checked at the delayed time, not at the scheduled time.',
      'jitter: counts for no limit before the deferred time, when all policies apply',
    ),
    ...separate('history', 'mustSucceedWithin', 'runsOn', 'prefers'),
  },
  durable: {
    retry: defined(
      'A non-durable job stays stored until the retries of its last trigger have ended.',
      'retries: keep a non-durable job until they have ended, non-concurrent: %s',
    ),
    spread: defined(
      'A non-durable job stays stored until its last part has ended.',
      'shards: are at most a thousand, and keep a non-durable job until the last one has ended',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'] as const),
      ...(['runsOn', 'prefers', 'overlap', 'jitter'] as const),
    ),
  },
  disallowConcurrentExecution: {
    retry: defined(
      'A retry waits until the job is free. The triggers of the job wait while the retry runs.',
      'retries: wait for the run of their non-concurrent job to end, and block its other triggers',
    ),
    concurrency: defined(
      'A trigger waits until its job is free and the limit allows it.',
      'limits: make a trigger of a non-concurrent job wait for the limit and for the job',
    ),
    catchUp: defined('Catch-up runs wait for each other.', 'catch-up: waits while its group is paused'),
    spread: defined(
      'The parts run one after the other.',
      'shards: run one after the other if their job is non-concurrent',
    ),
    overlap: defined(
      'The rule has no effect: triggers of the job do not fire while it executes.',
      'crossings: overlap and disallowConcurrentExecution: the trigger waits, so that overlap has nothing to decide',
    ),
    ...separate(
      'history',
      'startWithin',
      'mustSucceedWithin',
      'rate',
      'timeout',
      'runsOn',
      'prefers',
      'jitter',
      'durable',
    ),
  },
  persistJobDataAfterExecution: {
    retry: defined(
      'A retry receives the data of the last successful run; the failed run stores none.',
      'unit/engine/retries: receive the job data of the last success, without changes of the failed run',
    ),
    spread: defined(
      'Each part stores the data. With `disallowConcurrentExecution`, each part receives the data that the previous part stored. Without it, the part that ends last determines the data.',
      'crossings: spread: parts of a non-concurrent job read the data that the previous part stored',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'] as const),
      ...(['runsOn', 'prefers', 'overlap', 'jitter', 'durable', 'disallowConcurrentExecution'] as const),
    ),
  },
  requestsRecovery: {
    retry: defined(
      'A run that died with its node is recovered as the same attempt, even if its `maxAge` has passed. `maxAge` applies to its later retries.',
      'cluster: repeat the same attempt after each death, and then continue with the next attempt',
    ),
    history: defined(
      'The run that died is recorded as `lost`.',
      'cluster: record each lost run once, according to its history policy',
    ),
    startWithin: defined('A recovery is never late.', 'crossings: startWithin: a late $kind is not skipped'),
    concurrency: defined(
      'A recovery waits for the limit like a first run.',
      'crossings: $what: a $kind waits for the run that it overlaps, and is not refused',
    ),
    rate: defined(TURN, 'crossings: rate: a $kind is deferred to its turn, and keeps its kind'),
    timeout: defined(
      'The `deadline` counts from the scheduled time.',
      'crossings: timeout: the deadline of a $kind counts from $from',
    ),
    spread: defined(
      'Parts are always recovered, except parts of a broadcast, which run only on their node.',
      'cluster: recover an occurrence and its parts even if the job does not request recovery',
      'cluster: run broadcast parts on their own nodes only, and lose the part of the dead node',
    ),
    runsOn: defined(
      'A recovery needs the same labels as the first run.',
      'cluster: keep the policy of a recovered run',
    ),
    prefers: defined(
      'A recovery has the same preferred labels as the first run.',
      'cluster: keep the policy of a recovered run',
    ),
    overlap: defined(MEETS, 'crossings: $what: a $kind waits for the run that it overlaps, and is not refused'),
    jitter: defined('A recovery is not delayed.', 'crossings: jitter: a $kind is not delayed'),
    disallowConcurrentExecution: defined(
      'A recovery waits until the job is free.',
      'crossings: $what: a $kind waits for the run that it overlaps, and is not refused',
    ),
    ...separate('mustSucceedWithin', 'catchUp', 'durable', 'persistJobDataAfterExecution'),
  },
  priority: {
    retry: defined(
      'A retry has the priority of its trigger.',
      'retries: fire at their time as the next attempt of the same occurrence, with the data of their trigger',
    ),
    concurrency: defined(
      'With `jobStore.acquireOrder: priority`, the trigger with the highest priority continues first.',
      'priority-order: gives the capacity of a limit to the most urgent triggers',
    ),
    spread: defined(
      'Each part has the priority of the trigger.',
      'shards: cover each number exactly once, with its parameter, and with the data and priority of their trigger',
    ),
    overlap: defined(
      'Waiting firings keep their priority, but continue in the order of their scheduled times.',
      'overlap: keeps the occurrence, data and priority of a deferred run, which waits as BLOCKED',
      'overlap: releases deferred runs one after the other, in the order of their scheduled times',
    ),
    disallowConcurrentExecution: defined(
      'With `jobStore.acquireOrder: priority`, the trigger of the job with the highest priority fires as soon as it is due.',
      'priority-order: fires the most urgent due trigger of a non-concurrent job',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'rate', 'timeout', 'catchUp', 'runsOn', 'prefers'] as const),
      ...(['jitter', 'durable', 'persistJobDataAfterExecution', 'requestsRecovery'] as const),
    ),
  },
  calendarName: {
    retry: defined(
      "A retry that would start at an excluded time waits for the next included time, unless its policy has `calendar: 'ignore'`.",
      'crossings: calendar and endAt: a retry waits for an included day, and can start after the end of its trigger',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'] as const),
      ...(['spread', 'runsOn', 'prefers', 'overlap', 'jitter', 'durable', 'disallowConcurrentExecution'] as const),
      ...(['persistJobDataAfterExecution', 'requestsRecovery', 'priority'] as const),
    ),
  },
  misfireInstruction: {
    retry: defined('A retry never misfires, even if it is late.', 'retries: never misfire, however late they are'),
    history: defined(
      'A time that the instruction skips is recorded as `misfired`.',
      'runs: are stored for skipped times if the history policy requires it',
    ),
    startWithin: defined(
      'With every instruction, a misfired firing is skipped if it would start later than `startWithin` allows. `triggerMisfired` reports the firing, and the history records it as `misfired`.',
      'misfire: skips and records a trigger that is later than startWithin of its %s, whatever the instruction',
    ),
    timeout: defined(
      'The `deadline` of a misfired trigger that fires now counts from now.',
      'crossings: timeout and misfire: the deadline of a misfired trigger that fires now counts from now',
    ),
    catchUp: defined(
      'The missed times run separately, and the trigger continues with its next time.',
      'catch-up: runs the newest missed times separately, while the trigger continues with its next time',
    ),
    runsOn: defined(
      'Any node may apply the instruction, even if it lacks the labels.',
      'placement: does not affect misfire instructions',
    ),
    prefers: defined(
      'Nodes without the preferred labels wait for at most half of the misfire threshold.',
      'placement: waits for preferred nodes at most half the misfire threshold',
    ),
    disallowConcurrentExecution: defined(
      'A trigger that waits for its job does not misfire. When the job is free, the instruction decides about missed times.',
      'misfire: waits until the job has ended, because a blocked trigger does not misfire',
    ),
    calendarName: defined(
      'After a misfire, the next fire time is a time that the calendar includes.',
      'misfire: follows the calendar of the trigger',
    ),
    ...separate(
      ...(['mustSucceedWithin', 'concurrency', 'rate', 'spread', 'overlap', 'jitter', 'durable'] as const),
      ...(['persistJobDataAfterExecution', 'requestsRecovery', 'priority'] as const),
    ),
  },
  endTime: {
    retry: defined(
      'A retry starts at its time, even after the end time of its trigger.',
      'crossings: calendar and endAt: a retry waits for an included day, and can start after the end of its trigger',
    ),
    misfireInstruction: defined(
      'A repeat count that restarts after a misfire stops at the end time.',
      'misfire: resets the counts of a trigger that it restarts, even past its end time',
    ),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'] as const),
      ...(['spread', 'runsOn', 'prefers', 'overlap', 'jitter', 'durable', 'disallowConcurrentExecution'] as const),
      ...(['persistJobDataAfterExecution', 'requestsRecovery', 'priority', 'calendarName'] as const),
    ),
  },
  after: {
    retry: defined(
      'A chained job starts after the last attempt.',
      'chains: wait for the last attempt of an occurrence',
    ),
    catchUp: refused(
      'A chain has no fire times, so there is nothing to catch up.',
      'unit/scheduler/chains: cannot be built with %s',
    ),
    spread: defined(
      'A chained job starts after the last part. The occurrence has failed if one part has failed.',
      'shards-and-rules: start the followers of their job once, after the last shard: one %s, on %s',
    ),
    overlap: defined(
      'The rule applies to a chained run as to a first run, so a chained run may be skipped.',
      'crossings: overlap and after: a chained run follows the overlap policy like a first run',
    ),
    jitter: refused(
      'A chain has no fire times, so there is nothing to delay.',
      'unit/scheduler/chains: cannot be built with %s',
    ),
    durable: defined(
      'A non-durable job stays stored as long as it has a chain.',
      'chains: keep a non-durable job, and are deleted with it',
    ),
    disallowConcurrentExecution: defined(
      'A chained run waits until its job is free.',
      'chains: block the next run while their non-concurrent job executes',
    ),
    priority: defined(
      'A chained run has the priority of its trigger.',
      'chains: pass their data, priority, policy and origin to the job',
    ),
    calendarName: refused('A chain has no fire times.', 'unit/scheduler/chains: cannot be built with %s'),
    misfireInstruction: defined('A chain never misfires.', 'chains: are never due and never misfire'),
    endTime: refused('A chain has no fire times.', 'unit/scheduler/chains: cannot be built with %s'),
    ...separate(
      ...(['history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'runsOn'] as const),
      ...(['prefers', 'persistJobDataAfterExecution', 'requestsRecovery'] as const),
    ),
  },
  pause: {
    retry: defined(
      'A pause holds waiting retries, unless it has `holdRetries: false`. A retry that was held beyond its `maxAge` becomes a dead letter.',
      'held-runs: is held by a pause of $what, and released with it',
      'unit/engine/retry-max-age: turns a paused retry that is resumed too late into a dead letter',
    ),
    history: defined(
      'Times that are skipped when the trigger is resumed are recorded as `misfired`.',
      'runs: are stored for times skipped during a pause, however the trigger is resumed',
    ),
    startWithin: defined(
      'Times that became too late during the pause are skipped when the trigger is resumed.',
      'misfire: skips fire times that became too late during a pause',
    ),
    mustSucceedWithin: defined(
      'The time continues during a pause, so a paused job becomes overdue.',
      'expectations: are reported for a paused trigger, too',
    ),
    concurrency: defined(
      'A trigger that waits for the limit can be paused.',
      'limits: allow a waiting trigger to be paused and resumed',
    ),
    rate: defined(
      'A pause holds firings that wait for their turn.',
      'crossings: pause: a run that %s has deferred is held by a pause of its trigger',
    ),
    catchUp: defined(
      'Fire times that passed during the pause run after the pause.',
      'catch-up: includes the times that were missed while the %s was paused',
    ),
    spread: defined(
      'A pause holds waiting parts. The occurrence does not end during the pause.',
      'shards: are paused with their trigger, job or group, which does not end their occurrence',
    ),
    overlap: defined(
      'A pause holds firings that wait for an earlier run.',
      'crossings: pause: a run that %s has deferred is held by a pause of its trigger',
    ),
    jitter: defined(
      'A pause holds firings that wait for their delayed time.',
      'crossings: pause: a run that %s has deferred is held by a pause of its trigger',
    ),
    disallowConcurrentExecution: defined(
      'A trigger can be paused while its job runs. It continues when both the pause and the run have ended.',
      'pause: a trigger that is added to a paused group starts PAUSED_BLOCKED while its job executes',
    ),
    requestsRecovery: defined(
      'A pause holds recoveries, unless it has `holdRetries: false`.',
      'cluster: hold a recovery while $what is paused',
    ),
    misfireInstruction: defined(
      'When the trigger is resumed, the instruction decides about missed times.',
      'pause: a resumed trigger handles missed fire times by $misfireInstruction',
    ),
    after: defined(
      'While a chain is paused, ends of other jobs are not counted.',
      'chains: start nothing while they are paused, and continue after they are resumed',
    ),
    ...separate('timeout', 'runsOn', 'prefers', 'durable', 'persistJobDataAfterExecution', 'priority'),
    ...separate('calendarName', 'endTime'),
  },
  backfill: {
    startWithin: defined('A backfill is never late.', 'crossings: startWithin: a late $kind is not skipped'),
    concurrency: defined(
      'A backfill waits for the limit like a first run.',
      'crossings: $what: a $kind waits for the run that it overlaps, and is not refused',
    ),
    rate: defined(TURN, 'crossings: rate: a $kind is deferred to its turn, and keeps its kind'),
    timeout: defined(
      'The `deadline` counts from the time at which the run is due.',
      'crossings: timeout: the deadline of a $kind counts from $from',
    ),
    overlap: defined(MEETS, 'crossings: $what: a $kind waits for the run that it overlaps, and is not refused'),
    jitter: defined('A backfill is not delayed.', 'crossings: jitter: a $kind is not delayed'),
    disallowConcurrentExecution: defined(
      'A backfill waits until the job is free.',
      'crossings: $what: a $kind waits for the run that it overlaps, and is not refused',
    ),
    calendarName: defined(
      'Only times that the calendar includes run.',
      'unit/scheduler/backfill: includes the start of its range but not the end, and skips times that the calendar excludes',
    ),
    pause: defined(
      'A new backfill starts although its trigger is paused. A later pause holds its remaining runs.',
      'crossings: pause: while its trigger is paused, a new %s is stored as %s',
    ),
    ...separate('retry', 'history', 'mustSucceedWithin', 'catchUp', 'spread', 'runsOn', 'prefers', 'durable'),
    ...separate(
      'persistJobDataAfterExecution',
      'requestsRecovery',
      'priority',
      'misfireInstruction',
      'endTime',
      'after',
    ),
  },
  rerun: {
    retry: defined(
      'A rerun is the next attempt, with the full retries of the policy. `maxAge` does not apply to the rerun. For its retries, `maxAge` counts from the rerun.',
      'unit/engine/retry-max-age: does not limit a rerun, and counts anew for its retries',
    ),
    startWithin: defined('A rerun is never late.', 'crossings: startWithin: a late $kind is not skipped'),
    concurrency: defined(
      'A rerun waits for the limit like a first run.',
      'crossings: $what: a $kind waits for the run that it overlaps, and is not refused',
    ),
    rate: defined(TURN, 'crossings: rate: a $kind is deferred to its turn, and keeps its kind'),
    timeout: defined(
      'The `deadline` counts from the rerun.',
      'crossings: timeout: the deadline of a $kind counts from $from',
      'unit/engine/time-limit: starts anew with a rerun',
    ),
    spread: defined(
      'If other parts are still running, the occurrence waits for the rerun of a part. After the occurrence has ended, a rerun does not affect it.',
      'shards-and-rules: delay the end of their occurrence when a dead one is rerun, whose failure no longer counts',
      'shards-and-rules: can be rerun after their occurrence has ended, without effect on the occurrence',
    ),
    overlap: defined(MEETS, 'crossings: $what: a $kind waits for the run that it overlaps, and is not refused'),
    jitter: defined('A rerun is not delayed.', 'crossings: jitter: a $kind is not delayed'),
    durable: defined(
      'A dead letter contains a copy of a non-durable job. A rerun stores the job again.',
      'deleted-runs: keeps the definition of its job, for reruns, after the deletion of %s',
    ),
    disallowConcurrentExecution: defined(
      'A rerun waits until the job is free.',
      'runs: that are rerun wait for a paused group and for a non-concurrent job',
    ),
    pause: defined(
      'A rerun starts although its trigger is paused.',
      'crossings: pause: while its trigger is paused, a new %s is stored as %s',
    ),
    ...separate('history', 'mustSucceedWithin', 'catchUp', 'runsOn', 'prefers', 'persistJobDataAfterExecution'),
    ...separate('requestsRecovery', 'priority', 'calendarName', 'misfireInstruction', 'endTime', 'after', 'backfill'),
  },
  delete: {
    retry: defined(
      'A waiting retry becomes a dead letter.',
      'deleted-runs: becomes a dead letter when it is deleted with %s',
    ),
    history: defined(
      'The dead letter of a waiting retry is recorded even if `history` is `none`.',
      'deleted-runs: becomes a dead letter when it is deleted with %s',
    ),
    mustSucceedWithin: defined(
      'A deleted job or trigger is never overdue.',
      'expectations: are deleted with their job and trigger, and start again when these are stored again',
    ),
    concurrency: defined(
      'Deleting a waiting trigger removes it from the queue. Other triggers move up.',
      'limits: do not wait for a deleted trigger',
    ),
    spread: defined(
      'Waiting parts count as failed. The occurrence ends when all other parts have ended.',
      'shards: that are deleted count as failed, and can end their occurrence',
      'deleted-runs: fails its part and its occurrence once when it is deleted',
    ),
    overlap: defined(
      'Firings that wait for an earlier run are deleted, which frees their places in the queue.',
      'overlap: does not count a deferred run that was deleted while it waited',
    ),
    jitter: defined(
      'Firings that wait for their delayed time are deleted with their trigger, and nothing is recorded.',
      'deleted-runs: differs from a first run that %s has deferred, which is deleted without a record',
    ),
    rate: defined(
      'Firings that wait for their turn are deleted with their trigger, and nothing is recorded.',
      'deleted-runs: differs from a first run that %s has deferred, which is deleted without a record',
    ),
    durable: defined(
      'A non-durable job is deleted with its last trigger and the waiting retries of that trigger.',
      'deleted-runs: is deleted together with its non-durable job',
    ),
    requestsRecovery: defined(
      'A waiting recovery becomes a dead letter.',
      'deleted-runs: that is a recovery becomes a dead letter too',
    ),
    after: defined(
      'Deleting a retry ends its occurrence as failed, so jobs that are chained to the failure start.',
      'deleted-runs: ends its occurrence as failed when it is deleted, for followers on %s',
    ),
    pause: defined('The reason of a pause is deleted with its trigger or job.', 'pauses: is deleted with its target'),
    backfill: defined(
      'A backfill continues without its trigger. It is deleted with its job.',
      'deleted-runs: differs from a backfill, which remains when its trigger is deleted',
    ),
    rerun: defined(
      'A waiting rerun becomes a dead letter again.',
      'deleted-runs: becomes a dead letter again when its rerun is deleted',
    ),
    ...separate('startWithin', 'timeout', 'catchUp', 'runsOn', 'prefers', 'disallowConcurrentExecution'),
    ...separate('persistJobDataAfterExecution', 'priority', 'calendarName', 'misfireInstruction', 'endTime'),
  },
  clockChanges: {
    after: refused(
      'A chain has no fire times, so clock changes have no effect on it.',
      'unit/scheduler/chains: cannot be built with %s',
    ),
    ...separate('retry', 'history', 'startWithin', 'mustSucceedWithin', 'concurrency', 'rate', 'timeout', 'catchUp'),
    ...separate('spread', 'runsOn', 'prefers', 'overlap', 'jitter', 'durable', 'disallowConcurrentExecution'),
    ...separate('persistJobDataAfterExecution', 'requestsRecovery', 'priority', 'calendarName', 'misfireInstruction'),
    ...separate('endTime', 'pause', 'backfill', 'rerun', 'delete'),
  },
};

/** A pair that is defined or refused. */
export interface DecidedPair {
  readonly fields: readonly [Field, Field];
  readonly rule: Rule;
}

/** The pairs that are defined or refused, in the order of the fields. */
export function decidedPairs(): readonly DecidedPair[] {
  return FIELDS.flatMap((first, index) =>
    FIELDS.slice(index + 1).flatMap((second) => {
      const row: Readonly<Partial<Record<Field, Crossing>>> = CROSSINGS[second];
      const rule = row[first];
      return rule === undefined || rule === SEPARATE ? [] : [{ fields: [first, second] as const, rule }];
    }),
  );
}
