import { Command } from 'commander'
import { addBackfill } from './backfill.ts'
import { addConfigCheck } from './configCheck.ts'
import { addConfigDocs } from './configDocs.ts'
import { addConfigPrint } from './configPrint.ts'
import type { CliContext } from './context.ts'
import { addKeysCreate } from './keysCreate.ts'
import { addKeysExpire } from './keysExpire.ts'
import { addKeysList } from './keysList.ts'
import { addKeysRevoke } from './keysRevoke.ts'
import { addKeysRotate } from './keysRotate.ts'
import { addStart } from './start.ts'
import { addStatus } from './status.ts'

// Wide enough for every flag with its sentence, narrow enough for half a screen.
const helpColumns = 100

/** The command line. Usage mistakes are thrown as CommanderError; their text goes to `writeError`. */
export function createProgram(context: CliContext, writeError: (text: string) => void): Command {
  const program = new Command('chaintape')
    .description('Self-hosted market data for on-chain markets.')
    .version(context.version, '--version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: writeError,
      getOutHelpWidth: () => helpColumns,
      getErrHelpWidth: () => helpColumns,
    })
  addStart(program, context)
  addBackfill(program, context)
  addStatus(program, context)
  const config = program
    .command('config')
    .description('Check, print or document the configuration.')
    .helpCommand(false)
  addConfigCheck(config, context)
  addConfigPrint(config, context)
  addConfigDocs(config, context)
  const keys = program
    .command('keys')
    .description('Create, list, rotate, expire and revoke API keys.')
    .helpCommand(false)
  addKeysCreate(keys, context)
  addKeysList(keys, context)
  addKeysRotate(keys, context)
  addKeysExpire(keys, context)
  addKeysRevoke(keys, context)
  return program
}
