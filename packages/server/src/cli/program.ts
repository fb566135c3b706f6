import { Command } from 'commander'
import { addBackfill } from './backfill.ts'
import { addBackup, addRestore } from './backup.ts'
import { addConfig } from './config.ts'
import { jsonOption } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { addDecode } from './decode.ts'
import { addKeys } from './keys.ts'
import { addStart } from './start.ts'
import { addStatus } from './status.ts'

// Wide enough for every flag with its sentence, narrow enough for half a screen.
const helpColumns = 100

/** Where help and version go, and what is wrong with a command line. */
type ProgramOutput = { writeOut(text: string): void; writeErr(text: string): void }

/** The command line. Usage mistakes, and help and version too, end as a CommanderError. */
export function createProgram(context: CliContext, output: ProgramOutput): Command {
  const program = new Command('chaintape')
    .description('Self-hosted market data for on-chain markets.')
    .version(context.version, '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .option(...jsonOption)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      ...output,
      getOutHelpWidth: () => helpColumns,
      getErrHelpWidth: () => helpColumns,
    })
    // Wherever it stands on the command line, it is meant for the command that runs.
    .hook('preAction', (_, command) => {
      if (command.optsWithGlobals().json) command.setOptionValue('json', true)
    })
  addStart(program, context)
  addBackfill(program, context)
  addStatus(program, context)
  addDecode(program, context)
  addBackup(program, context)
  addRestore(program, context)
  addConfig(program, context)
  addKeys(program, context)
  return program
}
