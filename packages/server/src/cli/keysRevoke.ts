import { type Command, InvalidArgumentError } from 'commander'
import { addConfigOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { KeyNotFoundError } from './errors.ts'
import { printResult } from './output.ts'
import { storeFlags, withKeys } from './withKeys.ts'

export function addKeysRevoke(parent: Command, context: CliContext): void {
  const command = parent
    .command('revoke')
    .description('Make an API key stop working; a running service sees it within seconds.')
    .argument('<id>', 'its id in keys list', parseKeyId)
  addConfigOptions(command, storeFlags)
    .option('--json', 'print one JSON object')
    .action(async (id: number, options) => {
      const isFound = await withKeys(options, context, (keys) => keys.revoke(id))
      if (!isFound) throw new KeyNotFoundError(id)
      printResult(context, {
        isJson: options.json === true,
        json: { id, revoked: true },
        text: () => `Key ${id} is revoked.`,
      })
    })
}

function parseKeyId(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be the number of a key.')
  return Number(text)
}
