import { type Command, InvalidArgumentError, Option } from 'commander'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
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
