import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Configuration } from 'quartz-ts';

/** Message to a node. The configuration contains the database password, if there is one. */
export type ToNode = { readonly type: 'start'; readonly config: Configuration } | { readonly type: 'stop' };

/** A job has started on a node. Times are epoch milliseconds. */
export interface Started {
  readonly type: 'started';
  readonly at: number;
  readonly runId: string;
  readonly trigger: string;
  readonly job: string;
  readonly scheduledFireTime: number;
  /** True if a failed firing is retried. */
  readonly isRetry: boolean;
  /** The firing of a dead node that is recovered. Null: an ordinary firing. */
  readonly recovers: { readonly trigger: string; readonly scheduledFireTime: number } | null;
}

/** Message from a node. */
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
  /** Resolves when the node has started. Rejects if it could not start. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  /** Kills the process with SIGKILL, in the middle of its work. */
  kill(): void;
  /** Shuts the scheduler down and ends the process. */
  stop(): Promise<void>;
}

/** Starts a node. `onMessage` receives everything it reports. */
export function startNode(name: string, config: Configuration, onMessage: (message: FromNode) => void): NodeProcess {
  // Without the parent's options, because two debuggers cannot listen on the same port.
  const child = fork(join(__dirname, 'node.js'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    if (child.pid === undefined) child.once('error', () => resolve()); // the process could not be started
  });
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (message: FromNode) => {
      if (message.type === 'ready') resolve();
      else if (message.type === 'failed') reject(new Error(`${name}: ${message.message}`));
      else onMessage(message);
    });
    child.once('error', reject);
    void ended.then(() => reject(new Error(`${name} exited before it was ready.`)));
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
  child.send(message, () => {}); // a node that has ended is reported by its exit event
}
