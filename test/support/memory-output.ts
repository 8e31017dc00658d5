import { Output } from '../../src/cli/output';

/** An output without colours that keeps the written text. */
export function memoryOutput() {
  const written = { stdout: '', stderr: '' };
  const streamTo = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const colors = { stdout: false, stderr: false };
  const output = new Output({ stdout: streamTo('stdout'), stderr: streamTo('stderr'), colors });
  return { output, stdout: () => written.stdout, stderr: () => written.stderr };
}
