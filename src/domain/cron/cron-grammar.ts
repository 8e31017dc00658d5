import type { CronText } from './split-cron';
export function checkGrammar(_expression: string, _texts: readonly CronText[]): void {}
