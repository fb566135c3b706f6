import type { Command } from 'commander'
import { StoreDiffersError } from '../verify/errors.ts'
import type { VerifiedStore } from '../verify/verifyStored.ts'
import { commandLogger } from './commandLogger.ts'
import { addConfigOptions, jsonOption, loadFromOptions, storeFlags } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { printResult } from './output.ts'

export function fillVerify(command: Command, context: CliContext): void {
  addConfigOptions(command, storeFlags)
    .option('--chain <name>', 'the configured chain, where there are several')
    .option('--rpc <url>', 'a node to ask instead of the one that the chain has')
    .option(...jsonOption)
    .action((options) => verify(options, context))
}

async function verify(options: Record<string, unknown>, context: CliContext): Promise<void> {
  const { config } = loadFromOptions(options, context)
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const verified = await context.app.verifyData(config, {
    chain: textOf(options.chain),
    rpcUrl: textOf(options.rpc),
    logger: commandLogger(config, context),
  })
  const { head, pairs, trades, tokens, balances, views } = verified
  printResult(context, {
    isJson: options.json === true,
    json: {
      ...{ block: head.number, hash: head.hash, pairs, trades, tokens, balances, views },
      chain_differences: verified.chainDifferences,
      store_differences: verified.storeDifferences,
    },
    text: () => verifiedText(verified),
  })
  const count = verified.chainDifferences.length + verified.storeDifferences.length
  if (count > 0) throw new StoreDiffersError({ count })
}

const differencesShownMax = 100

function verifiedText(verified: VerifiedStore): string {
  const { head, pairs, trades, tokens, balances, views } = verified
  return [
    `Recomputed up to block ${head.number}: ${pairs} pairs, ${trades} trades, ${tokens} tokens, ${balances} balances.`,
    ...linesOf(`Against ${views} answers of the contracts`, verified.chainDifferences),
    ...linesOf('Against the store', verified.storeDifferences),
  ].join('\n')
}

function linesOf(what: string, differences: readonly string[]): string[] {
  if (differences.length === 0) return [`${what}: no difference.`]
  const shown = differences.slice(0, differencesShownMax).map((sentence) => `  ${sentence}`)
  const left = differences.length - shown.length
  return [
    `${what}: ${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}.`,
    ...shown,
    ...(left > 0 ? [`  and ${left} more`] : []),
  ]
}
