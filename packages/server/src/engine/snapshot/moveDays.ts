import { runsOf } from '../tables/bytes.ts'
import type { FormTable, SnapshotForm } from './formTypes.ts'
import { rowOf } from './snapshotRows.ts'

/** What pairs had of their day, as it was called: nothing here follows what the engine has become since. */
const movedNames = [
  ...['buy.0', 'buy.1', 'sell.0', 'sell.1', 'organic.0', 'organic.1', 'buyCount', 'sellCount'],
  ...['amount.0', 'amount.1', 'amount.2'],
]
  .map((name) => `sums.${name}`)
  .concat('makersBase', 'makersCapacity', 'makersCount', 'makersHorizons')

/** Every pair had a place for its day, those that did not trade an empty one; now it is with the pairs that did. */
export function moveDays({ tables }: SnapshotForm): void {
  const pairs = tables.get('pairs')!
  const active = tables.get('activePairs')!
  tables.set('activePairs', withDays(active, pairs))
}

function withDays(active: FormTable, pairs: FormTable): FormTable {
  const columns = [...active.columns, ...movedNames]
  const rows = new Float64Array(active.count * columns.length)
  const sources = movedNames.map((name) => pairs.columns.indexOf(name))
  const pairColumn = active.columns.indexOf('pair')
  for (let row = 0; row < active.count; row += 1) {
    const at = row * columns.length
    const own = rowOf(active, row)
    rows.set(own, at)
    if (row === 0) continue
    const pair = rowOf(pairs, own[pairColumn]!)
    sources.forEach((source, index) => {
      rows[at + own.length + index] = source < 0 ? 0 : pair[source]!
    })
  }
  return { ...active, columns, runs: runsOf(new Uint8Array(rows.buffer)) }
}
