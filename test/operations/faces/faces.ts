import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { createContext, Script } from 'node:vm';
import { build } from 'esbuild';
import { EXIT_CODES } from '../../../src/cli/exit-codes';
import { entryOf } from '../../../src/cli/operations/operation-entry';
import { Output } from '../../../src/cli/output';
import { runProgram } from '../../../src/cli/program';
import type { Operation } from '../../../src/operations/operation';
import { OPERATIONS, type OperationName } from '../../../src/operations/operations';
import { routeManifest } from '../../../src/operations/route-manifest';
import { ENDPOINTS, resolved } from '../../console/openapi-document';
import { SCHEDULER } from './furnished';

/* The interfaces of the operations: a command line, a request by the OpenAPI document, and the code of the page. */

type Input = Readonly<Record<string, unknown>>;

/** The output of an operation, or the code of its problem with the faulty fields. */
export type Answer =
  | { readonly output: unknown }
  | {
      readonly code: string;
      /** Null if the parser of the command line refused the input, with a message of its own. */
      readonly fields: readonly { readonly field: string; readonly message: string }[] | null;
    };

export type Ask = (name: OperationName, input: Input) => Promise<Answer>;

/** User that runs this test: commands on a store act under this name. */
export const OWN_NAME = userInfo().username;

export interface Shell {
  /** Folder for files. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs operations by command lines, in this process. `target`: options that select the scheduler. */
export function byCommand(target: readonly string[], { folder, env = {} }: Shell): Ask {
  return async (name, input) => {
    const written: string[] = [];
    const noted: string[] = [];
    const output = new Output({
      stdout: { write: (text) => written.push(text) },
      stderr: { write: (text) => noted.push(text) },
      colors: { stdout: false, stderr: false },
    });
    const { textField } = OPERATIONS[name].command as Operation['command'];
    if (textField !== undefined) writeFileSync(join(folder, fileOf(input)), String(input[textField] ?? ''));
    const code = await runProgram(commandLine(name, input, target), { output, env, folder });
    const { CHANGES, PROBLEMS } = EXIT_CODES;
    if ([0, CHANGES.code, PROBLEMS.code].some((each) => each === code)) return { output: JSON.parse(written.join('')) };
    const { error } = JSON.parse(noted.at(-1) ?? '') as { error: { code?: string; reason: string; problems?: [] } };
    if (error.code === undefined && error.reason === 'USAGE') return { code: 'INVALID_INPUT', fields: null };
    return { code: error.code ?? error.reason, fields: error.problems ?? [] };
  };
}

/** Arguments of the command line for an input. */
function commandLine(name: OperationName, input: Input, target: readonly string[]): readonly string[] {
  const { effect } = OPERATIONS[name];
  const { fields, operation, isBulk } = entryOf(name, OPERATIONS[name] as never);
  const { words, arguments: positions = [], textField } = operation.command;
  const isKey = positions.includes('name') && 'group' in input;
  const given = Object.entries(input).filter(
    ([field]) => !(isKey && field === 'group') && field !== textField && !(isBulk && field === 'dryRun'),
  );
  const texts = (field: string, value: unknown) => {
    if (isKey && field === 'name') return [`${input.group}/${value}`];
    const { isList, kind } = fields.find((each) => each.name === field) ?? {};
    return (isList ? [value].flat() : [value]).map((each) => textOf(each, kind === 'key'));
  };
  const byPosition =
    textField === undefined
      ? positions.flatMap((field) => (field in input ? texts(field, input[field]) : []))
      : [fileOf(input)];
  const options = given
    .filter(([field]) => !positions.includes(field))
    .flatMap(([field, value]) => {
      const word = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      if (typeof value === 'boolean') return [`--${value ? '' : 'no-'}${word}`];
      return texts(field, value).map((text) => `--${word}=${text}`);
    });
  const sure = (isBulk ? input.dryRun === false : effect === 'destroys') ? ['--yes'] : [];
  return [...words, ...options, ...sure, '--json', ...target, '--', ...byPosition];
}

/** `group/name` for a key; JSON, which is YAML too, for other values that are not text. */
function textOf(value: unknown, isKey: boolean): string {
  if (typeof value === 'string') return value;
  const { group, name } = value as { readonly group?: string; readonly name?: string };
  return isKey ? `${group}/${name}` : JSON.stringify(value);
}

const fileOf = ({ file = 'schedule.yaml' }: Input) => String(file);

/** Runs operations over HTTP, only by the OpenAPI document. */
export function byHttp(url: string, token: string | null): Ask {
  return async (name, input) => {
    const found = ENDPOINTS.find(({ operation }) => operation.operationId === name);
    if (found === undefined) throw new Error(`The document has no operation ${name}.`);
    const parameters = found.operation.parameters.map(resolved);
    const inPath = parameters.filter((each) => each.in === 'path').map((each) => each.name);
    const path = found.path
      .replace('{scheduler}', encodeURIComponent(SCHEDULER))
      .replace(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(input[field] ?? 'DEFAULT')));
    const rest = Object.entries(input).filter(([field]) => !inPath.includes(field));
    const hasBody = found.operation.requestBody !== undefined;
    const query = new URLSearchParams();
    for (const [field, value] of hasBody ? [] : rest)
      for (const each of [value].flat()) query.append(field, String(each));
    const response = await fetch(`${url}${path}?${query}`, {
      method: found.method.toUpperCase(),
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
    });
    const body = (await response.json()) as { readonly code: string; readonly errors?: [] };
    return response.ok ? { output: body } : { code: body.code, fields: body.errors ?? [] };
  };
}

/** The part of the page that sends requests. */
interface PageApi {
  call(name: OperationName, input: Input): Promise<unknown>;
  logIn(credentials: { readonly secret: string }): Promise<void>;
  loadSession(): Promise<void>;
}

/** Builds the code of web/ that sends requests, as for browsers. */
export async function buildPageApi(): Promise<Script> {
  const routes = `export const ROUTES = ${JSON.stringify(routeManifest())};`;
  const { outputFiles } = await build({
    entryPoints: [resolve(__dirname, '../../../web/src/state/api.ts')],
    bundle: true,
    format: 'cjs',
    write: false,
    plugins: [
      {
        name: 'routes',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^quartz-ts:routes$/ }, ({ path }) => ({ path, namespace: 'routes' }));
          onLoad({ filter: /.*/, namespace: 'routes' }, () => ({ contents: routes, loader: 'js' }));
        },
      },
    ],
  });
  return new Script((outputFiles[0] as { readonly text: string }).text);
}

/** Runs operations by the code of the page, with minimal browser globals, logged in with the token. */
export async function byPage(code: Script, url: string, token: string): Promise<Ask & { readonly logOut: () => void }> {
  const module = { exports: {} as PageApi };
  const document = { baseURI: `${url}/#/jobs`, visibilityState: 'hidden', addEventListener: () => {} };
  const browser = browserAt(url);
  const globals = { URL, URLSearchParams, setTimeout, clearTimeout, setInterval: () => 0 };
  code.runInContext(createContext({ module, document, fetch: browser.fetch, ...globals }));
  const { call, logIn, loadSession } = module.exports;
  await logIn({ secret: token });
  await loadSession();
  const ask: Ask = (name, input) =>
    call(name, input).then(
      (output) => ({ output }),
      (error: { readonly code: string; readonly fields: [] }) => {
        if (error.code === undefined) throw error;
        return { code: error.code, fields: error.fields };
      },
    );
  return Object.assign(ask, { logOut: browser.forget });
}

/** A `fetch` that keeps the cookie and sends the origin, like a browser. */
function browserAt(origin: string): { readonly fetch: typeof fetch; readonly forget: () => void } {
  let cookie = '';
  return {
    async fetch(address, init = {}) {
      const headers = { ...(init.headers as object), origin, 'sec-fetch-site': 'same-origin', cookie };
      const response = await fetch(address, { ...init, headers });
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      return response;
    },
    forget() {
      cookie = '';
    },
  };
}
