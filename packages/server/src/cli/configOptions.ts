import { type Command, Option } from 'commander'
import { configFields } from '../config/fields.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import type { CliContext } from './context.ts'

/** Flags of the commands that work on the store. */
export const storeFlags = ['data-dir', 'database-url', 'log-level']

/** Flags of those that want the whole configuration. */
export const startFlags = [
  'port',
  'host',
  'data-dir',
  'devnet-port',
  'database-url',
  'log-level',
  'response-envelope',
]

export const jsonOption = ['--json', 'print one JSON object'] as const

/** Adds --config and the named flags of the config schema, described as the schema does. */
export function addConfigOptions(command: Command, flags: readonly string[]): Command {
  command.option('--config <file>', 'JSON configuration file')
  for (const { flag, node } of configFields()) {
    if (flag === null || !flags.includes(flag)) continue
    const isSecret = node.secret !== undefined
    const argument = node.type === 'integer' ? 'number' : isSecret ? 'url' : 'value'
    const option = new Option(
      `--${flag} <${argument}>`,
      withDefault(node.description!, node.default),
    )
    command.addOption(option)
  }
  return command
}

// Shown in the text only: a default given to the parser would win over environment and file.
function withDefault(description: string, value: unknown): string {
  return value === undefined ? description : `${description} (${value})`
}

/** The configuration for a command's options. */
export function loadFromOptions(
  options: Readonly<Record<string, unknown>>,
  context: CliContext,
): LoadedConfig {
  const flags: Record<string, string> = {}
  for (const { flag } of configFields()) {
    const value = flag === null ? undefined : options[camelCase(flag)]
    if (typeof value === 'string') flags[flag!] = value
  }
  const file = typeof options.config === 'string' ? options.config : undefined
  return loadConfig({ file, flags, env: context.env })
}

function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
