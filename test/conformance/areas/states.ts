import type { AcquiredTrigger, TriggerFiring } from '../../../src/domain/firing';
import { GroupMatcher, triggerKey } from '../../../src/domain/keys';
import { nextState, TRANSITIONS, type TriggerState, type TriggerTransition } from '../../../src/domain/trigger-state';
import type { StoreContext } from '../describe-job-store';
import { everyMinute, HOUR, job, NOW, SECOND } from '../samples';
import type { StoreDriver } from '../store-driver';

const STATES = ['WAITING', 'ACQUIRED', 'BLOCKED', 'PAUSED', 'PAUSED_BLOCKED', 'COMPLETE', 'ERROR'] as const;
const ACTIVITIES = ['idle', 'executing'] as const;

/** State of the trigger under test, and of its surroundings. */
interface Situation {
  readonly state: TriggerState;
  readonly activity: (typeof ACTIVITIES)[number];
  readonly disallowConcurrentExecution: boolean;
  readonly groupPaused: boolean;
}

/** The trigger under test, and its sibling in another group, which makes the same job execute. */
const SUBJECT = triggerKey('subject', 'subjects');
const SIBLING = triggerKey('sibling', 'siblings');

/** A non-concurrent job blocks its triggers exactly while it executes. Other jobs never block them. */
function isReachable({ state, activity, disallowConcurrentExecution }: Situation): boolean {
  const isBlocked = activity === 'executing' && disallowConcurrentExecution;
  if (state === 'BLOCKED' || state === 'PAUSED_BLOCKED') return isBlocked;
  return !isBlocked || state === 'COMPLETE' || state === 'ERROR';
}

function allSituations(): readonly Situation[] {
  return STATES.flatMap((state) =>
    ACTIVITIES.flatMap((activity) =>
      [true, false].flatMap((disallowConcurrentExecution) =>
        [true, false].map((groupPaused) => ({ state, activity, disallowConcurrentExecution, groupPaused })),
      ),
    ),
  );
}

/** The transition table, exhaustively, through the port: every store must agree with `nextState`. */
export function describeStates({ driver }: StoreContext): void {
  describe('trigger states', () => {
    describe.each(Object.keys(TRANSITIONS) as TriggerTransition[])('on %s', (transition) => {
      const cases = allSituations()
        .filter(isReachable)
        .map((situation) => ({ situation, name: nameOf(situation) }));

      it.each(cases)('follow the transition table from $name', async ({ situation }) => {
        const scene = await Scene.of(driver(), situation);
        await scene.perform(transition);
        expect(await driver().state(SUBJECT)).toBe(expected(situation, transition));
      });
    });

    it('are all tested, except states that contradict the job', () => {
      const unreachable = allSituations().filter((situation) => !isReachable(situation));
      // WAITING, ACQUIRED and PAUSED of a blocked job; BLOCKED and PAUSED_BLOCKED of the three kinds of others.
      expect(unreachable).toHaveLength((3 * 1 + 2 * 3) * 2);
    });
  });
}

function nameOf({ state, activity, disallowConcurrentExecution, groupPaused }: Situation): string {
  const kind = disallowConcurrentExecution ? 'non-concurrent' : 'concurrent';
  return `${state}, ${kind} job ${activity}, group ${groupPaused ? 'paused' : 'not paused'}`;
}

function expected(situation: Situation, transition: TriggerTransition): TriggerState {
  const { state, activity, disallowConcurrentExecution, groupPaused } = situation;
  const isExecuting = activity === 'executing';
  switch (transition) {
    case 'fire':
      return nextState(state, transition, { jobExecuting: disallowConcurrentExecution, groupPaused });
    case 'block':
      // Firings of a concurrent job block nothing.
      return disallowConcurrentExecution ? nextState(state, transition, { jobExecuting: true, groupPaused }) : state;
    case 'unblock':
      return nextState(state, transition, { jobExecuting: false, groupPaused });
    case 'complete':
    case 'fail':
      // Both are results of an ended execution. Without an execution, the completion belongs to no run of this node.
      return isExecuting ? nextState(state, transition, { jobExecuting: false, groupPaused }) : state;
    default:
      return nextState(state, transition, { jobExecuting: isExecuting && disallowConcurrentExecution, groupPaused });
  }
}

/** A store in which the trigger under test was brought into a situation by public operations. */
class Scene {
  readonly #driver: StoreDriver;
  /** The reservation while ACQUIRED; in any other state an unknown one. */
  #reservation: AcquiredTrigger;
  /** The current execution; an unknown one if the job is idle. */
  #firing: TriggerFiring;

  private constructor(driver: StoreDriver, reservation: AcquiredTrigger, firing: TriggerFiring) {
    this.#driver = driver;
    this.#reservation = reservation;
    this.#firing = firing;
  }

  static async of(driver: StoreDriver, situation: Situation): Promise<Scene> {
    const { state, activity, disallowConcurrentExecution, groupPaused } = situation;
    await driver.schedule(
      job('job', { disallowConcurrentExecution }),
      everyMinute('subject', { key: SUBJECT, startTime: NOW - SECOND }),
      everyMinute('sibling', { key: SIBLING, startTime: NOW - 2 * SECOND, repeatInterval: HOUR }),
    );
    await driver.store.pauseTriggers([SIBLING]);
    const unknown = await firingNobodyKnows(driver);
    const scene = new Scene(driver, { trigger: unknown.trigger, runId: 'nobody' }, unknown);
    if (state === 'COMPLETE') await driver.complete(await driver.fireOne(), 'SET_TRIGGER_COMPLETE');
    if (state === 'ERROR') await driver.complete(await driver.fireOne(), 'SET_TRIGGER_ERROR');
    if (activity === 'executing') await scene.#executeSibling();
    await scene.#pauseAsIn(state, groupPaused);
    if (state === 'ACQUIRED') await scene.#acquireSubject();
    expect(await driver.state(SUBJECT)).toBe(state);
    return scene;
  }

  async perform(transition: TriggerTransition): Promise<void> {
    const { store, options } = this.#driver;
    switch (transition) {
      case 'acquire':
        await this.#driver.acquire();
        return;
      case 'release':
        return store.releaseTriggers([this.#reservation]);
      case 'fire':
        await this.#driver.fire(this.#reservation);
        return;
      case 'block':
        return this.#executeSibling();
      case 'unblock':
        await this.#driver.complete(this.#firing);
        return;
      case 'pause':
        await store.pauseTriggers([SUBJECT]);
        return;
      case 'resume':
        await store.resumeTriggers([SUBJECT], options);
        return;
      case 'complete':
        await this.#driver.complete(this.#firing, 'SET_ALL_JOB_TRIGGERS_COMPLETE');
        return;
      case 'fail':
        await this.#driver.complete(this.#firing, 'SET_ALL_JOB_TRIGGERS_ERROR');
        return;
      case 'reset':
        await store.resetTriggersFromError([SUBJECT]);
        return;
    }
  }

  async #acquireSubject(): Promise<void> {
    this.#reservation = await this.#driver.acquireOne();
  }

  /** Fires the sibling, which is due before the subject; nothing happens when its job is blocked. */
  async #executeSibling(): Promise<void> {
    await this.#driver.store.resumeTriggers([SIBLING], this.#driver.options);
    if ((await this.#driver.state(SIBLING)) !== 'WAITING') return;
    const fired = await this.#driver.fireDue({ maxCount: 1 });
    const [firing] = fired.filter(({ trigger }) => trigger.key.name === 'sibling');
    if (firing !== undefined) this.#firing = firing;
  }

  async #pauseAsIn(state: TriggerState, groupPaused: boolean): Promise<void> {
    const { store, options } = this.#driver;
    const isPaused = state === 'PAUSED' || state === 'PAUSED_BLOCKED';
    if (groupPaused) {
      await store.pauseTriggers(GroupMatcher.groupEquals(SUBJECT.group));
      // A single trigger may be resumed although its group stays paused.
      if (!isPaused) await store.resumeTriggers([SUBJECT], options);
    } else if (isPaused) {
      await store.pauseTriggers([SUBJECT]);
    }
  }
}

async function firingNobodyKnows(driver: StoreDriver): Promise<TriggerFiring> {
  const trigger = await driver.trigger(SUBJECT);
  const [jobDetail] = await driver.store.getJobs([trigger.jobKey]);
  return {
    runId: 'nobody',
    trigger,
    jobDetail: jobDetail as NonNullable<typeof jobDetail>,
    calendar: null,
    scheduledFireTime: NOW,
    previousFireTime: null,
    fireTime: NOW,
    recovering: false,
  };
}
