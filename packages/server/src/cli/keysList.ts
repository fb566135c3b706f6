import type { Command } from 'commander'
import type { KeyInfo } from '../app/openKeys.ts'
import { addConfigOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { printResult, table, timeText } from './output.ts'
import { storeFlags, withKeys } from './withKeys.ts'

export function addKeysList(parent: Command, context: CliContext): void {
  const command = parent
    .command('list')
    .description('List the API keys; the keys themselves are not kept.')
  addConfigOptions(command, storeFlags)
    .option('--json', 'print one JSON object')
    .action(async (options) => {
      const keys = await withKeys(options, context, (keys) => keys.list())
      printResult(context, {
        isJson: options.json === true,
        json: { keys: keys.map(toJson) },
        text: () =>
          table([['id', 'name', 'plan', 'created', 'expires', 'revoked'], ...keys.map(toRow)]),
      })
    })
}

function toJson({ id, name, plan, createdAtS, expiresAtS, revokedAtS }: KeyInfo) {
  return {
    id,
    name,
    plan,
    created_at: createdAtS,
    expires_at: expiresAtS,
    revoked_at: revokedAtS,
  }
}

function toRow({ id, name, plan, createdAtS, expiresAtS, revokedAtS }: KeyInfo): string[] {
  return [String(id), name, plan, timeText(createdAtS), timeText(expiresAtS), timeText(revokedAtS)]
}
