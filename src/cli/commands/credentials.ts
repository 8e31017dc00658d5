import { Command } from 'commander';
import { hashPassword, hashToken, isWorthAHash, MAX_SECRET, MIN_TOKEN, newToken } from '../../base/secret-hash';
import { type CommandContext, example } from '../command';
import { usageError } from '../exit-codes';

export function consoleCommand(context: CommandContext): Command {
  return new Command('console')
    .description('Creates tokens and hashes for console.tokens and console.users of a configuration.')
    .addCommand(tokenCommand(context))
    .addCommand(passwordCommand(context));
}

interface TokenOptions {
  readonly stdin?: boolean;
  readonly json?: boolean;
}

function tokenCommand(context: CommandContext): Command {
  return new Command('token')
    .description('Creates a random token, and prints it with its hash. The token is not stored anywhere.')
    .option('--stdin', 'read a token from standard input and print its hash')
    .option('--json', 'print JSON')
    .addHelpText('after', example('console token'))
    .action(async ({ stdin, json }: TokenOptions) => {
      const { output } = context;
      const token = stdin ? await readToken(context) : newToken();
      const hash = hashToken(token);
      if (json) return output.json(stdin ? { hash } : { token, hash });
      if (stdin) return output.line(hash);
      output.line(`token  ${token}`);
      output.line(`hash   ${hash}`);
    });
}

function passwordCommand(context: CommandContext): Command {
  return new Command('password')
    .description('Reads a password from standard input or a terminal prompt, and prints its hash.')
    .option('--json', 'print JSON')
    .addHelpText('after', example('console password < password.txt'))
    .action(async ({ json }: Pick<TokenOptions, 'json'>) => {
      const password = await readSecret(context, 'Password: ');
      if (password === '' || password.length > MAX_SECRET)
        throw usageError(`expected a password of 1 to ${MAX_SECRET} characters on standard input.`);
      const hash = await hashPassword(password);
      if (json) return context.output.json({ hash });
      context.output.line(hash);
    });
}

async function readToken(context: CommandContext): Promise<string> {
  const token = await readSecret(context, 'Token: ');
  if (isWorthAHash(token)) return token;
  throw usageError(
    `expected a random token of ${MIN_TOKEN} to ${MAX_SECRET} letters, digits and signs on standard input, found other text. For a password that a ` +
      'person chose, use quartz console password.',
  );
}

/** Reads a secret from the terminal or standard input. Never from an argument, because other users of the machine can read arguments. */
async function readSecret({ person, readStandardInput }: CommandContext, question: string): Promise<string> {
  const given = person === undefined ? await readStandardInput?.() : await person.promptSecret(question);
  return (given ?? '').replace(/\r?\n$/, '');
}
