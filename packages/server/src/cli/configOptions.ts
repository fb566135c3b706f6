import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { apiKeyInEnvironment, type LoadedConfig, loadConfig } from '../config/load.ts'
import { configFields } from '../config/schema/fields.ts'
import type { SchemaNode } from '../lib/schema.ts'
import type { CliContext } from './context.ts'

/** Flags of commands that use the store. */
export const storeFlags = ['data-dir', 'database-url', 'log-level', 'log-format']

/** Flags of commands that use the whole configuration. */
export const startFlags = [
  'port',
  'host',
  'data-dir',
  'devnet-port',
  'role',
  'database-url',
  'log-level',
  'log-format',
  'response-envelope',
  'compat',
]

export const jsonOption = ['--json', 'print one JSON object'] as const

/** Adds --config and the named flags of the config schema with their descriptions. */
export function addConfigOptions(command: Command, flags: readonly string[]): Command {
  command.option('--config <file>', 'configuration file: JSON (comments allowed) or YAML')
  for (const { flag, node } of configFields()) {
    if (flag === null || !flags.includes(flag)) continue
    command.addOption(
      new Option(`--${flag}${argumentOf(node)}`, withDefault(node.description!, node.default)),
    )
  }
  return command
}

/** The flag's argument; a switch has none. */
function argumentOf(node: SchemaNode): string {
  if (node.type === 'boolean') return ''
  return node.type === 'integer' ? ' <number>' : node.secret ? ' <url>' : ' <value>'
}

// Only shown in the help: a default given to the parser would override environment and file.
function withDefault(description: string, value: unknown): string {
  return value === undefined || value === false ? description : `${description} (${value})`
}

/** Parses the argument of a flag that takes a block. */
export function parseBlock(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a block number.')
  return Number(text)
}

/** Loads the configuration for a command's options. */
export function loadFromOptions(
  options: Readonly<Record<string, unknown>>,
  context: CliContext,
  { isStrict = false }: { isStrict?: boolean } = {},
): LoadedConfig {
  const flags: Record<string, string> = {}
  for (const { flag } of configFields()) {
    const value = flag === null ? undefined : options[camelCase(flag)]
    if (typeof value === 'string') flags[flag!] = value
    else if (value === true) flags[flag!] = 'true'
  }
  const file = typeof options.config === 'string' ? options.config : undefined
  return loadConfig({ file, flags, env: context.env, isStrict })
}

function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

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

/** The address by which a local client reaches a service with this host and port. */
export function localAddress({ host, port }: { host: string; port: number }): string {
  const isAny = host === '0.0.0.0' || host === '::'
  const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
