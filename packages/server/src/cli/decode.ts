import type { Command } from 'commander'
import { jsonOption } from './configOptions.ts'
import type { CliContext } from './context.ts'

export function addDecode(parent: Command, context: CliContext): void {
  parent
    .command('decode')
    .description('Print the swaps in answers of a node, one JSON object a line.')
    .argument(
      '<file>',
      'what getTransaction or getBlock answered, plain or .gz; - for standard input',
    )
    .requiredOption('--chain <name>', 'the chain it is of')
    .option(...jsonOption)
    .action(async (source: string, options) => {
      const { decodeFile } = await context.loadApp()
      await decodeFile({
        chain: options.chain,
        source,
        readInput: () => context.readInput(),
        onSwap: (line) => context.stdout.write(`${JSON.stringify(line)}\n`),
      })
    })
}
