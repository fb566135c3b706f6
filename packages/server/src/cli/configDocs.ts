import type { Command } from 'commander'
import { configDocs } from '../config/configDocs.ts'
import type { CliContext } from './context.ts'
import { printResult } from './output.ts'

export function addConfigDocs(parent: Command, context: CliContext): void {
  parent
    .command('docs')
    .description('Print the documentation of every setting, in Markdown.')
    .option('--json', 'print one JSON object with the text')
    .action((options) => {
      const markdown = configDocs()
      printResult(context, {
        isJson: options.json === true,
        json: { markdown },
        text: () => markdown.trimEnd(),
      })
    })
}
