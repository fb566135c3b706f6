import type { Command } from 'commander'
import { untilStopped } from '../commandLogger.ts'
import { addConfigOptions } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { printResult, table } from '../terminal/output.ts'

export function fillDevnet(command: Command, context: CliContext): void {
  addConfigOptions(command, ['devnet-port', 'log-level', 'log-format'])
    .option('--json', 'print the config of a service that uses them as one JSON object')
    .addHelpText('after', '\nExample: chaintape devnet --json | tee devnet.json')
    .action((options) =>
      untilStopped(options, context, (config, given) =>
        context.app.runDevnet(config, {
          ...given,
          onReady: ({ chains, rpcUrls }) =>
            printResult(context, {
              isJson: options.json === true,
              json: { chains },
              lines: () => [
                'The local chains are running: bots trade worthless tokens.',
                '',
                ...table([...rpcUrls]).map((line) => `  ${line}`),
                '',
                'Ctrl-C stops the chains.',
              ],
            }),
        }),
      ),
    )
}
