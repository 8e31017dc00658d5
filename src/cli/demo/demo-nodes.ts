import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { CommandFailure } from '../exit-codes';
import type { FromNode, ToNode } from './demo-messages';

/** A process of the demo. */
export interface DemoNode {
  readonly name: string;
  readonly processId: number;
  /** SIGKILL: it ends in the middle of whatever it does. */
  kill(): void;
  /** Lets it end in order. */
  stop(): Promise<void>;
}

/** Starts a node and waits until it fires. `hear` is told of everything it says. Rejects with what kept it from starting. */
export async function startDemoNode(
  name: string,
  config: object,
  hear: (message: FromNode) => void,
): Promise<DemoNode> {
  // Without the parent's options: a debugger listens on one port.
  const child = fork(join(__dirname, 'demo-node.js'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
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
  await ready;
  return {
    name,
    processId: child.pid ?? 0,
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
