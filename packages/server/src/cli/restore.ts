import type { Command } from 'commander'
import { headerJson, headerText } from './backup.ts'
import { addConfigOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { printResult } from './output.ts'
import { untilStopped } from './untilStopped.ts'
import { storeFlags } from './withKeys.ts'

export function addRestore(parent: Command, context: CliContext): void {
  const command = parent
    .command('restore')
    .description('Put a backup into an empty data directory or database.')
    .argument('<file>', 'a file that chaintape backup wrote, this version or an older one')
  addConfigOptions(command, storeFlags)
    .option('--json', 'print one JSON object')
    .action(async (file: string, options) => {
      const { header, rowCount } = await untilStopped(options, context, async (config, rest) => {
        const { restoreData } = await context.loadApp()
        return await restoreData(config, { path: file, ...rest })
      })
      printResult(context, {
        isJson: options.json === true,
        json: { file, rows: rowCount, ...headerJson(header) },
        text: () => [`Restored ${file}: ${rowCount} rows.`, '', headerText(header)].join('\n'),
      })
    })
}
