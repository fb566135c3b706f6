import { keyBody } from '@chaintape/protocol'
import type { Command } from 'commander'
import type { ListedKey } from '../app/keys/openKeys.ts'
import { addConfigOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { printResult, table, timeText } from './output.ts'
import { storeFlags, withKeys } from './withKeys.ts'

const heads = [
  ...['id', 'account', 'name', 'plan', 'created', 'expires', 'revoked'],
  ...['requests', 'credits'],
]

export function addKeysList(parent: Command, context: CliContext): void {
  const command = parent
    .command('list')
    .description(
      'List the API keys and what they used this month; the keys themselves are not kept.',
    )
  addConfigOptions(command, storeFlags)
    .option('--json', 'print one JSON object')
    .action(async (options) => {
      const keys = await withKeys(options, context, (keys) => keys.list())
      printResult(context, {
        isJson: options.json === true,
        json: { keys: keys.map(toJson) },
        text: () => table([heads, ...keys.map(toRow)]),
      })
    })
}

function toJson(key: ListedKey) {
  return {
    ...keyBody(key),
    period: { requests: key.requestCount, credits: key.creditsUsed },
  }
}

function toRow(key: ListedKey): string[] {
  return [
    ...[`${key.id}`, `${key.accountId}`, key.name, key.plan],
    ...[timeText(key.createdAtS), timeText(key.expiresAtS), timeText(key.revokedAtS)],
    ...[`${key.requestCount}`, `${key.creditsUsed}`],
  ]
}
