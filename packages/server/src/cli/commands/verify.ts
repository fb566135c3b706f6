import type { Command } from 'commander'
import type { VerifiedChain } from '../../app/data/verifyData.ts'
import { StoreDiffersError } from '../../verify/errors.ts'
import { commandLogger } from '../commandLogger.ts'
import { addConfigOptions, jsonOption, loadFromOptions, storeFlags } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { printResult } from '../terminal/output.ts'

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
  for (const chain of verified)
    printResult(context, {
      isJson: options.json === true,
      json: jsonOf(chain),
      lines: () => verifiedLines(chain, verified.length > 1),
    })
  const count = verified.reduce(
    (sum, one) => sum + one.chainDifferences.length + one.storeDifferences.length,
    0,
  )
  if (count > 0) throw new StoreDiffersError({ count })
}

function jsonOf({ chain, head, pairs, trades, tokens, balances, views, ...found }: VerifiedChain) {
  return {
    chain,
    block: head.number,
    hash: head.hash,
    pairs,
    trades,
    tokens,
    balances,
    views,
    chain_differences: found.chainDifferences,
    store_differences: found.storeDifferences,
  }
}

const differencesShownMax = 100

/** `isNamed`: it is one of several. */
function verifiedLines(verified: VerifiedChain, isNamed: boolean): string[] {
  const { chain, head, pairs, trades, tokens, balances, views, viewsName } = verified
  return [
    `${isNamed ? `${chain}: ` : ''}Recomputed up to block ${head.number}: ${pairs} pairs, ${trades} trades, ${tokens} tokens, ${balances} balances.`,
    ...linesOf(`Against ${views} ${viewsName}`, verified.chainDifferences),
    ...linesOf('Against the store', verified.storeDifferences),
  ]
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
