/** Runs command lines, each a JSON array of arguments, one after the other in this process. Prints their results as JSON. */
const { Output } = require('../../build/cli/output.js');
const { runProgram } = require('../../build/cli/program.js');

process.setMaxListeners(0); // each command listens for signals until the process ends

async function run(args) {
  const written = { stdout: '', stderr: '' };
  const streamTo = (name) => ({
    write(text) {
      written[name] += text;
    },
  });
  const colors = { stdout: false, stderr: false };
  const output = new Output({ stdout: streamTo('stdout'), stderr: streamTo('stderr'), colors });
  const code = await runProgram(args, { output, env: process.env, folder: process.cwd() });
  return { code, ...written };
}

async function main() {
  const ends = [];
  for (const args of JSON.parse(process.argv[2])) ends.push(await run(args));
  process.stdout.write(JSON.stringify(ends), () => process.exit(0));
}

void main();
