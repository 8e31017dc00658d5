import type { Scheduler } from '../api/scheduler';
import { checkText } from '../domain/check-text';
import { LIMITS } from '../domain/limits';
import type { SchedulerParts } from './scheduler-parts';

/** Takes nodes out of work, and puts them back. */
export function drainMethods({
  config,
  lifecycle,
  draining,
  requests,
}: SchedulerParts): Pick<Scheduler, 'drain' | 'undrain'> {
  const tell = async (type: 'drain' | 'undrain', instanceId: string | undefined): Promise<boolean> => {
    lifecycle.assertUsable();
    const which =
      instanceId === undefined ? config.instanceId : checkText(instanceId, 'an instance id', LIMITS.instanceId);
    if (which !== config.instanceId) return (await requests?.tell(which, { type })) ?? false;
    if (type === 'drain') return draining.begin();
    await draining.end();
    return true;
  };
  return {
    drain: (instanceId) => tell('drain', instanceId),
    undrain: (instanceId) => tell('undrain', instanceId),
  };
}
