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
  const setDraining = async (isDraining: boolean, instanceId: string | undefined): Promise<boolean> => {
    lifecycle.assertUsable();
    const which =
      instanceId === undefined ? config.instanceId : checkText(instanceId, 'an instance id', LIMITS.instanceId);
    if (which !== config.instanceId) return (await requests?.setDraining(which, isDraining)) ?? false;
    if (isDraining) return draining.begin();
    await draining.end();
    return true;
  };
  return {
    drain: (instanceId) => setDraining(true, instanceId),
    undrain: (instanceId) => setDraining(false, instanceId),
  };
}
