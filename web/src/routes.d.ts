declare module 'quartz-ts:routes' {
  /** Route and role of each operation, by name. */
  export const ROUTES: import('../../src/operations/route-manifest').RouteManifest;
}
declare module '*.css';
