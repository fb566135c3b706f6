import type { Command } from 'commander'
import { ConfigError, problemText } from '../../config/errors.ts'
import { printableConfig } from '../../config/printConfig.ts'
import { configDocs } from '../../config/schema/configDocs.ts'
import { editorSchema } from '../../config/schema/editorSchema.ts'
import { addConfigOptions, jsonOption, loadFromOptions, startFlags } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { printResult } from '../terminal/output.ts'

/** The commands that show the configuration. */
export function fillConfig(config: Command, context: CliContext): void {
  config.option(...jsonOption).helpCommand(false)
  addCheck(config, context)
  addPrint(config, context)
  addDocs(config, context)
  addSchema(config, context)
}

function addCheck(parent: Command, context: CliContext): void {
  const command = parent.command('check').description('Name every mistake in the configuration.')
  addConfigOptions(command, startFlags)
    .option(...jsonOption)
    .action((options) => {
      const { config, warnings, advice } = loadFromOptions(options, context, { isStrict: true })
      // `start` only logs these warnings; an explicit check fails on them.
      if (warnings.length > 0) throw new ConfigError(warnings)
      const chains = Object.keys(config.chains)
      printResult(context, {
        isJson: options.json === true,
        json: { valid: true, chains, advice: advice.map(problemText) },
        lines: () => [
          `The configuration is valid. Chains: ${chains.join(', ') || 'the local chain'}.`,
          ...advice.map((one) => `  Warning: ${problemText(one)}`),
        ],
      })
    })
}

function addPrint(parent: Command, context: CliContext): void {
  const command = parent
    .command('print')
    .description('Print the configuration in force as JSON, secrets as <set>.')
  addConfigOptions(command, startFlags)
    .option('--json', 'print it on one line')
    .action((options) => {
      const json = printableConfig(loadFromOptions(options, context).config)
      const lines = () => JSON.stringify(json, null, 2).split('\n')
      printResult(context, { isJson: options.json === true, json, lines })
    })
}

function addDocs(parent: Command, context: CliContext): void {
  parent
    .command('docs')
    .description('Print the documentation of every setting, in Markdown.')
    .option('--json', 'print one JSON object with the text')
    .action((options) => {
      const markdown = configDocs()
      printResult(context, {
        isJson: options.json === true,
        json: { markdown },
        lines: () => markdown.trimEnd().split('\n'),
      })
    })
}

function addSchema(parent: Command, context: CliContext): void {
  parent
    .command('schema')
    .description('Print the JSON Schema of the configuration, for editors.')
    .option(...jsonOption)
    .action((options) => {
      const json = editorSchema()
      // Indented, as kept under version control.
      const lines = () => JSON.stringify(json, null, 1).split('\n')
      printResult(context, { isJson: options.json === true, json, lines })
    })
}
