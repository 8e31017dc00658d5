#!/usr/bin/env node
import { Output, processStreams } from './output';
import { runProgram } from './program';

// A reader that has seen enough (`… | head`) is no failure, and must not end a scheduler that has work to do.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const context = { output: new Output(processStreams(process.env)), env: process.env, folder: process.cwd() };
void runProgram(process.argv.slice(2), context).then((code) => {
  // What jobs left open (connections, timers, jobs abandoned at the deadline) does not keep the process alive.
  process.stdout.write('', () => process.exit(code));
});
