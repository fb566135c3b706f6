import { type Command, InvalidArgumentError, Option } from 'commander'
import { type KlineIntervalName, klineIntervalNames } from '../../model/klines/kline.ts'
import type { ExportFormat } from '../../ops/exportData.ts'
import { type ExportedName, exportedNames } from '../../store/export/exportedTables.ts'
import { ExportInputError } from '../../store/export/exportRows.ts'
import { untilStopped } from '../commandLogger.ts'
import { addConfigOptions, jsonOption, storeFlags } from '../configOptions.ts'
import type { CliContext } from '../context.ts'
import { printResult } from '../terminal/output.ts'

// Later than any block.
const endOfTimeS = 2 ** 40
const timeForm = 'Unix seconds, or a date as 2026-01-31 or 2026-01-31T12:00Z'

type ExportFlags = {
  what: ExportedName
  format: ExportFormat
  chain?: string
  pair?: string
  from?: number
  to?: number
  interval?: KlineIntervalName
  raw?: boolean
  out: string
  json?: boolean
}

export function fillExport(command: Command, context: CliContext): void {
  command
    .addOption(
      new Option('--what <table>', 'rows to write').choices(exportedNames).default('swaps'),
    )
    .addOption(
      new Option('--format <name>', 'of the table').choices(['csv', 'parquet']).default('csv'),
    )
    .option('--chain <name>', 'the chain, if several are stored')
    .option('--pair <address>', 'only swaps, liquidity or klines of this pair')
    .option('--from <time>', `first second: ${timeForm}`, parseTime)
    .option('--to <time>', 'last second', parseTime)
    .addOption(new Option('--interval <name>', 'of klines (k1)').choices(klineIntervalNames))
    .option('--raw', 'do not escape texts that a spreadsheet would run as formulas (CSV)')
    .option('--out <file>', 'the file to write, which must not exist; - for standard output', '-')
  addConfigOptions(command, storeFlags)
    .option(...jsonOption)
    .action((options) => runExport(options, context))
}

async function runExport(
  flags: ExportFlags & Record<string, unknown>,
  context: CliContext,
): Promise<void> {
  const { what, format, chain, pair, from: fromS = 0, to: toS = endOfTimeS, interval } = flags
  checkFlags(flags)
  const file = flags.out === '-' ? undefined : flags.out
  if (file === undefined && format === 'parquet' && context.stdout.isTTY)
    throw new ExportInputError(
      'Parquet is a binary format and cannot be printed to a terminal.',
      'Name a file with --out.',
    )
  const exported = await untilStopped(flags, context, async (config, given) => {
    const at = klineIntervalNames.indexOf(interval ?? 'k1')
    return await context.app.exportData(config, {
      query: { what, chain, pair, fromS, toS, interval: at },
      format,
      isRaw: flags.raw,
      file,
      write: context.writeBytes,
      ...given,
    })
  })
  // Standard output then has only the table itself.
  if (file === undefined) return
  printResult(context, {
    isJson: flags.json === true,
    json: { file, ...exported },
    lines: () => [`Wrote ${file}: ${exported.rows} rows, ${(exported.bytes / 1e6).toFixed(1)} MB.`],
  })
}

/** Rejects combinations of flags that are valid alone. */
function checkFlags({ what, format, raw, pair, from, to, interval }: ExportFlags): void {
  const isHistory = what !== 'pairs' && what !== 'tokens'
  const strays = { '--pair': pair, '--from': from, '--to': to }
  for (const [flag, value] of Object.entries(strays))
    if (!isHistory && value !== undefined)
      throw new ExportInputError(`${flag} is for swaps, liquidity and klines, not for ${what}.`)
  if (interval !== undefined && what !== 'klines')
    throw new ExportInputError(`--interval is for klines, not for ${what}.`)
  if (raw && format !== 'csv') throw new ExportInputError('--raw is for CSV, not for Parquet.')
  if (from !== undefined && to !== undefined && from > to)
    throw new ExportInputError(`--from (${from}) is after --to (${to}).`)
}

function parseTime(text: string): number {
  const isDate = /^\d{4}-\d{2}-\d{2}(T.*(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  const dateS = isDate ? Math.floor(Date.parse(text) / 1_000) : Number.NaN
  const timeS = /^\d{1,12}$/.test(text) ? Number(text) : dateS
  if (Number.isSafeInteger(timeS) && timeS >= 0) return timeS
  throw new InvalidArgumentError(`It is a time: ${timeForm}.`)
}
