import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const START_PATIENCE = 20_000;

let socket: Promise<Socket> | null = null;
let count = 0;
const waiting = new Map<number, Waiting>();

/** Sends a request to the process that owns the database servers; see supervisor.mjs for the requests. */
export async function ask<T>(request: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<T> {
  socket ??= open();
  const connected = await socket;
  const id = ++count;
  connected.ref(); // the connection keeps the process alive only while a request is open
  const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
  connected.write(`${JSON.stringify({ ...parameters, id, request })}\n`);
  try {
    return (await answer) as T;
  } finally {
    if (waiting.size === 0) connected.unref();
  }
}

async function open(): Promise<Socket> {
  const path = process.env.QUARTZ_TEST_SUPERVISOR;
  if (path === undefined) throw new Error('No test databases: run Jest where jest.config.js is, which starts them.');
  for (const end = Date.now() + START_PATIENCE; ; await new Promise((next) => setTimeout(next, 20))) {
    const connected = await tryToConnect(path);
    if (connected !== null) return listenTo(connected);
    if (Date.now() > end) throw new Error(`The supervisor of the test databases does not answer on ${path}.`);
  }
}

function tryToConnect(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const attempt = connect(path);
    attempt.once('connect', () => resolve(attempt));
    attempt.once('error', () => resolve(null));
  });
}

function listenTo(connected: Socket): Socket {
  createInterface({ input: connected }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line) as Reply;
    const asker = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asker?.resolve(result);
    else asker?.reject(new Error(error));
  });
  connected.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('The supervisor of the test databases has ended.'));
    waiting.clear();
    socket = null;
  });
  return connected;
}
