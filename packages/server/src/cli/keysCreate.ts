import { keyBody } from '@chaintape/protocol'
import type { Command } from 'commander'
import { addConfigOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { parseKeyName, parseLifetime } from './keyOptions.ts'
import { printResult } from './output.ts'
import { storeFlags, withKeys } from './withKeys.ts'

export function addKeysCreate(parent: Command, context: CliContext): void {
  const command = parent
    .command('create')
    .description('Make an API key and show it, once; a running service takes it at once.')
    .option('--plan <plan>', 'what it may do, a plan of the configuration', 'unlimited')
    .option('--name <name>', 'what the key is for', parseKeyName)
    .option('--expires-in <seconds>', 'seconds until it expires; never without', parseLifetime)
  addConfigOptions(command, storeFlags)
    .option('--json', 'print one JSON object')
    .action(async (options) => {
      const { name = '', plan, expiresIn = null } = options
      const made = await withKeys(options, context, (keys) =>
        keys.create({ name, plan, expiresInS: expiresIn }),
      )
      printResult(context, {
        isJson: options.json === true,
        json: { key: made.key, ...keyBody(made) },
        text: () => made.key,
      })
    })
}
