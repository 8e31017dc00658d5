import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { CommandFailure } from '../exit-codes';
import type { FromNode, ToNode } from './demo-messages';

/** A process of the demo. */
export interface DemoNode {
  readonly name: string;
  readonly processId: number;
  /** Resolves when it fires. Rejects with what kept it from starting. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  /** SIGKILL: it ends in the middle of whatever it does. */
  kill(): void;
  /** Lets it end in order. */
  stop(): Promise<void>;
}

/** Starts a node. `hear` is told of everything it says. */
export function startDemoNode(name: string, config: object, hear: (message: FromNode) => void): DemoNode {
  // Without the parent's options: a debugger listens on one port.
  const child = fork(join(__dirname, 'demo-node.js'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    if (child.pid === undefined) child.once('error', () => resolve()); // it never began
  });
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (message: FromNode) => {
      if (message.type === 'ready') resolve();
      else if (message.type === 'failed') reject(new CommandFailure('FAILURE', `${name}: ${message.message}`));
      else hear(message);
    });
    child.once('error', reject);
    void ended.then(() => reject(new CommandFailure('FAILURE', `${name} ended before it was ready.`)));
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
  child.send(message, () => {}); // a node that is gone has said so by ending
}
