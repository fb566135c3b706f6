import type { Command } from 'commander'
import { addConfigOptions, jsonOption, loadFromOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'

export function addDecode(parent: Command, context: CliContext): void {
  const command = parent
    .command('decode')
    .description('Print the swaps in answers of a node, one JSON object a line.')
    .argument(
      '<file>',
      'receipts, transactions or blocks as a node answered with them, plain or .gz; - for standard input; with --rpc a transaction hash',
    )
    .requiredOption('--chain <name>', 'the chain it is of')
    .option('--rpc <url>', 'fetch the transaction from this node')
  addConfigOptions(command, [])
    .option(...jsonOption)
    .action(async (source: string, options) => {
      const { config } = loadFromOptions(options, context)
      const { decodeFile } = await context.loadApp()
      await decodeFile({
        chains: config.chains,
        chain: options.chain,
        rpcUrl: options.rpc,
        source,
        readInput: () => context.readInput(),
        onNote: (text) => context.stderr.write(`${text}\n`),
        onSwap: (line) => context.stdout.write(`${JSON.stringify(line)}\n`),
      })
    })
}
