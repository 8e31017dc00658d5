import type { NodeHooks } from '../../cluster/node-hooks';

/**
 * What a node tells before there is anybody to hear it is kept, and told when there is. A node exists before the engine
 * that acts on what it says.
 */
export class NodeHooksRelay implements NodeHooks {
  #target: NodeHooks | null = null;
  readonly #kept: ((target: NodeHooks) => void)[] = [];

  readonly publish: NodeHooks['publish'] = (event) => this.#tell((target) => target.publish(event));
  readonly firingAllowed: NodeHooks['firingAllowed'] = (isAllowed) =>
    this.#tell((target) => target.firingAllowed(isAllowed));
  readonly leaseLost: NodeHooks['leaseLost'] = (reason) => this.#tell((target) => target.leaseLost(reason));
  readonly scheduleChanged: NodeHooks['scheduleChanged'] = (earliest) =>
    this.#tell((target) => target.scheduleChanged(earliest));

  readonly storeAvailable: NodeHooks['storeAvailable'] = () => this.#tell((target) => target.storeAvailable());

  receive(signal: Parameters<NodeHooks['receive']>[0]): Promise<void> {
    return new Promise((resolve, reject) => this.#tell((target) => target.receive(signal).then(resolve, reject)));
  }

  connect(target: NodeHooks): void {
    this.#target = target;
    for (const tell of this.#kept.splice(0)) tell(target);
  }

  #tell(tell: (target: NodeHooks) => void): void {
    if (this.#target === null) this.#kept.push(tell);
    else tell(this.#target);
  }
}
