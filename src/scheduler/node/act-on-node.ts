import type { Gate } from '../../base/gate';
import { REQUEST_PATIENCE } from '../../cluster/cluster-requests';
import type { NodeHooks } from '../../cluster/node-hooks';
import type { Engine } from '../../engine/engine';
import type { EventBus } from '../../events/event-bus';
import type { NodeSignal } from '../../store/cluster-store';

export interface ActingParts {
  readonly engine: Pick<
    Engine,
    'abortJobs' | 'scheduleChanged' | 'storeAvailable' | 'interruptJob' | 'interruptFireInstance' | 'whenBegun'
  >;
  readonly bus: Pick<EventBus, 'publish'>;
  /** In front of the trigger loop. */
  readonly gate: Gate;
}

/** What the scheduler does when its node tells something. */
export function actOnNode({ engine, bus, gate }: ActingParts): NodeHooks {
  return {
    publish: (event) => bus.publish(event),
    firingAllowed: (isAllowed) => (isAllowed ? gate.open() : gate.close()),
    leaseLost: () => engine.abortJobs(),
    scheduleChanged: (earliest) => engine.scheduleChanged(earliest),
    storeAvailable: () => engine.storeAvailable(),
    receive: (signal) => receive(engine, signal),
  };
}

async function receive(engine: ActingParts['engine'], signal: NodeSignal): Promise<void> {
  switch (signal.type) {
    case 'interruptJob':
      engine.interruptJob(signal.jobKey);
      return;
    case 'interruptFireInstance':
      engine.interruptFireInstance(signal.fireInstanceId);
      return;
    case 'settle':
      // Who asked has given up by then, and knows that this node did not answer.
      await engine.whenBegun(REQUEST_PATIENCE);
      return;
  }
}
