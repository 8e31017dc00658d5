import type { RequestListener } from 'node:http';
import type { AccessOptions } from './auth/authenticator-of';

/** Options of a console. */
export interface ConsoleOptions extends AccessOptions {
  /** True to make the console read-only for every role. Default: false. */
  readonly readOnly?: boolean;
  /**
   * Path under which requests arrive, such as `/admin/quartz`. Not needed if a framework strips the path (`app.use('/admin/quartz',
   * console.listener)` in Express). Default: the root.
   */
  readonly basePath?: string;
}

/** Web console of schedulers: a page, and an API with its OpenAPI document. It opens no port by itself. */
export interface Console {
  /** Handles a request. Never rejects: errors are returned as problem documents (RFC 9457). */
  fetch(request: Request): Promise<Response>;
  /** Handles requests of Node's http, Express, Fastify and NestJS. Mount it before middleware that reads bodies. */
  readonly listener: RequestListener;
  /** Ends all event streams and refuses new ones, because open streams would keep a server from closing. Other requests are still answered. */
  close(): Promise<void>;
}
