// One node of ours in a process of its own, speaking the harness's lines: node our-node.mjs MODE key=value …
import { settings } from './lib/settings.mjs';

const [mode, ...args] = process.argv.slice(2);
const { run } = await import(`./modes/${mode}.mjs`);
await run(settings(args));
process.exit(0);
