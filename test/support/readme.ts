import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The text of README.md. */
export const readme = readFileSync(resolve(__dirname, '../../README.md'), 'utf8');

/** Its blocks of one language, in order. */
export const readmeBlocks = (language: string): readonly string[] =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

/** Its commands, without the remarks after them. */
export const readmeCommands = (): readonly string[] =>
  readmeBlocks('sh')
    .flatMap((block) => block.trim().split('\n'))
    .map((line) => line.replace(/\s+# .*$/, ''));
