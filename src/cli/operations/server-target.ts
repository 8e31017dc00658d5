import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SystemClock } from '../../base/clock';
import { toError } from '../../base/errors';
import { createClient } from '../../operations/client';
import { Problem } from '../../operations/problem';
import { routeManifest } from '../../operations/route-manifest';
import type { CommandContext } from '../command';
import { warn } from '../database-options';
import { CommandFailure, usageError } from '../exit-codes';
import { ServerStreams } from './server-streams';
import type { Target, TargetOptions } from './target';

/** Environment variable with the token for a server. `--token-file` takes precedence. */
export const TOKEN = 'QUARTZ_TOKEN';

/** Opens a scheduler through the console at a URL. Rejects with CommandFailure, or with the console's `Problem`. */
export async function openServerTarget(
  options: TargetOptions & { readonly server: string },
  context: CommandContext,
): Promise<Target> {
  const url = addressOf(options.server);
  const token = await tokenOf(options, context);
  if (token !== undefined && url.protocol === 'http:' && !isThisMachine(url.hostname))
    warn(context.output, 'The token is sent over the network unencrypted. Use an https:// address.', options.json);
  const access = { url, ...(token === undefined ? {} : { token }) };
  const scheduler = options.scheduler ?? (await onlyScheduler(access));
  const client = createClient({ ...access, scheduler, routes: routeManifest() });
  const streams = new ServerStreams(client, new SystemClock());
  return {
    perform: ({ name, input }) => reached(url, client.call(name, input as never)),
    followLines: (runId, report, signal) => streams.followLines(runId, report, signal),
    untilChange: (signal) => streams.untilChange(signal),
    close: () => streams.close(),
  };
}

function addressOf(server: string): URL {
  const url = URL.parse(server);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError('expected an address such as https://host/path as --server.');
  }
  if (url.username === '' && url.password === '') return url;
  throw usageError(`expected no login in --server. Put the token into ${TOKEN} or --token-file.`);
}

const isThisMachine = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);

async function tokenOf({ tokenFile }: TargetOptions, { env, folder }: CommandContext): Promise<string | undefined> {
  if (tokenFile === undefined) return env[TOKEN] === '' ? undefined : env[TOKEN];
  const text = await readFile(resolve(folder, tokenFile), 'utf8').catch((error: Error) => {
    throw usageError(`The file of --token-file cannot be read: ${error.message}.`);
  });
  return text.trim();
}

/** Timeout of the first request, in milliseconds. The server answers that request without access to its store. */
const TIMEOUT_MS = 15_000;

/** Returns the name of the only scheduler. Rejects with CommandFailure if there are none or several, or with a `Problem` for a refused token. */
async function onlyScheduler({ url, token }: { readonly url: URL; readonly token?: string }): Promise<string> {
  const address = `${url.href.replace(/[?#].*$/s, '').replace(/\/*$/, '/')}api/session`;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await reached(url, fetch(address, { headers, redirect: 'error', signal }));
  const answer = (await response.json().catch(() => null)) as {
    schedulers?: unknown;
    code?: string;
    detail?: string;
  } | null;
  if (response.status === 429) throw new Problem('TOO_MANY_REQUESTS', answer?.detail ?? 'Too many failed attempts.');
  if (response.status === 401) throw new Problem('UNAUTHENTICATED', answer?.detail ?? noToken(token));
  if (!response.ok || !Array.isArray(answer?.schedulers))
    throw new CommandFailure(
      'SERVER',
      `Expected a console of quartz-ts at ${url.href}, found status ${response.status}.`,
    );
  const names = answer.schedulers as readonly string[];
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  throw usageError(`expected --scheduler <name>, because the server has several schedulers: ${names.join(', ')}.`);
}

function noToken(token: string | undefined): string {
  return token === undefined
    ? `The server requires a token. Put it into ${TOKEN}, or into a file for --token-file.`
    : 'The server rejected this token.';
}

async function reached<T>(url: URL, response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (thrown) {
    if (thrown instanceof Problem) throw thrown;
    const { message, cause } = toError(thrown);
    const why = cause instanceof Error && cause.message !== '' ? cause.message : message;
    throw new CommandFailure('SERVER', `The server at ${url.origin} cannot be reached: ${why}.`, { cause: thrown });
  }
}
