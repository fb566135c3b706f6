import { keyBody } from '@chaintape/protocol'
import type { Command } from 'commander'
import { addConfigOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { KeyNotFoundError } from './errors.ts'
import { parseKeyId } from './keyOptions.ts'
import { printResult } from './output.ts'
import { storeFlags, withKeys } from './withKeys.ts'

export function addKeysRevoke(parent: Command, context: CliContext): void {
  const command = parent
    .command('revoke')
    .description('Make an API key stop working, for good and at once.')
    .argument('<id>', 'its id in keys list', parseKeyId)
  addConfigOptions(command, storeFlags)
    .option('--json', 'print one JSON object')
    .action(async (id: number, options) => {
      const key = await withKeys(options, context, (keys) => keys.revoke(id))
      if (key === null) throw new KeyNotFoundError(id)
      printResult(context, {
        isJson: options.json === true,
        json: { ...keyBody(key), revoked: true },
        text: () => `Key ${id} is revoked.`,
      })
    })
}
