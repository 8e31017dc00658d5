import { url } from 'node:inspector';

/** Whether a debugger is attached to this process, so that standing still means nothing. Ask in the main thread. */
export function isDebugged(): boolean {
  return url() !== undefined;
}
