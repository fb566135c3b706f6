import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { apiKeyInEnvironment } from '../config/load.ts'
import type { CliContext } from './context.ts'

/** Parsed options. `keyFile` is the file's content. */
export type ApiKeyFlags = { key?: string; keyFile?: string }

const warning =
  'Warning: other users of this machine can read --key in the process list; use CHAINTAPE_API_KEY or --key-file.\n'

export function addApiKeyOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--key-file <file>',
        'file that contains the API key (without it: CHAINTAPE_API_KEY)',
      ).argParser(readKeyFile),
    )
    .addOption(
      new Option(
        '--key <key>',
        'the API key itself; other users of this machine can read it in the process list',
      ).conflicts('keyFile'),
    )
}

/** The API key of a command that asks a running service. */
export function apiKeyOf({ key, keyFile }: ApiKeyFlags, command: Command, context: CliContext) {
  if (key !== undefined) context.stderr.write(warning)
  return (
    key ??
    keyFile ??
    apiKeyInEnvironment(context.env) ??
    command.error('error: no API key: set CHAINTAPE_API_KEY, or name a file with --key-file')
  )
}

function readKeyFile(path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${(error as Error).message}.`)
  }
  if (!/^\S+$/.test(text))
    throw new InvalidArgumentError('It must contain one API key and nothing else.')
  return text
}
