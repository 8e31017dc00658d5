import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The text of README.md. */
export const readme = readFileSync(resolve(__dirname, '../../README.md'), 'utf8');

/** Its blocks of one language, in their order. */
export const readmeBlocks = (language: string): readonly string[] =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

/** The commands it gives, without the remarks behind them. */
export const readmeCommands = (): readonly string[] =>
  readmeBlocks('sh')
    .flatMap((block) => block.trim().split('\n'))
    .map((line) => line.replace(/\s+# .*$/, ''));
