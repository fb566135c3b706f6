import type { Engine } from '../../engine/engine.ts'
import type { PagingOptions } from '../../engine/pages/pageBudget.ts'
import { PageFile } from '../../lib/files/pageFile.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'

/**
 * Directory of page files → markets of this thread that use it. Markets of one directory share one
 * memory limit.
 */
const markets = new Map<string, Set<WeakRef<Engine>>>()

export type MarketPaging = PagingOptions & {
  /** Counts the market against the shared limit until it is garbage collected. */
  join(engine: Engine): void
}

/** A market may use the memory that the other markets leave, and always at least an even share. */
export function pagingOf(
  { name: chain, paging }: ChainProfile,
  logger: Logger,
): MarketPaging | undefined {
  if (paging === undefined) return undefined
  const { directory, bytesMax } = paging
  const all = markets.get(directory) ?? new Set()
  markets.set(directory, all)
  let own: Engine | null = null
  return {
    get residentBytesMax() {
      let otherBytes = 0
      let count = 1
      for (const market of all) {
        const engine = market.deref()
        if (engine === undefined) all.delete(market)
        else if (engine !== own) {
          otherBytes += engine.residentBytes()
          count += 1
        }
      }
      return Math.max(bytesMax - otherBytes, bytesMax / count)
    },
    openFile: (name, pageBytes) => new PageFile(directory, `${chain}-${name}`, pageBytes),
    schedule: (settle) => void setImmediate(settle),
    onWriteError: (err) =>
      logger.warn({ msg: 'Failed to write pages of the market; it stays in memory', chain, err }),
    join(engine) {
      own = engine
      all.add(new WeakRef(engine))
    },
  }
}
