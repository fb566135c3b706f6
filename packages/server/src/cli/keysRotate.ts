import { keyBody } from '@chaintape/protocol'
import type { Command } from 'commander'
import { addConfigOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { KeyNotFoundError } from './errors.ts'
import { parseKeyId, parseSeconds } from './keyOptions.ts'
import { printResult } from './output.ts'
import { storeFlags, withKeys } from './withKeys.ts'

// Time to bring the new key to every place that has the old one.
const graceS = 86_400

export function addKeysRotate(parent: Command, context: CliContext): void {
  const command = parent
    .command('rotate')
    .description('Make a new API key in place of one, which ends after a grace period.')
    .argument('<id>', 'its id in keys list', parseKeyId)
    .option('--grace <seconds>', 'seconds that the old key still works', parseSeconds, graceS)
  addConfigOptions(command, storeFlags)
    .option('--json', 'print one JSON object')
    .action(async (id: number, options) => {
      const made = await withKeys(options, context, (keys) => keys.rotate(id, options.grace))
      if (made === null) throw new KeyNotFoundError(id)
      printResult(context, {
        isJson: options.json === true,
        json: { key: made.key, ...keyBody(made), replaces: id },
        text: () => made.key,
      })
    })
}
