import type { Hono } from 'hono';
import type { SchedulerHealth } from '../api/reading';
import { isKnownHost } from './auth/same-site';
import type { ServedScheduler } from './served-schedulers';

interface HealthParts {
  readonly served: readonly ServedScheduler[];
  readonly knownHosts: readonly string[] | null;
}

/** What each probe asks for. */
export const PROBES: Readonly<Record<'live' | 'ready' | 'startup', (health: SchedulerHealth) => boolean>> = {
  live: ({ isLive }) => isLive,
  ready: ({ isReady }) => isReady,
  startup: ({ hasStarted }) => hasStarted,
};

/**
 * Probes for those who look after processes, which have no credentials: they say what holds, and nothing else; by the name of a host that is
 * not known, which a page of another site may have made up, only whether it is good. 503 as soon as one of the schedulers is not what was
 * asked for.
 */
// biome-ignore lint/suspicious/noExplicitAny: it uses nothing of the environment
export function addHealth(app: Hono<any>, { served, knownHosts }: HealthParts): void {
  for (const [name, holds] of Object.entries(PROBES)) {
    app.get(`/health/${name}`, async ({ req }) => {
      const healths = await Promise.all(served.map(({ scheduler }) => scheduler.health()));
      const isGood = healths.every(holds);
      const isKnown = knownHosts === null || isKnownHost(req.raw, knownHosts);
      const details = isKnown ? { schedulers: healths.map(({ isLive, isReady, ...checks }) => checks) } : {};
      return new Response(JSON.stringify({ status: isGood ? 'pass' : 'fail', ...details }), {
        status: isGood ? 200 : 503,
        headers: { 'content-type': 'application/health+json', 'cache-control': 'no-store' },
      });
    });
  }
}
