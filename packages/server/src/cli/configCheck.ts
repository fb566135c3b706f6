import type { Command } from 'commander'
import { ConfigError } from '../config/errors.ts'
import { addConfigOptions, loadFromOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { printResult } from './output.ts'

export function addConfigCheck(parent: Command, context: CliContext): void {
  const command = parent.command('check').description('Name every mistake in the configuration.')
  addConfigOptions(command, [
    'port',
    'host',
    'data-dir',
    'devnet-port',
    'database-url',
    'log-level',
    'response-envelope',
  ])
    .option('--json', 'print one JSON object')
    .action((options) => {
      const { config, warnings } = loadFromOptions(options, context)
      // Start only warns of these; a check that was asked for does not let them pass.
      if (warnings.length > 0) throw new ConfigError(warnings)
      const chains = Object.keys(config.chains)
      printResult(context, {
        isJson: options.json === true,
        json: { valid: true, chains },
        text: () =>
          `The configuration is valid. Chains: ${chains.join(', ') || 'the local chain'}.`,
      })
    })
}
