declare module 'quartz-ts:routes' {
  /** Route and role of each operation. */
  export const ROUTES: import('../../src/operations/route-manifest').RouteManifest;
}
declare module '*.css';
