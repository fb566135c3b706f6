import { Command } from 'commander'
import { addBackfill } from './backfill.ts'
import { addBackup } from './backup.ts'
import { addConfigCheck } from './configCheck.ts'
import { addConfigDocs } from './configDocs.ts'
import { addConfigPrint } from './configPrint.ts'
import type { CliContext } from './context.ts'
import { addKeysCreate } from './keysCreate.ts'
import { addKeysExpire } from './keysExpire.ts'
import { addKeysList } from './keysList.ts'
import { addKeysRevoke } from './keysRevoke.ts'
import { addKeysRotate } from './keysRotate.ts'
import { addRestore } from './restore.ts'
import { addStart } from './start.ts'
import { addStatus } from './status.ts'

const jsonOption = ['--json', 'print one JSON object'] as const

// Wide enough for every flag with its sentence, narrow enough for half a screen.
const helpColumns = 100

/** Where help and version go, and what is wrong with a command line. */
export type ProgramOutput = { writeOut(text: string): void; writeErr(text: string): void }

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
  addBackup(program, context)
  addRestore(program, context)
  const config = program
    .command('config')
    .description('Check, print or document the configuration.')
    .option(...jsonOption)
    .helpCommand(false)
  addConfigCheck(config, context)
  addConfigPrint(config, context)
  addConfigDocs(config, context)
  const keys = program
    .command('keys')
    .description('Create, list, rotate, expire and revoke API keys.')
    .option(...jsonOption)
    .helpCommand(false)
  addKeysCreate(keys, context)
  addKeysList(keys, context)
  addKeysRotate(keys, context)
  addKeysExpire(keys, context)
  addKeysRevoke(keys, context)
  return program
}
