import type { Command } from 'commander'
import { printableConfig } from '../config/printConfig.ts'
import { addConfigOptions, loadFromOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { printResult } from './output.ts'

export function addConfigPrint(parent: Command, context: CliContext): void {
  const command = parent
    .command('print')
    .description('Print the configuration in force as JSON, secrets as <set>.')
  addConfigOptions(command, [
    'port',
    'host',
    'data-dir',
    'devnet-port',
    'database-url',
    'log-level',
    'response-envelope',
  ])
    .option('--json', 'print it on one line')
    .action((options) => {
      const json = printableConfig(loadFromOptions(options, context).config)
      const text = () => JSON.stringify(json, null, 2)
      printResult(context, { isJson: options.json === true, json, text })
    })
}
