import type { RequestListener } from 'node:http';
import type { AccessOptions } from './auth/authenticator-of';

/** Options of a console. */
export interface ConsoleOptions extends AccessOptions {
  /** True to make the console read-only for every role. Default: false. */
  readonly readOnly?: boolean;
  /**
   * Path under which requests arrive, such as `/admin/quartz`. Default: the root. Not needed if a framework removes the
   * path, as Express does for `app.use('/admin/quartz', console.listener)`.
   */
  readonly basePath?: string;
}

/** Web console of schedulers: a page, and an API with an OpenAPI document. The console opens no port. The program passes requests to it. */
export interface Console {
  /** Responds to a request. Never rejects: errors are returned as problem documents (RFC 9457). */
  fetch(request: Request): Promise<Response>;
  /** Request listener for Node's http, Express, Fastify and NestJS. Mount it before middleware that reads request bodies. */
  readonly listener: RequestListener;
  /**
   * Ends all event streams and rejects new ones, because an open stream would prevent a server from closing. The
   * console still responds to other requests.
   */
  close(): Promise<void>;
}
