import type { Command } from 'commander'
import type { BackupHeader } from '../../store/backup/format.ts'
import type { WrittenBackup } from '../../store/backup/writeBackup.ts'
import { untilStopped } from '../commandLogger.ts'
import { addConfigOptions, jsonOption, storeFlags } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { printResult, table } from '../terminal/output.ts'

export function fillBackup(command: Command, context: CliContext): void {
  command.argument('<file>', 'the file to write, which must not exist')
  addConfigOptions(command, storeFlags)
    .option(...jsonOption)
    .action(async (file: string, options) => {
      const written = await untilStopped(options, context, async (config, rest) => {
        const { version, app } = context
        return await app.backupData(config, {
          path: file,
          version,
          nowMs: context.nowMs(),
          ...rest,
        })
      })
      printResult(context, {
        isJson: options.json === true,
        json: backupJson(file, written),
        lines: () => backupLines(file, written),
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

function backupLines(file: string, { header, sizeBytes, rowCount }: WrittenBackup): string[] {
  const megabytes = (sizeBytes / 1e6).toFixed(1)
  return [`Wrote ${file}: ${megabytes} MB, ${rowCount} rows.`, '', ...headerLines(header)]
}

/** The header of a backup as JSON. */
function headerJson({ version, createdAt, schema, chains }: BackupHeader) {
  return {
    version,
    created_at: createdAt,
    schema,
    chains: chains.map(({ name, block, hash, finalized }) => ({
      name,
      block,
      hash,
      finalized_block: finalized,
    })),
  }
}

function headerLines({ version, schema, chains }: BackupHeader): string[] {
  const rows = chains.map(({ name, block, hash }) => [name, `${block}`, hash])
  return [
    `Written by version ${version}, schema ${schema}.`,
    ...table([['chain', 'block', 'hash'], ...rows]),
  ]
}

export function fillRestore(command: Command, context: CliContext): void {
  command.argument('<file>', 'a file that chaintape backup wrote, this version or an older one')
  addConfigOptions(command, storeFlags)
    .option(...jsonOption)
    .action(async (file: string, options) => {
      const { header, rowCount } = await untilStopped(options, context, async (config, rest) => {
        return await context.app.restoreData(config, { path: file, ...rest })
      })
      printResult(context, {
        isJson: options.json === true,
        json: { file, rows: rowCount, ...headerJson(header) },
        lines: () => [`Restored ${file}: ${rowCount} rows.`, '', ...headerLines(header)],
      })
    })
}
