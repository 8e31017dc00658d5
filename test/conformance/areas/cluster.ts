import { ManualClock } from '../../../src/base/manual-clock';
import { handOverOf } from '../../../src/domain/abandoned-run';
import type { AcquiredTrigger, TriggerFiring } from '../../../src/domain/firing';
import { GroupMatcher, jobKey, triggerKey } from '../../../src/domain/keys';
import type { NodeLoad } from '../../../src/domain/node-load';
import { occurrenceOf } from '../../../src/domain/occurrence';
import {
  FAILED_JOB_ORIGINAL_TRIGGER_GROUP,
  FAILED_JOB_ORIGINAL_TRIGGER_NAME,
  FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS,
  RECOVERED_RUN_ID,
  RECOVERING_JOBS,
  RECOVERY_ATTEMPT,
} from '../../../src/domain/recovery';
import { retryTriggerKey } from '../../../src/domain/retry';
import { parseRetryPolicy } from '../../../src/domain/retry-policy';
import type { ScheduleChange } from '../../../src/domain/schedule-change';
import type { SchedulerEvent } from '../../../src/domain/scheduler-event';
import { partKey } from '../../../src/domain/shards';
import type { SimpleTrigger } from '../../../src/domain/trigger';
import { OccurrenceWatch } from '../../../src/scheduler/occurrence-watch';
import type { ClusterStore, NodeIdentity, NodeRecord, NodeSignal } from '../../../src/store/cluster-store';
import type { JobStore } from '../../../src/store/job-store';
import { allTriggers } from '../../support/all-stored';
import { everyMinute, HOUR, job, MINUTE, NOW, once, ran, SECOND } from '../samples';
import { namesOf, StoreDriver } from '../store-driver';
import { after } from './chains';
import { save, saved } from './checkpoints';
import { retryOf } from './retries';
import { endPart, takeApart } from './shards';

/** Both interfaces of the store of one node. */
export interface StoresOfNode {
  readonly store: JobStore;
  readonly cluster: ClusterStore;
}

/** Creates nodes on a new, empty schedule. The suite opens and closes them. */
export type CreateNodes = (instanceIds: readonly string[]) => Promise<readonly StoresOfNode[]>;

const OPTIONS = { maxRecoveryAttempts: 3, maxHandOvers: 10 };

/** A node that the tests control. */
class NodeDriver extends StoreDriver {
  readonly cluster: ClusterStore;
  identity: NodeIdentity;

  constructor({ store, cluster }: StoresOfNode, instanceId: string) {
    super(store);
    this.cluster = cluster;
    this.identity = {
      instanceId,
      epoch: `${instanceId} 1`,
      version: '1.2.3',
      host: 'some-host',
      processId: 17,
      timeZoneData: '2026f',
      process: { scope: 'this boot', start: 4711 },
      checkInInterval: 7_500,
      checkInGrace: 5_000,
    };
  }

  async join(previous: NodeRecord | null = null, epoch = this.identity.epoch) {
    this.identity = { ...this.identity, epoch };
    return this.cluster.join(this.identity, previous, OPTIONS);
  }

  /** Returns the stored row of the node. */
  async record(): Promise<NodeRecord> {
    const { nodes } = await this.cluster.readNodes();
    const found = nodes.find(({ instanceId }) => instanceId === this.identity.instanceId);
    if (found === undefined) throw new Error(`Expected a node ${this.identity.instanceId}.`);
    return found;
  }

  async instanceIds(): Promise<readonly string[]> {
    const { nodes } = await this.cluster.readNodes();
    return nodes.map(({ instanceId }) => instanceId).sort();
  }

  async recover(dead: NodeDriver) {
    return this.cluster.recoverInstance(await dead.record(), OPTIONS);
  }
}

/** Guarantees between the nodes of a cluster. */
export function describeCluster(createNodes: CreateNodes): void {
  describe('several nodes', () => {
    let a: NodeDriver;
    let b: NodeDriver;
    let c: NodeDriver;

    beforeEach(async () => {
      const ids = ['a', 'b', 'c'];
      const stores = await createNodes(ids);
      [a, b, c] = stores.map((each, index) => new NodeDriver(each, ids[index] as string)) as [
        NodeDriver,
        NodeDriver,
        NodeDriver,
      ];
      for (const node of [a, b, c]) await node.open();
      await a.join();
      await b.join();
    });

    afterEach(async () => {
      for (const node of [a, b, c]) await node.store.close();
    });

    it('share one version key, whichever node reads it first', async () => {
      const [first, ...others] = await Promise.all([a, b, c].map(({ store }) => store.readVersionKey()));
      expect(others).toEqual([first, first]);
    });

    describe('that check in', () => {
      it('are listed with every field of their identity', async () => {
        await expect(a.instanceIds()).resolves.toEqual(['a', 'b']);
        const { now, nodes } = await b.cluster.readNodes();
        expect(nodes.find(({ instanceId }) => instanceId === 'a')).toEqual({
          instanceId: 'a',
          epoch: 'a 1',
          version: '1.2.3',
          host: 'some-host',
          processId: 17,
          timeZoneData: '2026f',
          process: { scope: 'this boot', start: 4711 },
          checkInInterval: 7_500,
          checkInGrace: 5_000,
          lastCheckInTime: expect.any(Number),
          startedAt: expect.any(Number),
          clockOffset: 0,
          signalSeen: 0,
          labels: ['node:a', 'eu', 'ssd'],
          draining: false,
        });
        expect(Math.abs(now - (await a.cluster.readClock()))).toBeLessThan(10_000);
      });

      it('update their check-in time with every check-in, and see each other', async () => {
        const times: number[] = [];
        for (let beat = 0; beat < 5; beat++) {
          const { isMember, nodes } = await a.cluster.checkIn(a.identity, 0);
          expect(isMember).toBe(true);
          expect(nodes).toHaveLength(2);
          times.push((await b.cluster.readNodes()).nodes.find((node) => node.instanceId === 'a')?.lastCheckInTime ?? 0);
        }
        expect(new Set(times).size).toBe(5);
        expect([...times].sort((x, y) => x - y)).toEqual(times);
      });

      it('store the offset of their clock only if it is large', async () => {
        await a.cluster.checkIn(a.identity, 90);
        expect((await a.record()).clockOffset).toBe(0);
        await a.cluster.checkIn(a.identity, -3_600_000);
        expect((await a.record()).clockOffset).toBe(-3_600_000);
      });

      it('store their load in their current incarnation only', async () => {
        const step = { begin: 3_000_000, started: 7, ended: 6, failed: 1, p50: 2, p99: null };
        const later = { begin: 3_060_000, started: 1, ended: 0, failed: 0, p50: null, p99: null };
        const holdBack = { since: 1_800_000_000_000, until: 1_800_000_005_000 };
        const refused = { jobType: 'mail', since: 1_800_000_000_000, until: 1_800_000_001_000 };
        const load: NodeLoad = { running: 3, workers: 25, steps: [step, later], holdBack, refusedTypes: [refused] };
        const loadOf = async (id: string) => (await b.cluster.readLoads()).find(({ instanceId }) => instanceId === id);
        expect(await loadOf('a')).toMatchObject({ load: null });
        await a.cluster.checkIn(a.identity, 0, load);
        const { lastCheckInTime } = await a.record();
        expect(await loadOf('a')).toEqual({ instanceId: 'a', at: lastCheckInTime, load });
        await a.cluster.checkIn(a.identity, 0, load);
        expect((await loadOf('a'))?.at).toBeGreaterThan(lastCheckInTime); // the same load, with a newer time
        await a.cluster.checkIn({ ...a.identity, epoch: 'another' }, 0, { ...load, running: 17 });
        await a.cluster.checkIn(a.identity, 0, { ...load, running: 4 });
        expect((await loadOf('a'))?.load).toEqual({ ...load, running: 4 });
        expect(await loadOf('b')).toMatchObject({ load: null });
        await a.join(await a.record(), 'a 2');
        expect(await loadOf('a')).toMatchObject({ load: null });
      });

      it('publish their job types before they join, later, and in their next incarnation', async () => {
        const typesOf = async (id: string) =>
          (await b.cluster.readJobTypes()).find(({ instanceId }) => instanceId === id);
        const labels = ['node:a', 'eu', 'ssd'];
        expect(await typesOf('a')).toEqual({ instanceId: 'a', isJava: false, jobTypes: null, labels });
        expect(await a.cluster.publishJobTypes(['mail', "it's"])).toBe(true);
        expect(await c.cluster.publishJobTypes(['früh', '报告'])).toBe(false);
        await c.join();
        expect((await typesOf('a'))?.jobTypes).toEqual(['mail', "it's"]);
        expect((await typesOf('c'))?.jobTypes).toEqual(['früh', '报告']);
        await b.cluster.recoverInstance(await a.record(), OPTIONS);
        expect(await typesOf('a')).toBeUndefined();
        expect(await a.cluster.publishJobTypes(['mail'])).toBe(false);
        await a.join(null, 'a 2');
        expect((await typesOf('a'))?.jobTypes).toEqual(['mail']);
      });

      it('publish no job types if they have too many', async () => {
        await a.cluster.publishJobTypes(Array.from({ length: 5_000 }, (_, index) => `a type of a long name ${index}`));
        expect((await b.cluster.readJobTypes()).map(({ jobTypes }) => jobTypes)).toEqual([null, null]);
      });

      it('list the backlog of every job type, the longest waiting first', async () => {
        await a.schedule(job('one', { jobType: 'unknown' }), everyMinute('late', { startTime: NOW - HOUR }));
        await a.schedule(job('two'), everyMinute('later', { startTime: NOW - MINUTE }), everyMinute('now'));
        const backlog = await b.cluster.readBacklog(NOW, 10);
        expect(backlog).toEqual([
          { triggerKey: triggerKey('late'), jobType: 'unknown', nextFireTime: NOW - HOUR },
          { triggerKey: triggerKey('later'), jobType: 'sample', nextFireTime: NOW - MINUTE },
        ]);
        expect(await b.cluster.readBacklog(NOW, 1)).toHaveLength(1);
      });

      it('are no members in an ended incarnation, and change nothing', async () => {
        const before = await a.record();
        const { isMember, nodes } = await a.cluster.checkIn({ ...a.identity, epoch: 'another' }, 5_000);
        expect(isMember).toBe(false);
        expect(nodes.find(({ instanceId }) => instanceId === 'a')).toEqual(before);
        await expect(c.cluster.checkIn(c.identity, 0)).resolves.toMatchObject({ isMember: false });
      });

      it('store a changed check-in interval', async () => {
        await a.cluster.checkIn({ ...a.identity, checkInInterval: 1_000 }, 0);
        expect((await a.record()).checkInInterval).toBe(1_000);
      });
    });

    describe('that join', () => {
      it('are refused if a living node has the same id', async () => {
        await expect(a.join(null, 'a 2')).resolves.toEqual({ status: 'taken' });
        const before = await a.record();
        await a.cluster.checkIn({ ...a.identity, epoch: 'a 1' }, 0);
        await expect(a.join(before, 'a 2')).resolves.toEqual({ status: 'taken' });
        expect((await a.record()).epoch).toBe('a 1');
      });

      it('replace a silent node with the same id, and recover its work', async () => {
        await a.scheduleAll(everyMinute());
        await a.acquireOne();
        await expect(a.join(await a.record(), 'a 2')).resolves.toMatchObject({
          status: 'joined',
          recovery: { instanceId: 'a', released: 1, lost: 0 },
        });
        expect((await a.record()).epoch).toBe('a 2');
        await expect(a.state()).resolves.toBe('WAITING');
      });

      it('join even if another node has recovered the node that they replace', async () => {
        const before = await a.record();
        await b.recover(a);
        await expect(a.join(before, 'a 2')).resolves.toMatchObject({ status: 'joined' });
      });

      it('under the same id at the same time succeed only once', async () => {
        const joined = await Promise.all([c.join(), c.cluster.join({ ...c.identity, epoch: 'c 2' }, null, OPTIONS)]);
        expect(joined.map(({ status }) => status).sort()).toEqual(['joined', 'taken']);
      });
    });

    describe('that leave', () => {
      it('release their reservations and are removed', async () => {
        await a.scheduleAll(everyMinute());
        await a.acquireOne();
        await expect(a.cluster.leave(a.identity)).resolves.toEqual({ released: 1, executing: 0 });
        await expect(b.instanceIds()).resolves.toEqual(['b']);
        await expect(b.acquireOne()).resolves.toMatchObject({ trigger: { key: triggerKey('trigger') } });
      });

      it('remain stored while a run executes, so that other nodes can recover it', async () => {
        await a.scheduleAll(everyMinute());
        const firing = await a.fireOne();
        await expect(a.cluster.leave(a.identity)).resolves.toEqual({ released: 0, executing: 1 });
        await expect(b.instanceIds()).resolves.toEqual(['a', 'b']);
        await expect(a.complete(firing)).resolves.toMatchObject({ status: 'completed' });
      });

      it('hand over runs as the same attempt if their job requests recovery or has retries', async () => {
        const retry = { max: 3, delays: [1_000] };
        await a.schedule(job('asks', { requestsRecovery: true }), once('asks'));
        await a.schedule(job('retries', { policy: { retry } }), once('retries'));
        await a.schedule(job('plain'), once('plain'));
        await a.schedule(job('plain hourly', { durable: true }), everyMinute('plain hourly'));
        a.now = NOW;
        expect(await a.fireDue({ maxCount: 9 })).toHaveLength(4);
        await a.cluster.leave(a.identity);
        const report = await b.recover(a);
        expect(report?.recovered).toHaveLength(2);
        const { items } = await b.store.listRuns({ take: 9 });
        const outcomes = Object.fromEntries(items.map((run) => [run.jobKey.name, [run.outcome, run.isDeadLetter]]));
        expect(outcomes).toEqual({
          asks: ['handedOver', false],
          retries: ['handedOver', false],
          plain: ['interrupted', true],
          'plain hourly': ['interrupted', false],
        });
        b.now = NOW;
        const again = await b.fireDue({ maxCount: 9 });
        const attempts = again.flatMap((firing) => (firing.recovering ? [occurrenceOf(firing).attempt] : []));
        expect(attempts).toEqual([1, 1]);
        expect(
          again.filter(({ recovering }) => recovering).map(({ trigger }) => trigger.data[RECOVERY_ATTEMPT]),
        ).toEqual(['0', '0']);
      });

      it('hand over a run at most maxHandOvers times without a new checkpoint', async () => {
        await a.schedule(job('asks', { requestsRecovery: true }), once('asks'));
        const nodes = [a, b] as const;
        for (let count = 0; count <= 2; count++) {
          const [node, peer] = [nodes[count % 2], nodes[(count + 1) % 2]] as [NodeDriver, NodeDriver];
          node.now = NOW;
          expect(await node.fireDue()).toHaveLength(1);
          await node.cluster.leave(node.identity);
          await peer.cluster.recoverInstance(await node.record(), { maxRecoveryAttempts: 0, maxHandOvers: 2 });
          await node.join(null, `${node.identity.instanceId} ${count + 2}`);
        }
        const { items } = await a.store.listRuns({ take: 9 });
        expect(items.map(({ outcome }) => outcome).sort()).toEqual(['handedOver', 'handedOver', 'interrupted']);
        expect(items.filter(({ isDeadLetter }) => isDeadLetter)).toMatchObject([{ outcome: 'interrupted' }]);
      });

      it('cannot remove a later incarnation with the same id', async () => {
        await expect(a.cluster.leave({ ...a.identity, epoch: 'before' })).resolves.toEqual({
          released: 0,
          executing: 0,
        });
        await expect(b.instanceIds()).resolves.toEqual(['a', 'b']);
      });
    });

    describe('with a dead node', () => {
      it('release its reservations, which keep their fire time', async () => {
        await a.scheduleAll(everyMinute());
        const reserved = await a.acquireOne();
        const report = await b.recover(a);
        expect(report).toEqual({ instanceId: 'a', released: 1, recovered: [], exhausted: [], lost: 0 });
        const again = await b.acquireOne();
        expect(again.trigger.nextFireTime).toBe(reserved.trigger.nextFireTime);
        expect(again.runId).not.toBe(reserved.runId);
        await expect(b.instanceIds()).resolves.toEqual(['b']);
      });

      it('do not change triggers that were paused, replaced or deleted after their reservation', async () => {
        await a.scheduleAll(everyMinute('paused'), everyMinute('replaced'), everyMinute('deleted'));
        await a.acquire();
        await b.store.pauseTriggers([triggerKey('paused')]);
        await b.register({ ...everyMinute('replaced'), startTime: NOW + HOUR });
        await b.apply({ type: 'deleteTrigger', key: triggerKey('deleted') });
        await b.recover(a);
        await expect(b.state('paused')).resolves.toBe('PAUSED');
        await expect(b.state('replaced')).resolves.toBe('WAITING');
        expect((await b.trigger('replaced')).nextFireTime).toBe(NOW + HOUR);
      });

      it('recover runs that request it, with the data and the scheduled time of the failed run', async () => {
        const data = { to: 'ops' };
        await a.schedule(
          job('job', { requestsRecovery: true, data: { from: 'job' } }),
          everyMinute('trigger', { data, priority: 9 }),
        );
        const firing = await a.fireOne();
        const report = await b.recover(a);
        const key = { group: RECOVERING_JOBS, name: `recover_${firing.runId}` };
        expect(report).toMatchObject({ recovered: [key], exhausted: [], lost: 0 });

        const again = await b.fireOne();
        expect(again.recovering).toBe(true);
        expect(again.trigger.key).toEqual(key);
        expect(again.trigger.priority).toBe(9);
        expect(again.scheduledFireTime).toBe(firing.scheduledFireTime);
        expect(again.jobDetail.data).toEqual({ from: 'job' });
        expect(again.trigger.data).toMatchObject({
          to: 'ops',
          [FAILED_JOB_ORIGINAL_TRIGGER_NAME]: 'trigger',
          [FAILED_JOB_ORIGINAL_TRIGGER_GROUP]: 'DEFAULT',
          [FAILED_JOB_ORIGINAL_TRIGGER_SCHEDULED_FIRETIME_IN_MILLISECONDS]: String(firing.scheduledFireTime),
          [RECOVERED_RUN_ID]: firing.runId,
          [RECOVERY_ATTEMPT]: '1',
        });
        await b.complete(again, 'DELETE_TRIGGER');
        await expect(b.find(key)).resolves.toBeNull();
        expect((await b.trigger()).nextFireTime).toBe(NOW + MINUTE);
      });

      describe.each(['its job', 'its trigger', 'the group of its trigger'])('after %s has been deleted', (what) => {
        const change = (name: string): ScheduleChange => {
          if (what === 'its job') return { type: 'deleteJob', key: jobKey(name) };
          if (what === 'its trigger') return { type: 'deleteTrigger', key: triggerKey(name) };
          return { type: 'deleteTriggersInGroup', group: GroupMatcher.groupEquals('DEFAULT'), exceptGroups: [] };
        };
        const scheduleBoth = async () => {
          const policy = { retry: { max: 3, delays: [1_000] } };
          await a.schedule(job('job', { requestsRecovery: true, durable: true, policy }), everyMinute('job'));
          const kept = { ...everyMinute('kept'), key: triggerKey('kept', 'other') };
          await a.schedule(job('kept', { requestsRecovery: true }), kept);
          a.now = b.now = NOW;
        };
        const waiting = async () =>
          (await allTriggers(b.store)).items.flatMap(({ trigger: { key } }) =>
            key.group === RECOVERING_JOBS ? [key.name] : [],
          );

        it('recover only the other run, whether the node died or left', async () => {
          for (const hasLeft of [false, true]) {
            await scheduleBoth();
            const firings = await a.fireDue();
            expect(firings).toHaveLength(2);
            await b.applyOne(change('job'));
            if (hasLeft) await a.cluster.leave(a.identity);
            const kept = firings.find(({ jobDetail }) => jobDetail.key.name === 'kept')?.runId;
            await expect(b.recover(a)).resolves.toMatchObject({ recovered: [{ name: `recover_${kept}` }], lost: 1 });
            await b.apply({ type: 'clear' });
            await a.join(null, 'again');
          }
        });

        it('delete the waiting recovery', async () => {
          await scheduleBoth();
          const firings = await a.fireDue();
          await b.recover(a);
          await expect(waiting()).resolves.toHaveLength(2);
          await b.applyOne(change('job'));
          const kept = firings.find(({ jobDetail }) => jobDetail.key.name === 'kept')?.runId;
          await expect(waiting()).resolves.toEqual([`recover_${kept}`]);
        });

        it('do not repeat the retry that the dead node was running', async () => {
          await scheduleBoth();
          for (const firing of await a.fireDue())
            await a.complete(firing, 'NOOP', { further: [retryOf(firing, NOW, 0)] });
          const retries = await a.fireDue();
          expect(retries.map(({ trigger }) => trigger.key.group)).toEqual(['RETRYING_JOBS', 'RETRYING_JOBS']);
          await b.applyOne(change('job'));
          await expect(b.recover(a)).resolves.toMatchObject({ recovered: [{}], lost: 1 });
        });

        it('do not hand over the run when its node shuts down', async () => {
          await scheduleBoth();
          const firings = await a.fireDue();
          await b.applyOne(change('job'));
          for (const firing of firings) {
            const further = [handOverOf(firing, { maxHandOvers: 9, hasNewCheckpoint: false }) as SimpleTrigger];
            const { notStored = [] } = await a.complete(firing, 'NOOP', { further, isHandedOver: true });
            expect(notStored).toHaveLength(firing.jobDetail.key.name === 'kept' ? 0 : 1);
          }
          await expect(waiting()).resolves.toHaveLength(1);
        });
      });

      it('recover at most 500 runs in a transaction', async () => {
        const names = Array.from({ length: 600 }, (_, index) => everyMinute(`t${index}`));
        await a.schedule(job('job', { requestsRecovery: true }), ...names);
        for (let fired = 0; fired < 600; ) fired += (await a.fireDue({ maxCount: 100 })).length;
        const report = await b.recover(a);
        expect(report).toMatchObject({ hasMore: true, lost: 0 });
        expect(report?.recovered).toHaveLength(500);
        const rest = await b.cluster.recoverOrphan('a', OPTIONS);
        expect(rest?.recovered).toHaveLength(100);
        expect(rest).not.toHaveProperty('hasMore');
        expect(new Set([...(report?.recovered ?? []), ...(rest?.recovered ?? [])].map(({ name }) => name)).size).toBe(
          600,
        );
        await expect(b.cluster.findOrphans()).resolves.toEqual([]);
      });

      it('count recoveries of a run, keep its origin, and set it to ERROR at the limit until a reset', async () => {
        await a.schedule(job('job', { requestsRecovery: true }), everyMinute());
        const first = await a.fireOne();
        let dying = a;
        let survivor = b;
        for (let attempt = 1; attempt <= OPTIONS.maxRecoveryAttempts; attempt++) {
          const report = await survivor.recover(dying);
          expect(report).toMatchObject({ recovered: [{ group: RECOVERING_JOBS }], exhausted: [] });
          const again = await survivor.fireOne();
          expect(again.trigger.data).toMatchObject({
            [FAILED_JOB_ORIGINAL_TRIGGER_NAME]: 'trigger',
            [RECOVERED_RUN_ID]: first.runId,
            [RECOVERY_ATTEMPT]: String(attempt),
          });
          await dying.join(null, `again ${attempt}`);
          [dying, survivor] = [survivor, dying];
        }
        const report = await survivor.recover(dying);
        expect(report).toMatchObject({ recovered: [], exhausted: [{ group: RECOVERING_JOBS }], lost: 0 });
        const [exhausted] = report?.exhausted ?? [];
        await expect(survivor.state(exhausted)).resolves.toBe('ERROR');
        await expect(survivor.fireDue()).resolves.toEqual([]);
        await survivor.store.resetTriggersFromError(exhausted === undefined ? [] : [exhausted]);
        await expect(survivor.fireOne()).resolves.toMatchObject({ recovering: true });
      });

      it('recover an occurrence and its parts even if the job does not request recovery', async () => {
        const detail = job('job', { policy: { spread: { shards: 3, params: ['x', 'y', 'z'] } } });
        await a.schedule(detail, once('last'), everyMinute('often', { startTime: NOW + SECOND }));
        const [reserved] = await a.acquire(); // by one statement; the second trigger fires by the other one
        await a.fire(reserved as AcquiredTrigger);
        a.now = b.now = NOW + 2 * SECOND;
        await a.fireOne();
        await expect(b.recover(a)).resolves.toMatchObject({ recovered: [{}, {}], lost: 0 });
        const firings = await b.fireDue();
        const ends = (parts: readonly TriggerFiring[]) => parts.map((part) => endPart(b, part));
        await b.store.completeTriggers(firings.map((firing) => takeApart(firing)));
        await a.join(null, 'again');
        a.now = b.now = NOW + 3 * SECOND;
        const [done, ...lost] = await a.fireDue({ maxCount: 5 });
        await a.store.completeTriggers([endPart(a, done as TriggerFiring)]);
        const own = await b.fireDue();
        expect([lost.length, own.length]).toEqual([4, 1]);
        await expect(b.recover(a)).resolves.toMatchObject({ recovered: [{}, {}, {}, {}], lost: 0 });
        await expect(b.store.endOccurrences({ after: null, maxCount: 9, now: b.now })).resolves.toEqual({
          ended: [],
          next: null,
        });
        const moved = await b.fireDue();
        const shards = (parts: readonly TriggerFiring[]) =>
          parts
            .map((part) => `${occurrenceOf(part).triggerKey.name} ${JSON.stringify(occurrenceOf(part).shard)}`)
            .sort();
        expect(shards(moved)).toEqual(shards(lost));
        const outcomes = await b.store.completeTriggers(ends([...own, ...moved]));
        const ended = outcomes.flatMap(({ endedOccurrences }) => endedOccurrences ?? []);
        expect(ended).toMatchObject([{ failed: 0 }, { failed: 0 }]);
        await expect(b.store.getOccurrences()).resolves.toEqual([]);
      });

      it('run broadcast parts on their own nodes only, and lose the part of the dead node', async () => {
        const detail = job('job', { requestsRecovery: true, policy: { spread: 'broadcast', runsOn: ['node:a'] } });
        await a.schedule(detail, everyMinute());
        const firing = await a.fireOne();
        a.now = b.now = firing.fireTime;
        await a.store.completeTriggers([takeApart(firing, ['a', 'b', 'c'])]);
        await expect(a.store.getOccurrences()).resolves.toMatchObject([{ parts: 3, isBroadcast: true }]);
        const [own, ...others] = await a.fireDue();
        const ofB = await b.fireDue();
        expect([own, ...ofB].map((part) => occurrenceOf(part as TriggerFiring).shard)).toMatchObject([
          { index: 0, count: 3, node: 'a' },
          { index: 1, count: 3, node: 'b' },
        ]);
        expect([others.length, ofB.length]).toEqual([0, 1]);
        await expect(b.recover(a)).resolves.toMatchObject({ recovered: [], lost: 1 });
        await expect(b.store.getOccurrences()).resolves.toMatchObject([{ remaining: 2, failed: 1 }]);
        await expect(b.fireDue()).resolves.toEqual([]);
        await b.store.completeTriggers(ofB.map((part) => endPart(b, part)));
        const watch = new OccurrenceWatch({
          store: b.store,
          clock: new ManualClock(b.now),
          publish: (event) => told.push(event),
          readNodes: () => b.cluster.readJobTypes(),
          misfireThreshold: b.options.misfireThreshold,
        });
        const told: SchedulerEvent[] = [];
        await watch.runOnce();
        expect(told).toMatchObject([{ type: 'occurrenceCompleted', parts: 3, failed: 2 }]);
        await expect(b.find(partKey(firing.runId, 2))).resolves.toBeNull();
      });

      it('end an occurrence if its last part exceeds the recovery limit', async () => {
        await a.schedule(job('follower', { durable: true }), after('follower', ['job'], { on: 'failure' }));
        await a.schedule(job('job', { durable: true, policy: { spread: { shards: 2 } } }), once());
        const firing = await a.fireOne();
        a.now = b.now = firing.fireTime;
        await a.store.completeTriggers([takeApart(firing)]);
        const [done] = await a.fireDue();
        await a.store.completeTriggers([endPart(a, done as TriggerFiring)]);
        const report = await b.cluster.recoverInstance(await a.record(), { maxRecoveryAttempts: 0, maxHandOvers: 10 });
        expect(report?.exhausted).toHaveLength(1);
        expect(report?.endedOccurrences).toMatchObject([{ id: firing.runId, parts: 2, failed: 1 }]);
        await expect(b.store.getOccurrences()).resolves.toEqual([]);
        const started = await allTriggers(b.store, { group: GroupMatcher.groupEquals('CHAINED_JOBS') });
        expect(started.items.map(({ trigger }) => trigger.jobKey.name)).toEqual(['follower']);
      });

      it('count a run as lost if its job does not request recovery, and keep its schedule', async () => {
        await a.scheduleAll(everyMinute());
        await a.fireOne();
        await expect(b.recover(a)).resolves.toMatchObject({ released: 0, recovered: [], lost: 1 });
        await expect(b.state()).resolves.toBe('WAITING');
        expect((await b.trigger()).nextFireTime).toBe(NOW + MINUTE);
      });

      it('delete triggers that had fired for the last time, with jobs that nothing else needs', async () => {
        await a.schedule(job('gone'), once('last'));
        await a.schedule(job('kept', { durable: true }), once('last of durable'));
        await a.schedule(job('recovered', { requestsRecovery: true }), once('recovered'));
        await a.fireDue();
        await expect(b.state('last')).resolves.toBe('COMPLETE');
        await b.recover(a);
        for (const name of ['last', 'last of durable', 'recovered']) await expect(b.find(name)).resolves.toBeNull();
        await expect(b.job('gone')).resolves.toBeNull();
        await expect(b.job('kept')).resolves.not.toBeNull();
        await expect(b.job('recovered')).resolves.not.toBeNull();
      });

      it('keep a COMPLETE trigger that the dead node did not run', async () => {
        await a.schedule(job('job', { durable: true }), once('complete'));
        await b.complete(await b.fireOne(), 'SET_TRIGGER_COMPLETE');
        await b.recover(a);
        await expect(b.state('complete')).resolves.toBe('COMPLETE');
      });

      it('unblock a non-concurrent job of the dead node', async () => {
        await a.schedule(job('job', { disallowConcurrentExecution: true }), everyMinute('one'), everyMinute('two'));
        await a.store.pauseTriggers([triggerKey('two')]);
        await a.fireOne();
        await expect(Promise.all([b.state('one'), b.state('two')])).resolves.toEqual(['BLOCKED', 'PAUSED_BLOCKED']);
        await b.recover(a);
        await expect(Promise.all([b.state('one'), b.state('two')])).resolves.toEqual(['WAITING', 'PAUSED']);
      });

      it('keep a job blocked while another node executes it', async () => {
        await a.scheduleAll(everyMinute('one'), everyMinute('two'));
        await a.fireOne();
        const other = await b.fireOne();
        const serial = job('job', { disallowConcurrentExecution: true });
        await a.apply({ type: 'storeJob', job: serial, ifExists: 'replace', requireTrigger: false });
        await expect(b.state('one')).resolves.toBe('BLOCKED');
        await b.recover(a);
        await expect(b.state('one')).resolves.toBe('BLOCKED');
        await b.complete(other);
        await expect(b.state('one')).resolves.toBe('WAITING');
      });

      it.each([
        { what: 'everything', which: { operator: 'any', value: '' } },
        { what: 'the group of recoveries', which: { operator: 'equals', value: RECOVERING_JOBS } },
        { what: 'its group', which: { operator: 'equals', value: 'DEFAULT' } },
        { what: 'its trigger', which: [triggerKey('one')] },
      ] as const)('hold a recovery while $what is paused', async ({ which }) => {
        await a.schedule(job('job', { requestsRecovery: true }), everyMinute('one'));
        await a.fireOne();
        await b.store.pauseTriggers(which);
        const report = await b.recover(a);
        await expect(b.state(report?.recovered[0])).resolves.toBe('PAUSED');
        await b.store.resumeTriggers(which, b.options);
        await expect(b.fireOne()).resolves.toMatchObject({ recovering: true });
      });

      it('recover a paused trigger at once if the pause does not hold retries', async () => {
        await a.schedule(job('job', { requestsRecovery: true }), everyMinute('one'));
        await a.fireOne();
        const said = { reason: null, by: null, since: NOW, until: null, holdsRetries: false };
        await b.store.pauseTriggers({ operator: 'any', value: '' }, said);
        const report = await b.recover(a);
        await expect(b.state(report?.recovered[0])).resolves.toBe('WAITING');
      });
    });

    describe('with a node that died during a retry', () => {
      const recovering = { requestsRecovery: true } as const;

      /** Fails the due firing, with an immediate retry for any node. */
      const failOn = async (node: NodeDriver) => {
        const firing = await node.fireOne();
        await node.complete(firing, 'NOOP', { further: [retryOf(firing, node.now, 0)] });
        return firing;
      };

      it('repeat the same attempt after each death, and then continue with the next attempt', async () => {
        await a.schedule(job('job', recovering), everyMinute('trigger', { data: { to: 'ops' } }));
        const { runId: id } = await failOn(a);
        const second = { id, triggerKey: triggerKey('trigger'), scheduledTime: NOW, attempt: 2 };
        expect(occurrenceOf(await a.fireOne())).toEqual(second);
        await expect(b.recover(a)).resolves.toMatchObject({ recovered: [{ group: RECOVERING_JOBS }], lost: 0 });
        const again = await b.fireOne();
        expect(again).toMatchObject({ recovering: true, trigger: { data: { to: 'ops' } } });
        expect(occurrenceOf(again)).toEqual(second);
        await a.join(null, 'a 2');
        await expect(a.recover(b)).resolves.toMatchObject({ recovered: [{ group: RECOVERING_JOBS }], lost: 0 });
        const third = await a.fireOne();
        expect(occurrenceOf(third)).toEqual(second);
        await a.complete(third, 'DELETE_TRIGGER', { further: [retryOf(third, NOW, 0)] });
        const next = await a.fireOne();
        expect(next.recovering).toBe(false);
        expect(occurrenceOf(next)).toEqual({ ...second, attempt: 3 });
        await a.complete(next, 'DELETE_TRIGGER');
        await expect(allTriggers(a.store)).resolves.toMatchObject({
          items: [{ trigger: { key: triggerKey('trigger'), nextFireTime: NOW + MINUTE }, state: 'WAITING' }],
          total: 1,
        });
      });

      it('delete a retry that does not request recovery, together with its job', async () => {
        await a.scheduleAll(once());
        const first = await a.fireOne();
        await a.complete(first, 'DELETE_TRIGGER', { further: [retryOf(first, NOW, 0)] });
        await a.fireOne();
        await expect(b.recover(a)).resolves.toMatchObject({ recovered: [], lost: 1 });
        await expect(allTriggers(b.store)).resolves.toMatchObject({ total: 0 });
        await expect(b.job()).resolves.toBeNull();
      });

      it('release a reserved retry', async () => {
        await a.scheduleAll(everyMinute());
        const first = await failOn(a);
        await a.acquireOne({ noLaterThan: NOW });
        await b.recover(a);
        await expect(b.fireOne()).resolves.toMatchObject({ trigger: { key: retryTriggerKey(first.runId) } });
      });

      it('keep the policy of a recovered run', async () => {
        const policy = { retry: parseRetryPolicy('R3/PT1S', 'a test'), history: 'failures' } as const;
        await a.schedule(job('job', recovering), everyMinute('trigger', { policy, data: { to: 'ops' } }));
        const { runId: id } = await a.fireOne();
        await b.recover(a);
        const again = await b.fireOne();
        expect(again.trigger.policy).toEqual(policy);
        expect(occurrenceOf(again).id).toBe(id);
        await b.complete(again, 'DELETE_TRIGGER', { further: [retryOf(again, NOW, 0)] });
        const retried = await b.fireOne();
        expect(retried.trigger.policy).toEqual(policy);
        expect(occurrenceOf(retried)).toEqual({
          id,
          triggerKey: triggerKey('trigger'),
          scheduledTime: NOW,
          attempt: 2,
        });
      });

      it('record each lost run once, according to its history policy', async () => {
        const history = { policy: { history: 'all' } } as const;
        const silent = { policy: { history: 'none' } } as const;
        await a.schedule(job('job', { ...recovering, ...history }), everyMinute());
        await a.schedule(job('quiet', silent), everyMinute('quiet'), everyMinute('loud', history));
        await a.schedule(job('silenced', history), everyMinute('silenced', { policy: { history: 'none' } }));
        const firings = await a.fireDue();
        const failed = firings.find(({ trigger }) => trigger.key.name === 'trigger') as TriggerFiring;
        await a.complete(failed, 'NOOP', { further: [retryOf(failed, NOW, 0)] });
        a.now += SECOND;
        const second = await a.fireOne();
        const recordOf = async () => (await b.store.listRuns({ take: 10 })).items;
        const report = await b.recover(a);
        expect(report).toMatchObject({ lost: 3, recovered: [{ group: RECOVERING_JOBS }] });
        const runs = await recordOf();
        expect(runs).toHaveLength(2);
        expect(runs.find(({ jobKey: { name } }) => name === 'job')).toEqual({
          runId: second.runId,
          triggerKey: triggerKey('trigger'),
          jobKey: jobKey('job'),
          jobType: 'sample',
          instanceId: 'a',
          occurrenceId: failed.runId,
          scheduledTime: NOW,
          fireTime: second.fireTime,
          endTime: expect.any(Number),
          attempt: 2,
          outcome: 'lost',
          isDeadLetter: false,
          error: null,
          detail: null,
        });
        expect(runs.find(({ triggerKey: { name } }) => name === 'loud')).toMatchObject({ outcome: 'lost', attempt: 1 });
        await c.join();
        await c.cluster.recoverOrphan('a', OPTIONS);
        await expect(recordOf()).resolves.toEqual(runs);
      });
    });

    describe('that recover a node too early', () => {
      it('change nothing if the node has checked in since', async () => {
        await a.schedule(job('job', { requestsRecovery: true }), everyMinute());
        const firing = await a.fireOne();
        const seen = await a.record();
        await a.cluster.checkIn(a.identity, 0);
        await expect(b.cluster.recoverInstance(seen, OPTIONS)).resolves.toBeNull();
        await expect(b.instanceIds()).resolves.toEqual(['a', 'b']);
        await expect(a.complete(firing)).resolves.toMatchObject({ status: 'completed' });
      });

      it('recover the node once, however many nodes try, and however often', async () => {
        await a.schedule(job('job', { requestsRecovery: true }), everyMinute());
        await a.fireOne();
        await c.join();
        const seen = await a.record();
        const both = await Promise.all([b, c].map(({ cluster }) => cluster.recoverInstance(seen, OPTIONS)));
        expect(both.filter((report) => report !== null)).toHaveLength(1);
        await expect(c.cluster.recoverInstance(seen, OPTIONS)).resolves.toBeNull();
        await expect(b.fireDue()).resolves.toHaveLength(1);
        await expect(c.fireDue()).resolves.toHaveLength(0);
      });
    });

    describe('with a living node that was declared dead', () => {
      it('refuse its completions, and keep the data and states of the recovered run', async () => {
        const counting = {
          requestsRecovery: true,
          persistJobDataAfterExecution: true,
          disallowConcurrentExecution: true,
        };
        await a.schedule(job('job', counting), everyMinute());
        const zombie = await a.fireOne();
        await b.recover(a);
        const again = await b.fireOne();
        await expect(b.state()).resolves.toBe('BLOCKED');
        // Q2: the completion of a replaced run let the next run start at the same time.
        await expect(a.complete(zombie, 'NOOP', { jobData: { by: 'a' } })).resolves.toMatchObject({ status: 'fenced' });
        await expect(b.state()).resolves.toBe('BLOCKED');
        b.now += MINUTE;
        await expect(b.fireDue()).resolves.toEqual([]);
        await expect(b.complete(again, 'DELETE_TRIGGER', { jobData: { by: 'b' } })).resolves.toMatchObject({
          status: 'completed',
        });
        expect((await b.job())?.data).toEqual({ by: 'b' });
        await expect(b.state()).resolves.toBe('WAITING');
      });

      it('refuse its checkpoints, and continue from the last accepted one', async () => {
        await a.schedule(job('job', { requestsRecovery: true }), everyMinute());
        const firing = await a.fireOne();
        await expect(save(a, firing, { lastId: 1 })).resolves.toBe(true);
        await b.recover(a);
        await expect(save(a, firing, { lastId: 2 })).resolves.toBe(false);
        const again = await b.fireOne();
        await expect(saved(b, again)).resolves.toEqual({ lastId: 1 });
        await expect(save(b, again, { lastId: 3 })).resolves.toBe(true);
        await a.join(null, 'a 2');
        await expect(save(a, firing, { lastId: 2 })).resolves.toBe(false);
        await expect(save(a, again, { lastId: 2 })).resolves.toBe(false); // it is the other node's
        await expect(saved(a, again)).resolves.toEqual({ lastId: 3 });
      });

      it('refuse its retry and its run record', async () => {
        await a.schedule(job('job', { requestsRecovery: true }), everyMinute());
        const zombie = await a.fireOne();
        await b.recover(a);
        const run = ran(zombie.runId, { outcome: 'failed' });
        const retry = retryOf(zombie, NOW, 0);
        const completion = { further: [retry], run };
        await expect(a.complete(zombie, 'NOOP', completion)).resolves.toMatchObject({ status: 'fenced' });
        await expect(b.find(retry.key)).resolves.toBeNull();
        await expect(b.store.listRuns({ take: 10 })).resolves.toMatchObject({
          items: [{ outcome: 'lost' }],
          next: null,
        });
        await expect(b.fireOne()).resolves.toMatchObject({ recovering: true });
      });

      it('refuse to fire its reservations', async () => {
        await a.scheduleAll(everyMinute());
        const reserved = await a.acquireOne();
        await b.recover(a);
        const [result] = await a.fire(reserved);
        expect(result).toMatchObject({ status: 'notFired' });
        await expect(b.fireOne()).resolves.toMatchObject({ scheduledFireTime: NOW });
        await a.store.releaseTriggers([reserved]);
        expect((await b.trigger()).nextFireTime).toBe(NOW + MINUTE);
      });

      it('do not let it reserve or fire until it has joined again', async () => {
        await a.scheduleAll(everyMinute('one'), once('two'));
        await b.recover(a);
        await expect(a.fireDue()).resolves.toEqual([]);
        await expect(a.acquire()).resolves.toEqual([]);
        await expect(b.state('one')).resolves.toBe('WAITING');
        await expect(b.cluster.findOrphans()).resolves.toEqual([]);
        await a.join(null, 'a 2');
        await expect(a.fireDue()).resolves.toHaveLength(2);
      });
    });

    describe('with firings of an unknown node', () => {
      it('find these firings, and recover them if no node has the id', async () => {
        await c.schedule(job('job', { requestsRecovery: true }), everyMinute('executing'), everyMinute('reserved'));
        await c.fireOne(); // without joining, like a foreign node
        await c.acquireOne();
        await expect(a.cluster.findOrphans()).resolves.toEqual(['c']);
        await expect(a.cluster.recoverOrphan('b', OPTIONS)).resolves.toBeNull();
        await expect(a.cluster.recoverOrphan('c', OPTIONS)).resolves.toMatchObject({ released: 1, recovered: [{}] });
        await expect(a.cluster.findOrphans()).resolves.toEqual([]);
      });
    });

    describe('with triggers in every state', () => {
      it('leave nothing to repair for the sweeper', async () => {
        await a.schedule(job('serial', { disallowConcurrentExecution: true }), everyMinute('s1'), everyMinute('s2'));
        await a.scheduleAll(everyMinute('t1'), everyMinute('t2'), once('t3'));
        await a.store.pauseTriggers([triggerKey('t2'), triggerKey('s2')]);
        await a.fireDue({ maxCount: 2 });
        await b.acquire();
        await expect(a.cluster.sweep(100)).resolves.toEqual({ released: 0, unblocked: 0 });
        await expect(a.cluster.sweepTypeRows({ after: null, maxCount: 100 })).resolves.toEqual({
          failed: [],
          next: null,
        });
        await expect(a.cluster.findOrphans()).resolves.toEqual([]);
      });
    });

    describe('that watch each other', () => {
      const watch = { instanceId: 'a', epoch: 'a 1', lookBack: 2_000, isCounted: true };

      it('detect changes of future triggers, and the earliest fire time', async () => {
        const { now, ...empty } = await a.cluster.watchChanges(watch);
        expect(empty).toMatchObject({ earliest: null, signalNumber: 0 });
        await b.scheduleAll(
          once('old', { startTime: now - HOUR }),
          once('next', { startTime: now + HOUR }),
          once('later', { startTime: now + 2 * HOUR }),
        );
        const seen = await a.cluster.watchChanges(watch);
        expect(seen.earliest).toBe(now + HOUR);
        expect(seen.fingerprint).not.toBe(empty.fingerprint);
        await expect(a.cluster.watchChanges(watch)).resolves.toMatchObject({ fingerprint: seen.fingerprint });
        await b.schedule(job('another'), once('behind', { startTime: now + 3 * HOUR }));
        const behind = await a.cluster.watchChanges(watch);
        expect(behind.earliest).toBe(now + HOUR);
        expect(behind.fingerprint).not.toBe(seen.fingerprint);
      });

      it('count overdue triggers if requested', async () => {
        const counted = async () => (await a.cluster.watchChanges(watch)).backlog;
        await expect(counted()).resolves.toMatchObject({ count: 0 });
        const { now } = await a.cluster.watchChanges(watch);
        await b.scheduleAll(once('one', { startTime: now - HOUR }), once('other', { startTime: now - MINUTE }));
        const two = await counted();
        expect(two).toMatchObject({ count: 2 });
        await expect(counted()).resolves.toEqual(two);
        await expect(a.cluster.watchChanges({ ...watch, isCounted: false })).resolves.toMatchObject({ backlog: null });
        await b.store.pauseTriggers([triggerKey('one')]);
        await b.schedule(job('third'), once('third', { startTime: now - 2 * HOUR }));
        const others = await counted();
        expect(others).toMatchObject({ count: 2 });
        expect(others).not.toEqual(two);
      });

      it('find backlog triggers of their own job types, and misfired ones of any type', async () => {
        const { now } = await a.cluster.watchChanges(watch);
        const asking = (jobTypes: readonly string[]) =>
          a.acquire({ now: now - HOUR, noLaterThan: now - HOUR, misfireThreshold: MINUTE, jobTypes });
        await b.scheduleAll(once('late', { startTime: now - 10_000 }));
        await expect(a.cluster.findInBacklog(now)).resolves.toBeNull(); // no acquisition yet
        await asking(['another']);
        await expect(a.cluster.findInBacklog(now)).resolves.toBeNull();
        await expect(a.cluster.findInBacklog(now + MINUTE)).resolves.toBe(now - 10_000); // misfired by then, whoever runs it
        await asking(['another', 'sample']);
        await expect(a.cluster.findInBacklog(now)).resolves.toBe(now - 10_000);
        await expect(a.cluster.findInBacklog(now - 10_001)).resolves.toBeNull();
      });

      it('receive signals in order, and acknowledge them', async () => {
        const first = { type: 'interruptJob', jobKey: jobKey('任务', '组') } as const;
        await expect(b.cluster.sendSignal(['a', 'nobody'], first)).resolves.toEqual([
          { instanceId: 'a', epoch: a.identity.epoch, number: 1 },
        ]);
        await b.cluster.sendSignal(['a', 'b'], { type: 'confirmStarted' });
        await expect(a.cluster.watchChanges(watch)).resolves.toMatchObject({ signalNumber: 2 });
        await expect(a.cluster.receiveSignals(a.identity, 0)).resolves.toEqual([
          { number: 1, signal: first },
          { number: 2, signal: { type: 'confirmStarted' } },
        ]);
        await expect(a.cluster.receiveSignals(a.identity, 1)).resolves.toHaveLength(1);
        await a.cluster.acknowledgeSignals(a.identity, 2);
        await a.cluster.acknowledgeSignals(a.identity, 1);
        expect((await a.record()).signalSeen).toBe(2);
        await b.cluster.sendSignal(['a'], { type: 'confirmStarted' });
        await expect(a.cluster.receiveSignals(a.identity, 0)).resolves.toMatchObject([{ number: 3 }]);
      });

      it('lose no signal of concurrent senders', async () => {
        await Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            [a, b][index % 2]?.cluster.sendSignal(['a', 'b'], { type: 'interruptRun', runId: `run ${index}` }),
          ),
        );
        await expect(a.cluster.receiveSignals(a.identity, 0)).resolves.toHaveLength(10);
        await expect(b.cluster.receiveSignals(b.identity, 0)).resolves.toHaveLength(10);
      });

      it('keep only the newest signal of each kind until the node processes it', async () => {
        const ofJob = { type: 'interruptJob', jobKey: jobKey('job') } as const;
        const [one, two] = ['one', 'two'].map((runId) => ({ type: 'interruptRun', runId }) as const);
        const sent = [
          { type: 'drain' },
          one,
          { type: 'confirmStarted' },
          ofJob,
          two,
          { type: 'undrain' },
          ofJob,
        ] as const;
        for (const signal of sent) await b.cluster.sendSignal(['a'], signal as NodeSignal);
        for (let count = 0; count < 60; count++) await b.cluster.sendSignal(['a'], { type: 'confirmStarted' });
        await expect(a.cluster.receiveSignals(a.identity, 0)).resolves.toEqual([
          { number: 2, signal: one },
          { number: 5, signal: two },
          { number: 6, signal: { type: 'undrain' } },
          { number: 7, signal: ofJob },
          { number: 67, signal: { type: 'confirmStarted' } },
        ]);
      });

      it('refuse an interrupt if a node has too many unprocessed ones, and still drain that node', async () => {
        const interrupting = (runId: string) => ({ type: 'interruptRun', runId: runId.repeat(30_000) }) as const;
        for (const each of ['x', 'y']) await a.cluster.sendSignal(['b'], interrupting(each));
        await expect(a.cluster.sendSignal(['a', 'b'], interrupting('z'))).rejects.toMatchObject({
          code: 'SCHEDULER_STATE',
          message: expect.stringMatching(
            /'b' has 2 unprocessed interrupts.* No interrupt was sent to any node.* restart/s,
          ),
        });
        // The signal for a was written first, and is rolled back.
        await expect(a.cluster.receiveSignals(a.identity, 0)).resolves.toEqual([]);
        await a.cluster.sendSignal(['b'], { type: 'drain' });
        await a.cluster.sendSignal(['b'], { type: 'confirmStarted' });
        await expect(b.cluster.receiveSignals(b.identity, 0)).resolves.toMatchObject([
          { signal: interrupting('x') },
          { signal: interrupting('y') },
          { signal: { type: 'drain' } },
          { signal: { type: 'confirmStarted' } },
        ]);
        await b.cluster.acknowledgeSignals(b.identity, 4);
        await expect(a.cluster.sendSignal(['b'], interrupting('z'))).resolves.toMatchObject([{ number: 5 }]);
      });

      it('have no signals in a new incarnation', async () => {
        await b.cluster.sendSignal(['a'], { type: 'confirmStarted' });
        await a.join(await a.record(), 'a 2');
        await expect(a.cluster.watchChanges(watch)).resolves.toMatchObject({ signalNumber: null });
        await expect(a.cluster.watchChanges({ ...watch, epoch: 'a 2' })).resolves.toMatchObject({ signalNumber: 0 });
        await expect(a.cluster.receiveSignals(a.identity, 0)).resolves.toEqual([]);
      });

      it('list the runs that execute on all nodes', async () => {
        await a.scheduleAll(everyMinute('one'), everyMinute('two'), everyMinute('three', { startTime: NOW + MINUTE }));
        const [first, second] = [await a.fireOne(), await b.fireOne()];
        await b.acquireOne();
        const firings = await a.cluster.getFirings();
        expect(firings.map(({ runId }) => runId).sort()).toEqual([first, second].map(({ runId }) => runId).sort());
        expect(firings.find(({ instanceId }) => instanceId === 'b')).toEqual({
          runId: second.runId,
          instanceId: 'b',
          triggerKey: second.trigger.key,
          jobKey: jobKey('job'),
          fireTime: second.fireTime,
          scheduledFireTime: NOW,
          recovering: false,
          progress: null,
          interruption: null,
        });
        expect(namesOf([first, second])).toHaveLength(2);
      });

      it('show the progress and the last log lines of runs while they execute', async () => {
        await a.scheduleAll(everyMinute('one'), everyMinute('two'));
        const [mine, quiet] = [await a.fireOne(), await a.fireOne()];
        const line = { at: NOW, level: 'info', message: 'läuft 😀', data: { n: 1 } } as const;
        const note = {
          runId: mine.runId,
          progress: { fraction: 0.25, message: 'a quarter', at: NOW },
          tail: { skipped: 3, lines: [line] },
          interruption: null,
        };
        const progressOf = async () =>
          new Map((await b.cluster.getFirings()).map((each) => [each.runId, each.progress]));
        const running = { instanceId: 'a', jobKey: jobKey('job'), fireTime: mine.fireTime };
        await b.cluster.saveProgress([note], []); // it is not b's
        expect((await progressOf()).get(mine.runId)).toBeNull();
        await a.cluster.saveProgress([note, { ...note, runId: 'nobody' }], []);
        expect((await progressOf()).get(mine.runId)).toEqual(note.progress);
        expect((await progressOf()).get(quiet.runId)).toBeNull();
        expect(await b.cluster.findRunning(mine.runId)).toEqual({
          ...running,
          progress: note.progress,
          tail: note.tail,
        });
        expect(await b.cluster.findRunning(quiet.runId)).toMatchObject({ tail: { skipped: 0, lines: [] } });
        const later = { ...note, progress: { fraction: 1, message: null, at: NOW + 1 } };
        await a.cluster.saveProgress([later], []);
        expect((await progressOf()).get(mine.runId)).toEqual(later.progress);
        await a.cluster.saveProgress([], [mine.runId]);
        expect((await progressOf()).get(mine.runId)).toBeNull();
      });

      it('show when and by whom runs were interrupted, with or without progress', async () => {
        await a.scheduleAll(everyMinute('one'), everyMinute('two'), everyMinute('three'));
        const [one, two, three] = [await a.fireOne(), await a.fireOne(), await a.fireOne()];
        const silent = { progress: null, tail: { skipped: 0, lines: [] } };
        const [known, unknown] = [
          { at: NOW, by: 'änn 任务' },
          { at: NOW + 1, by: null },
        ];
        await a.cluster.saveProgress(
          [
            { ...silent, runId: one.runId, interruption: known },
            { ...silent, runId: two.runId, interruption: unknown },
          ],
          [],
        );
        const found = new Map((await b.cluster.getFirings()).map((each) => [each.runId, each.interruption]));
        expect([one, two, three].map(({ runId }) => found.get(runId))).toEqual([known, unknown, null]);
      });

      it('show nothing of an ended run, and delete its progress', async () => {
        await a.scheduleAll(everyMinute());
        const firing = await a.fireOne();
        const { runId } = firing;
        const note = {
          runId,
          progress: { fraction: 0.5, message: null, at: NOW },
          tail: { skipped: 0, lines: [] },
          interruption: null,
        };
        await a.cluster.saveProgress([note], []);
        await a.complete(firing);
        expect(await b.cluster.findRunning(runId)).toBeNull();
        expect(await b.cluster.getFirings()).toEqual([]);
        await b.cluster.sweep(10);
        // With the same id it would be visible again.
        const [again] = await a.acquire({ maxCount: 1, noLaterThan: NOW + MINUTE });
        expect(again?.runId).not.toBe(runId);
        await a.cluster.saveProgress([note], []);
        expect(await b.cluster.findRunning(runId)).toBeNull();
      });
    });

    it('do not see nodes of another scheduler in the same tables', async () => {
      const [other] = await createNodes(['a']);
      if (other === undefined) throw new Error('Expected a node.');
      const stranger = new NodeDriver(other, 'a');
      await stranger.open();
      await expect(stranger.instanceIds()).resolves.toEqual([]);
      await stranger.join();
      await a.scheduleAll(everyMinute());
      await a.fireOne();
      await stranger.cluster.recoverInstance(await stranger.record(), OPTIONS);
      await expect(stranger.cluster.getFirings()).resolves.toEqual([]);
      await expect(a.cluster.getFirings()).resolves.toHaveLength(1);
      await expect(a.instanceIds()).resolves.toEqual(['a', 'b']);
      await stranger.store.close();
    });
  });
}
