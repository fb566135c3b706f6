import { parentNumberOfOld } from '../../model/block.ts'
import { SnapshotUnreadableError } from '../errors.ts'
import { runsOf } from '../tables/bytes.ts'
import type { SnapshotForm } from './formTypes.ts'
import { moveDays } from './moveDays.ts'

/** What a snapshot does not say of the market it was taken of. */
type ChangeContext = { quotes: readonly string[] }

/**
 * What makes a format another than the one before. Columns, fields and tables that are new, gone, or in another place need
 * no `convert`: names and defaults do that. It is for what a name means: it gets everything by its name, as the format
 * before wrote it, and leaves it as this one writes it.
 */
type SnapshotChange = {
  format: number
  name: string
  convert?: (form: SnapshotForm, context: ChangeContext) => void
}

/** The oldest that is read. */
export const oldestFormat = 6

/** In order, one for each format after the oldest; never removed. */
export const snapshotChanges: readonly SnapshotChange[] = [
  { format: 7, name: 'everything has a name', convert: nameQuotes },
  { format: 8, name: 'the head says which number its parent has', convert: numberParent },
  { format: 9, name: 'pairs have venues' },
  { format: 10, name: 'pairs whose creation was looked for' },
  { format: 11, name: 'tokens have series of their own', convert: beginMainPairs },
  { format: 12, name: 'creations of tokens, and shares' },
  { format: 13, name: 'only pairs that traded have a day', convert: moveDays },
  { format: 14, name: 'challengers of main pairs have a time', convert: timeChallenges },
]

/** What is written; a snapshot with a higher one is of a newer version. */
export const snapshotFormat = snapshotChanges.at(-1)!.format

/** Brings what an earlier version wrote to what this one writes, step by step. */
export function convertForm(
  form: SnapshotForm,
  context: ChangeContext,
  changes: readonly SnapshotChange[] = snapshotChanges,
): void {
  for (const { format, convert } of changes) {
    if (format <= form.format) continue
    if (format !== form.format + 1)
      throw new SnapshotUnreadableError(`It has format ${form.format}, and nothing converts that.`)
    convert?.(form, context)
    form.format = format
  }
}

/** Their lead was counted in blocks: their seconds begin with the snapshot's newest block. */
function timeChallenges({ logs, numbers }: SnapshotForm): void {
  const log = logs.get('challenges')
  if (log === undefined) return
  const sinceS = numbers.get('head.timeS') ?? 0
  const rows = new Float64Array(new Uint8Array(log.runs.joined()).buffer)
  const width = log.columns.length
  const timed = new Float64Array((rows.length / width) * (width + 1))
  for (let from = 0, to = 0; from < rows.length; from += width, to += width + 1) {
    timed.set(rows.subarray(from, from + width), to)
    timed[to + width] = sinceS
  }
  const runs = runsOf(new Uint8Array(timed.buffer))
  logs.set('challenges', { ...log, columns: [...log.columns, 'timeS'], runs })
}

/** Which pair was a main pair before was not written down. */
function beginMainPairs({ numbers }: SnapshotForm): void {
  numbers.set('mainPairsFromS', numbers.get('timeS') ?? 0)
}

function numberParent({ numbers }: SnapshotForm): void {
  const number = numbers.get('head.number')
  if (number !== undefined) numbers.set('head.parentNumber', parentNumberOfOld(number))
}

/** Rates had no names: quote assets were taken to be those of the config, in its order. */
function nameQuotes(form: SnapshotForm, { quotes }: ChangeContext): void {
  const rates = form.tables.get('rates')!
  const fixed = rates.columns.filter((name) => !name.startsWith('quotes.'))
  const names = quotes.flatMap((address) => [`quotes.${address}.usd`, `quotes.${address}.native`])
  // Of other assets nothing is known: the next block finds what they are worth.
  if (rates.columns.length !== fixed.length + names.length) return
  form.tables.set('rates', { ...rates, columns: [...fixed, ...names] })
}
