import type { Hono } from 'hono';
import type { SchedulerHealth } from '../api/reading';
import { isKnownHost } from './auth/same-site';
import type { ServedScheduler } from './served-schedulers';

interface HealthParts {
  readonly served: readonly ServedScheduler[];
  readonly knownHosts: readonly string[] | null;
}

/** Condition that a scheduler must meet to pass each health probe. */
export const PROBES: Readonly<Record<'live' | 'ready' | 'startup', (health: SchedulerHealth) => boolean>> = {
  live: ({ isLive }) => isLive,
  ready: ({ isReady }) => isReady,
  startup: ({ hasStarted }) => hasStarted,
};

/**
 * Adds health probes, which need no authentication because supervisors have no credentials. A probe responds with 503 if at least one scheduler fails
 * it. If the request is for an unknown host name, the response contains only the status, because the request may be from a malicious page.
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
