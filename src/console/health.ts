import type { Hono } from 'hono';
import type { SchedulerHealth } from '../api/reading';
import type { ServedScheduler } from './served-schedulers';

/** What each probe asks for. */
const PROBES: Readonly<Record<'live' | 'ready' | 'startup', (health: SchedulerHealth) => boolean>> = {
  live: ({ isLive }) => isLive,
  ready: ({ isReady }) => isReady,
  startup: ({ hasStarted }) => hasStarted,
};

/**
 * Probes for those who look after processes, which have no credentials: they say what holds, and nothing else. 503 as soon as one of the
 * schedulers is not what was asked for.
 */
// biome-ignore lint/suspicious/noExplicitAny: it uses nothing of the environment
export function addHealth(app: Hono<any>, served: readonly ServedScheduler[]): void {
  for (const [name, holds] of Object.entries(PROBES)) {
    app.get(`/health/${name}`, async () => {
      const healths = await Promise.all(served.map(({ scheduler }) => scheduler.health()));
      const isGood = healths.every(holds);
      const schedulers = healths.map(({ isLive, isReady, ...checks }) => checks);
      return new Response(JSON.stringify({ status: isGood ? 'pass' : 'fail', schedulers }), {
        status: isGood ? 200 : 503,
        headers: { 'content-type': 'application/health+json', 'cache-control': 'no-store' },
      });
    });
  }
}
