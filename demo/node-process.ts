import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Configuration } from 'quartz-ts';

/** What the demo sends to one of its nodes. The configuration holds the password, if there is one. */
export type ToNode = { readonly type: 'start'; readonly config: Configuration } | { readonly type: 'stop' };

/** A job has started on a node. Times are epoch milliseconds. */
export interface Started {
  readonly type: 'started';
  readonly at: number;
  readonly runId: string;
  readonly trigger: string;
  readonly job: string;
  readonly scheduledFireTime: number;
  /** It is tried again because it failed. */
  readonly isRetry: boolean;
  /** The firing of a dead node that is run again; null: an ordinary firing. */
  readonly recovers: { readonly trigger: string; readonly scheduledFireTime: number } | null;
}

/** What a node sends back. */
export type FromNode =
  | Started
  | { readonly type: 'ready' }
  | { readonly type: 'ended'; readonly runId: string }
  | { readonly type: 'peerFailed' | 'peerRecovered'; readonly at: number; readonly instanceId: string }
  | { readonly type: 'trouble'; readonly at: number; readonly message: string }
  | { readonly type: 'failed'; readonly message: string };

/** A process that runs one node of the demo. */
export interface NodeProcess {
  readonly name: string;
  readonly processId: number;
  /** Resolves when the node is started. Rejects with what kept it from starting. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  /** SIGKILL: it ends in the middle of whatever it does. */
  kill(): void;
  /** Shuts the scheduler down first. */
  stop(): Promise<void>;
}

/** Starts a node. `onMessage` gets everything it reports. */
export function startNode(name: string, config: Configuration, onMessage: (message: FromNode) => void): NodeProcess {
  // Without the parent's options: a debugger listens on one port.
  const child = fork(join(__dirname, 'node.js'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    if (child.pid === undefined) child.once('error', () => resolve()); // it never began
  });
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (message: FromNode) => {
      if (message.type === 'ready') resolve();
      else if (message.type === 'failed') reject(new Error(`${name}: ${message.message}`));
      else onMessage(message);
    });
    child.once('error', reject);
    void ended.then(() => reject(new Error(`${name} ended before it was ready.`)));
  });
  send(child, { type: 'start', config });
  return {
    name,
    processId: child.pid ?? 0,
    ready,
    ended,
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      if (child.connected) send(child, { type: 'stop' });
      await ended;
    },
  };
}

function send(child: ChildProcess, message: ToNode): void {
  child.send(message, () => {}); // a node that is gone has reported so by ending
}
