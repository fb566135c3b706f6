import { keyBody } from '@chaintape/protocol'
import type { Command } from 'commander'
import { addConfigOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { KeyNotFoundError } from './errors.ts'
import { parseKeyId, parseSeconds } from './keyOptions.ts'
import { printResult, timeText } from './output.ts'
import { storeFlags, withKeys } from './withKeys.ts'

export function addKeysExpire(parent: Command, context: CliContext): void {
  const command = parent
    .command('expire')
    .description('Set when an API key expires: now, or later.')
    .argument('<id>', 'its id in keys list', parseKeyId)
    .option('--in <seconds>', 'seconds from now', parseSeconds, 0)
  addConfigOptions(command, storeFlags)
    .option('--json', 'print one JSON object')
    .action(async (id: number, options) => {
      const key = await withKeys(options, context, (keys) => keys.expire(id, options.in))
      if (key === null) throw new KeyNotFoundError(id)
      printResult(context, {
        isJson: options.json === true,
        json: keyBody(key),
        text: () => `Key ${id} expires at ${timeText(key.expiresAtS)}.`,
      })
    })
}
