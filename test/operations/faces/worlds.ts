import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import type { Scheduler } from '../../../src/api/scheduler';
import { hashToken, newToken } from '../../../src/base/secret-hash';
import { closeAll, serve, testConsole } from '../../console/support';
import { type Ask, buildPageApi, byCommand, byHttp, byPage, OWN_NAME } from './faces';
import { openOn, SCHEDULER } from './furnished';

/** A copy of a filled store, a console on it, and every interface to it. */
export interface World {
  readonly file: string;
  readonly scheduler: Scheduler;
  readonly faces: Readonly<Record<FaceName, Ask>>;
  /** Interfaces of the server: `lookers` have the role viewer, and `strangers` are not authenticated. */
  readonly lookers: Readonly<Record<string, Ask>>;
  readonly strangers: Readonly<Record<string, Ask>>;
  close(): Promise<void>;
}

export const FACES = ['command', 'command on a server', 'http', 'page'] as const;
export type FaceName = (typeof FACES)[number];

/** `via` of each interface in the action log. */
export const VIA: Readonly<Record<FaceName, string>> = {
  command: 'command',
  'command on a server': 'http',
  http: 'http',
  page: 'console',
};

const OWN = newToken();
const VIEWERS = newToken();

let count = 0;
let page: Promise<Script> | null = null;

/** Opens a copy of the store. The scheduler behind the console is not started. */
export async function openWorld(folder: string, from: string, instanceId = 'console'): Promise<World> {
  const file = join(folder, `world-${++count}.db`);
  copyFileSync(from, file);
  const scheduler = await openOn(file, instanceId);
  const tokens = { [OWN_NAME]: `admin ${hashToken(OWN)}`, vic: `viewer ${hashToken(VIEWERS)}` };
  const { url } = await serve(testConsole(scheduler, { auth: undefined as never, tokens }).listener);
  const config = `${file}.yaml`;
  writeFileSync(config, configOf(file));
  const server = ['--server', url, '--scheduler', SCHEDULER];
  page ??= buildPageApi();
  const code = await page;
  const facesOf = (token: string) => ({
    'command on a server': byCommand(server, { folder, env: { QUARTZ_TOKEN: token } }),
    http: byHttp(url, token),
    page: openedOnce(() => byPage(code, url, token)),
  });
  return {
    file,
    scheduler,
    faces: { command: byCommand(['--config', config], { folder }), ...facesOf(OWN) },
    lookers: facesOf(VIEWERS),
    strangers: {
      'command on a server': byCommand(server, { folder }),
      http: byHttp(url, null),
      // A user without a session, after logging out.
      page: async (name, input) => {
        const left = await byPage(code, url, OWN);
        left.logOut();
        return left(name, input);
      },
    },
    async close() {
      await closeAll();
      await scheduler.shutdown();
    },
  };
}

/** Opens the page at its first use, because most tests use another interface. */
function openedOnce(open: () => Promise<Ask>): Ask {
  let opened: Promise<Ask> | undefined;
  return async (name, input) => {
    opened ??= open();
    return (await opened)(name, input);
  };
}

const configOf = (file: string) => `
scheduler: { instanceName: ${SCHEDULER}, timeZone: Europe/Berlin, logLevel: silent }
jobStore: { class: sqlite, path: ${file}, clusterCheckinInterval: 3600000 }
`;
