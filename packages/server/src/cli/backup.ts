import type { Command } from 'commander'
import type { BackupHeader } from '../store/backup/format.ts'
import type { WrittenBackup } from '../store/backup/writeBackup.ts'
import { addConfigOptions } from './configOptions.ts'
import type { CliContext } from './context.ts'
import { printResult, table } from './output.ts'
import { untilStopped } from './untilStopped.ts'
import { storeFlags } from './withKeys.ts'

export function addBackup(parent: Command, context: CliContext): void {
  const command = parent
    .command('backup')
    .description('Copy all that is stored into one file, whether the service runs or not.')
    .argument('<file>', 'the file to write, which must not be there yet')
  addConfigOptions(command, storeFlags)
    .option('--json', 'print one JSON object')
    .action(async (file: string, options) => {
      const written = await untilStopped(options, context, async (config, rest) => {
        const { backupData } = await context.loadApp()
        const { version } = context
        return await backupData(config, { path: file, version, nowMs: context.nowMs(), ...rest })
      })
      printResult(context, {
        isJson: options.json === true,
        json: backupJson(file, written),
        text: () => backupText(file, written),
      })
    })
}

function backupJson(file: string, { header, sizeBytes, contentBytes, rowCount }: WrittenBackup) {
  return {
    file,
    bytes: sizeBytes,
    content_bytes: contentBytes,
    rows: rowCount,
    ...headerJson(header),
  }
}

function backupText(file: string, { header, sizeBytes, rowCount }: WrittenBackup): string {
  const megabytes = (sizeBytes / 1e6).toFixed(1)
  return [`Wrote ${file}: ${megabytes} MB, ${rowCount} rows.`, '', headerText(header)].join('\n')
}

/** What a backup says of itself. */
export function headerJson({ version, createdAt, schema, chains }: BackupHeader) {
  return {
    version,
    created_at: createdAt,
    schema,
    chains: chains.map(({ name, block, hash, finalized }) => ({
      ...{ name, block, hash, finalized_block: finalized },
    })),
  }
}

export function headerText({ version, schema, chains }: BackupHeader): string {
  const rows = chains.map(({ name, block, hash }) => [name, `${block}`, hash])
  return [
    `Written by version ${version}, schema ${schema}.`,
    table([['chain', 'block', 'hash'], ...rows]),
  ].join('\n')
}
