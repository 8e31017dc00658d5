import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Fault of the next COMMIT. */
export type CommitFault = 'cutBefore' | 'cutAfter' | 'late';

/** Direction in which the bytes of a connection are lost. */
type Lost = 'requests' | 'answers';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** A TCP proxy in front of a database that loses connections at the worst moments. */
export class FaultProxy {
  readonly #listener: Server;
  readonly #target: URL;
  readonly #pairs = new Set<Pair>();
  #isSilent = false;
  #forgetting: { readonly text: string; readonly lost: Lost; readonly resolve: () => void } | null = null;
  #commitFault: { readonly fault: CommitFault; readonly text: string } | null = null;
  #late: (() => Promise<void>) | null = null;
  #onCommitFault: () => void = () => undefined;
  /** Held answers; null if answers pass. */
  #held: (() => void)[] | null = null;
  #awaited: { readonly text: string; readonly resolve: () => void }[] = [];

  private constructor(listener: Server, target: URL) {
    this.#listener = listener;
    this.#target = target;
  }

  static async before(url: string): Promise<FaultProxy> {
    const listener = createServer();
    const proxy = new FaultProxy(listener, new URL(url));
    listener.on('connection', (client) => proxy.#accept(client));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return proxy;
  }

  /** The database's URL through this proxy. */
  get url(): string {
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${(this.#listener.address() as AddressInfo).port}`;
    return url.href;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /**
   * Makes the next COMMIT lose its connection. `cutBefore`: the COMMIT never arrives, and the server rolls back. `cutAfter`: the server commits, but
   * its answer is lost. `late`: the COMMIT arrives when `deliver` is called. The client cannot distinguish them. `text`: text of the packet; a
   * script of MariaDB also commits, and contains the key of its token (`commit.`).
   */
  faultNextCommit(fault: CommitFault, text = 'COMMIT'): void {
    this.#commitFault = { fault, text };
  }

  /** Resolves when the fault of the next COMMIT has happened. */
  commitFaulted(): Promise<void> {
    return new Promise((resolve) => {
      this.#onCommitFault = resolve;
    });
  }

  /** Delivers the late commit. Resolves when the server has answered it. */
  async deliver(): Promise<void> {
    const late = this.#late;
    this.#late = null;
    await late?.();
  }

  /** Drops all bytes in both directions without an error, as when a cable is unplugged. */
  silence(): void {
    this.#isSilent = true;
  }

  /**
   * Drops all further requests or answers of the connection that sends `text` next, and of no other connection. Resolves when `text` was
   * sent.
   */
  forgetSender(text: string, lost: Lost): Promise<void> {
    return new Promise((resolve) => {
      this.#forgetting = { text, lost, resolve };
    });
  }

  /** Lets bytes pass again on new connections. Lost bytes stay lost. */
  heal(): void {
    this.#isSilent = false;
  }

  /** Holds answers until `passAnswers`. Requests still pass. */
  holdAnswers(): void {
    this.#held = [];
  }

  passAnswers(): void {
    for (const pass of this.#held?.splice(0) ?? []) pass();
    this.#held = null;
  }

  /** Resolves when a client sends `text`. */
  sent(text: string): Promise<void> {
    return new Promise((resolve) => this.#awaited.push({ text, resolve }));
  }

  /** Resets every connection. */
  cut(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  async close(): Promise<void> {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    if (!this.#listener.listening) return;
    this.#listener.close();
    await once(this.#listener, 'close');
  }

  #accept(client: Socket): void {
    const server = connect(Number(this.#target.port), this.#target.hostname);
    const pair = { client, server };
    this.#pairs.add(pair);
    let losesAnswer = false;
    let lost: Lost | null = null;
    client.on('data', (bytes) => {
      lost ??= this.#takeForgetting(bytes);
      if (this.#isSilent || lost === 'requests' || losesAnswer) return;
      if (server.destroyed) return this.#reset(pair); // the client closed its connection while the proxy was silent
      const fault = this.#takeFault(bytes);
      if (fault === 'cutBefore') return this.#reset(pair);
      if (fault === 'late') return this.#delay(pair, bytes);
      losesAnswer = fault === 'cutAfter';
      if (losesAnswer) server.end(bytes);
      else server.write(bytes);
      this.#hear(bytes);
    });
    server.on('data', (bytes) => {
      if (lost !== null) return;
      if (losesAnswer) return; // the server may still have statements before the COMMIT to run
      if (this.#held !== null) this.#held.push(() => client.write(bytes));
      else if (!this.#isSilent) client.write(bytes);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#pairs.delete(pair);
        if (losesAnswer) return this.#reset(pair);
        if (!this.#isSilent && lost === null) other.destroy();
      });
    }
  }

  #hear(bytes: Buffer): void {
    for (const { resolve } of this.#awaited.filter(({ text }) => bytes.includes(text))) resolve();
    this.#awaited = this.#awaited.filter(({ text }) => !bytes.includes(text));
  }

  #takeForgetting(bytes: Buffer): Lost | null {
    const forgetting = this.#forgetting;
    if (forgetting === null || !bytes.includes(forgetting.text)) return null;
    this.#forgetting = null;
    forgetting.resolve();
    return forgetting.lost;
  }

  #takeFault(bytes: Buffer): CommitFault | null {
    const next = this.#commitFault;
    if (next === null || !bytes.includes(next.text)) return null;
    this.#commitFault = null;
    this.#onCommitFault();
    return next.fault;
  }

  /** Ends the connection of the client, and keeps that of the server with its open transaction. */
  #delay({ client, server }: Pair, commit: Buffer): void {
    this.#late = async () => {
      if (server.destroyed) return; // the server has ended the transaction, because it was idle for too long
      server.end(commit);
      await once(server, 'close');
    };
    client.removeAllListeners('close');
    client.resetAndDestroy();
  }

  #reset({ client, server }: Pair): void {
    client.resetAndDestroy();
    server.destroy();
  }
}
