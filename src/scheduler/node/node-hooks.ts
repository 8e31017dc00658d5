import { fromTransferredError, type TransferredError, toTransferredError } from '../../api/transferred-error';
import type { Gate } from '../../base/gate';
import type { NodeHooks } from '../../cluster/node-hooks';
import { REQUEST_TIMEOUT_MS } from '../../cluster/signals';
import type { SchedulerEvent } from '../../domain/scheduler-event';
import type { Engine } from '../../engine/engine';
import type { EventBus } from '../../events/event-bus';
import type { NodeSignal } from '../../store/cluster-store';
import type { Connection } from '../../store/thread/connection';
import { interruptHere } from '../interrupts';

export type HookedEngine = Pick<
  Engine,
  'abortJobs' | 'scheduleChanged' | 'setOthers' | 'storeAvailable' | 'interruptJob' | 'interruptRun' | 'whenStarted'
>;

interface HookedDraining {
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

/**
 * Creates the hooks through which the node calls the scheduler. The node is created before the engine and the listeners. Until `connect` is called,
 * the hooks queue events, and hooks that need the engine do nothing. `gate` is the gate of the trigger loop.
 */
export function schedulerHooks(bus: Pick<EventBus, 'publish'>, gate: Gate) {
  let engine: HookedEngine | null = null;
  let draining: HookedDraining | null = null;
  const early: SchedulerEvent[] = [];
  const hooks: NodeHooks = {
    publish(event) {
      if (engine === null) early.push(event);
      else bus.publish(event);
    },
    firingAllowed: (isAllowed) => (isAllowed ? gate.open() : gate.close()),
    leaseLost: () => engine?.abortJobs(),
    scheduleChanged: (earliest) => engine?.scheduleChanged(earliest),
    othersTakeWork: (takeWork) => engine?.setOthers(takeWork),
    storeAvailable: () => engine?.storeAvailable(),
    async receive(signal) {
      if (engine !== null) await act(engine, draining, signal);
    },
  };
  const connect = (connected: HookedEngine, hooked: HookedDraining | null = null) => {
    engine = connected;
    draining = hooked;
    for (const event of early.splice(0)) bus.publish(event);
  };
  return { hooks, connect };
}

async function act(engine: HookedEngine, draining: HookedDraining | null, signal: NodeSignal): Promise<void> {
  switch (signal.type) {
    case 'interruptJob':
    case 'interruptRun':
      await interruptHere(engine, signal);
      return;
    case 'drain':
      await draining?.begin();
      return;
    case 'undrain':
      await draining?.end();
      return;
    case 'confirmStarted':
      // The requester's equal timeout began earlier: if this wait times out, the requester already knows that this node did not confirm.
      await engine.whenStarted(REQUEST_TIMEOUT_MS);
      return;
  }
}

/** Creates hooks for the store's thread that forward each call to the main thread. */
export function remoteHooks(scheduler: Pick<Connection, 'call' | 'notify'>): NodeHooks {
  const notice =
    (hook: keyof NodeHooks) =>
    (...args: readonly unknown[]) =>
      scheduler.notify('hooks', hook, args);
  return {
    firingAllowed: notice('firingAllowed'),
    leaseLost: notice('leaseLost'),
    scheduleChanged: notice('scheduleChanged'),
    othersTakeWork: notice('othersTakeWork'),
    storeAvailable: notice('storeAvailable'),
    publish(event) {
      // Structured cloning would lose the class and the code of an error.
      const error = 'error' in event && event.error !== null ? toTransferredError(event.error) : null;
      scheduler.notify('hooks', 'publish', [error === null ? event : { ...event, error: null }, error]);
    },
    async receive(signal) {
      await scheduler.call('hooks', 'receive', [signal]);
    },
  };
}

/** Returns the object in the main thread that receives the calls of `remoteHooks`. */
export function servedHooks(hooks: NodeHooks): object {
  const publish = (event: SchedulerEvent, error: TransferredError | null) =>
    hooks.publish(error === null ? event : ({ ...event, error: fromTransferredError(error) } as SchedulerEvent));
  return { ...hooks, publish };
}
