import type { Command } from 'commander'
import { addConfigOptions, jsonOption, loadFromOptions } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { printLines } from '../terminal/output.ts'

export function fillDecode(command: Command, context: CliContext): void {
  command
    .argument(
      '<file>',
      'receipts, transactions or blocks as returned by a node, plain or .gz; - for standard input; with --rpc a transaction hash',
    )
    .requiredOption('--chain <name>', 'the chain: its name, its id, or an alias')
    .option('--rpc <url>', 'fetch the transaction from this node')
  addConfigOptions(command, [])
    .option(...jsonOption)
    .action(async (source: string, options) => {
      const { config } = loadFromOptions(options, context)
      await context.app.decodeFile({
        chains: config.chains,
        chain: options.chain,
        rpcUrl: options.rpc,
        source,
        readInput: () => context.readInput(),
        onNote: (text) => printLines(context.stderr, [text]),
        onSwap: (line) => printLines(context.stdout, [JSON.stringify(line)]),
      })
    })
}
